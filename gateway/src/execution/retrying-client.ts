import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphResponse } from './subgraph-request.ts';

/** Settings of {@link createRetryingClient}. */
export interface RetryOptions {
  /** Retries that may be made at once before any call has earned one. @default 10 */
  readonly reserve?: number | undefined;
  /** What each call earns of a retry: at 0.1, one of ten calls may be repeated. @default 0.1 */
  readonly perCall?: number | undefined;
}

const TRY_AGAIN: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Repeats a call once when its subgraph could not be reached or says that it can't answer just now; a kept-alive socket that the
 * other side has just closed is the common case. Never a mutation, never after a time-out, and never more
 * than the budget of the subgraph allows: what is down is not asked twice as often.
 */
export function createRetryingClient(client: SubgraphClient, options: RetryOptions = {}): SubgraphClient {
  const reserve = options.reserve ?? 10;
  const perCall = options.perCall ?? 0.1;
  const budgets = new Map<string, number>();

  const spend = (subgraph: string): boolean => {
    const left = budgets.get(subgraph) ?? reserve;
    if (left < 1) return false;
    budgets.set(subgraph, left - 1);
    return true;
  };

  const earn = (subgraph: string): void => {
    budgets.set(subgraph, Math.min(reserve, (budgets.get(subgraph) ?? reserve) + perCall));
  };

  return {
    async send(request) {
      earn(request.subgraph);
      const first = await client.send(request).catch(asOutcome);
      if (!isWorthRepeating(first) || request.isMutation || !spend(request.subgraph)) return settle(first);
      request.signal.throwIfAborted();
      return client.send(request);
    },
    close: () => client.close(),
  };
}

type Outcome = SubgraphResponse | { readonly error: unknown };

function asOutcome(error: unknown): Outcome {
  return { error };
}

function settle(outcome: Outcome): SubgraphResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

function isWorthRepeating(outcome: Outcome): boolean {
  if (!('error' in outcome)) return TRY_AGAIN.has(outcome.status);
  return outcome.error instanceof SubgraphFailure && outcome.error.kind === 'unreachable';
}
