import type { QueueCaller } from '@trellis/runtime/admission';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';
import type { SubgraphRequestKind } from './circuit-breaker.ts';
import type { Slot } from '../concurrency/concurrency-limit.ts';
import { timeLeftMs } from '../abort/deadline-signal.ts';
import { hedge } from './hedge.ts';
import type {
  SubgraphRequestOutcome,
  SubgraphTraffic,
  TrafficObserver,
  TrafficStates,
} from './traffic-states.ts';
import type { TrafficRulesOf } from './traffic-states.ts';

/** Settings of {@link createShapingClient}. */
export interface ShapingOptions {
  readonly rulesOf: TrafficRulesOf;
  /** What is known of the subgraphs; it outlives changes of the rules. */
  readonly states: TrafficStates;
}

/**
 * Sends subgraph requests by the rules of each subgraph: for a bounded time, so many at once, none while one keeps
 * failing.
 *
 * A query is sent once more when the subgraph could not be reached or responds with 502, 503 or 504; a keep-alive socket
 * that the other side has just closed is the common case. Never a mutation, never after a time-out, and never beyond the budget.
 */
export function createShapingClient(client: SubgraphClient, options: ShapingOptions): SubgraphClient {
  const { rulesOf, states } = options;
  const { observer } = states;
  return {
    send(request) {
      const { subgraph, url } = request;
      const shaped: ShapedRequest = {
        client,
        request,
        traffic: states.of(subgraph, rulesOf(subgraph), url),
        observer,
      };
      shaped.traffic.budget?.earn();
      return isHedged(shaped) ? sendHedged(shaped) : sendWithRetry(shaped);
    },
    close: () => client.close(),
  };
}

/** A request, and what it has to keep to. */
interface ShapedRequest {
  readonly client: SubgraphClient;
  readonly request: SubgraphRequest;
  readonly traffic: SubgraphTraffic;
  readonly observer: TrafficObserver;
}

function isHedged({ request, traffic }: ShapedRequest): boolean {
  return traffic.rules.hedging !== undefined && !request.isMutation;
}

function sendHedged(shaped: ShapedRequest): Promise<SubgraphResponse> {
  const { request, traffic } = shaped;
  const attempt = (signal: AbortSignal, send: typeof sendOnce): Promise<SubgraphResponse> =>
    send({ ...shaped, request: { ...request, signal } });
  return hedge({
    first: (signal) => attempt(signal, sendWithRetry),
    second: (signal) => attempt(signal, sendOnce),
    afterMs: traffic.rules.hedging?.afterMs ?? 0,
    mayRetry: () => mayRetry(shaped, 'hedge'),
    signal: request.signal,
  });
}

async function sendWithRetry(shaped: ShapedRequest): Promise<SubgraphResponse> {
  try {
    const response = await sendOnce(shaped);
    if (!TRY_AGAIN.has(response.status) || shaped.request.isMutation || !mayRetry(shaped, 'retry'))
      return response;
  } catch (error) {
    if (!isUnreachable(error) || shaped.request.isMutation || !mayRetry(shaped, 'retry')) throw error;
  }
  shaped.request.signal.throwIfAborted();
  return sendOnce(shaped);
}

const TRY_AGAIN: ReadonlySet<number> = new Set([502, 503, 504]);

function isUnreachable(error: unknown): boolean {
  return error instanceof SubgraphFailure && error.kind === 'unreachable';
}

function mayRetry({ traffic, request, observer }: ShapedRequest, reason: 'retry' | 'hedge'): boolean {
  if (traffic.budget?.spend() !== true) return false;
  observer.retried(request.subgraph, reason);
  return true;
}

/** The time for waiting and the time for the request are one. */
function sendOnce(shaped: ShapedRequest): Promise<SubgraphResponse> {
  const { traffic, request } = shaped;
  const { limit, breaker } = traffic;
  const timeoutMs = Math.min(traffic.rules.timeoutMs, timeLeftMs(request.signal));
  const kind = breaker ? breaker.admits() : 'ordinary';
  if (kind === undefined) return Promise.reject(reject(shaped, 'Circuit breaker open for'));
  return limit.tryAcquire(callerOf(request))
    ? exchange(shaped, kind, timeoutMs)
    : sendWhenFree(shaped, kind, timeoutMs);
}

async function sendWhenFree(
  shaped: ShapedRequest,
  kind: SubgraphRequestKind,
  timeoutMs: number,
): Promise<SubgraphResponse> {
  const { limit } = shaped.traffic;
  const { request } = shaped;
  const startedAt = performance.now();
  const slot = await limit.acquire(callerOf(request), request.signal, timeoutMs, (why) =>
    reject(shaped, REASONS[why]),
  );
  return exchange(shaped, kind, timeoutMs - (performance.now() - startedAt), slot);
}

const REASONS = {
  total: 'Concurrency limit reached for',
  share: 'Concurrency limit of this caller reached for',
  timeout: 'No free slot before the deadline for',
} as const;

/** Requests of the gateway itself. */
const GATEWAY: QueueCaller = Object.freeze({ keys: ['gateway'] as const, isKnown: true });

function callerOf({ sharedBy = GATEWAY }: SubgraphRequest): QueueCaller {
  return sharedBy;
}

function reject({ request, observer }: ShapedRequest, why: string): SubgraphFailure {
  observer.requestEnded(request.subgraph, 'rejected', 0);
  return new SubgraphFailure(
    request.subgraph,
    'unavailable',
    `${why} subgraph "${request.subgraph}". Retry later.`,
  );
}

function exchange(
  shaped: ShapedRequest,
  kind: SubgraphRequestKind,
  timeoutMs: number,
  slot?: Slot,
): Promise<SubgraphResponse> {
  const { subgraph, url, body, streamed, headers, isMutation, signal, wanted } = shaped.request;
  const bounded = {
    subgraph,
    url,
    body,
    streamed,
    headers,
    isMutation,
    signal,
    wanted,
    timeoutMs: Math.max(1, Math.ceil(timeoutMs)),
    maxBytes: shaped.traffic.rules.responseBytes,
  };
  const startedAt = performance.now();
  return shaped.client.send(bounded).then(
    (response) => {
      end(shaped, kind, response.status < 500 ? 'responded' : 'server-error', startedAt, slot);
      return response;
    },
    (error: unknown) => {
      end(shaped, kind, outcomeOf(error), startedAt, slot);
      throw error;
    },
  );
}

function outcomeOf(error: unknown): SubgraphRequestOutcome {
  if (!(error instanceof SubgraphFailure)) return 'aborted';
  return error.kind === 'unavailable' ? 'rejected' : error.kind;
}

function end(
  { traffic, observer, request }: ShapedRequest,
  kind: SubgraphRequestKind,
  outcome: SubgraphRequestOutcome,
  startedAt: number,
  slot: Slot | undefined,
): void {
  const durationMs = performance.now() - startedAt;
  traffic.limit.release(callerOf(request), durationMs, slot);
  judge(traffic, kind, outcome);
  observer.requestEnded(request.subgraph, outcome, durationMs);
}

/** What the gateway itself rejects or a client gives up says nothing about the subgraph. */
function judge(
  { breaker }: SubgraphTraffic,
  kind: SubgraphRequestKind,
  outcome: SubgraphRequestOutcome,
): void {
  if (outcome === 'aborted' || outcome === 'rejected') return;
  if (outcome === 'timeout') breaker?.failed('after-waiting');
  else if (outcome === 'server-error' || outcome === 'unreachable') breaker?.failed('at-once');
  else breaker?.succeeded(kind);
}
