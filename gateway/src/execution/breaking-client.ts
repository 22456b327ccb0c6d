import { CircuitBreaker, type CallOutcome, type CircuitBreakerOptions } from './circuit-breaker.ts';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient } from './subgraph-request.ts';

const FIRST_SERVER_ERROR = 500;

/**
 * Asks no subgraph that fails most calls: time-outs, broken connections and statuses from 500 on. What it is asked then
 * fails at once, and is tried again after a pause. An answer that is too large or compressed in a strange way
 * is the fault of one operation and counts as an answer.
 */
export function createBreakingClient(
  client: SubgraphClient,
  options: CircuitBreakerOptions = {},
): SubgraphClient {
  const breakers = new Map<string, CircuitBreaker>();

  const breakerOf = (subgraph: string): CircuitBreaker => {
    let breaker = breakers.get(subgraph);
    if (!breaker) breakers.set(subgraph, (breaker = new CircuitBreaker(options)));
    return breaker;
  };

  return {
    async send(request) {
      const { subgraph } = request;
      const breaker = breakerOf(subgraph);
      const kind = breaker.enter();
      if (kind === undefined) {
        const message = `The subgraph "${subgraph}" has failed too often and is left alone for a moment.`;
        throw new SubgraphFailure(subgraph, 'unavailable', message);
      }
      let outcome: CallOutcome = 'unknown';
      try {
        const response = await client.send(request);
        outcome = response.status >= FIRST_SERVER_ERROR ? 'failed' : 'succeeded';
        return response;
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        breaker.leave(kind, outcome);
      }
    },
    close: () => client.close(),
  };
}

/** What is no failure of the subgraph is a client that has left. */
function outcomeOf(error: unknown): CallOutcome {
  if (!(error instanceof SubgraphFailure)) return 'unknown';
  if (error.kind === 'timeout') return 'timed-out';
  return error.kind === 'unreachable' ? 'failed' : 'succeeded';
}
