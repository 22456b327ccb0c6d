import type { QueueCaller } from '@trellis/admission';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';
import type { CallKind } from './circuit-breaker.ts';
import type { Slot } from '../concurrency/concurrency-limit.ts';
import { timeLeftMs } from '../abort/deadline-signal.ts';
import { hedge } from './hedge.ts';
import type { CallOutcome, SubgraphTraffic, TrafficObserver, TrafficStates } from './traffic-states.ts';
import type { TrafficRulesOf } from './traffic-states.ts';

/** Settings of {@link createShapingClient}. */
export interface ShapingOptions {
  readonly rulesOf: TrafficRulesOf;
  /** What is known of the subgraphs; it outlives changes of the rules. */
  readonly states: TrafficStates;
}

/**
 * Asks subgraphs by the rules that hold for each: for a bounded time, so many calls at once, not at all while one keeps
 * failing.
 *
 * A query is sent once more when the subgraph could not be reached or says that it can't answer just now; a keep-alive socket
 * that the other side has just closed is the common case. Never a mutation, never after a time-out, and never beyond the budget.
 */
export function createShapingClient(client: SubgraphClient, options: ShapingOptions): SubgraphClient {
  const { rulesOf, states } = options;
  const { observer } = states;
  return {
    send(request) {
      const { subgraph, url } = request;
      const shaped: ShapedCall = {
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

/** A call, and what it has to keep to. */
interface ShapedCall {
  readonly client: SubgraphClient;
  readonly request: SubgraphRequest;
  readonly traffic: SubgraphTraffic;
  readonly observer: TrafficObserver;
}

function isHedged({ request, traffic }: ShapedCall): boolean {
  return traffic.rules.hedging !== undefined && !request.isMutation;
}

function sendHedged(call: ShapedCall): Promise<SubgraphResponse> {
  const { request, traffic } = call;
  const attempt = (signal: AbortSignal, send: typeof sendOnce): Promise<SubgraphResponse> =>
    send({ ...call, request: { ...request, signal } });
  return hedge({
    first: (signal) => attempt(signal, sendWithRetry),
    second: (signal) => attempt(signal, sendOnce),
    afterMs: traffic.rules.hedging?.afterMs ?? 0,
    mayRepeat: () => mayRepeat(call, 'hedge'),
    signal: request.signal,
  });
}

async function sendWithRetry(call: ShapedCall): Promise<SubgraphResponse> {
  try {
    const response = await sendOnce(call);
    if (!TRY_AGAIN.has(response.status) || call.request.isMutation || !mayRepeat(call, 'retry'))
      return response;
  } catch (error) {
    if (!isUnreachable(error) || call.request.isMutation || !mayRepeat(call, 'retry')) throw error;
  }
  call.request.signal.throwIfAborted();
  return sendOnce(call);
}

const TRY_AGAIN: ReadonlySet<number> = new Set([502, 503, 504]);

function isUnreachable(error: unknown): boolean {
  return error instanceof SubgraphFailure && error.kind === 'unreachable';
}

function mayRepeat({ traffic, request, observer }: ShapedCall, reason: 'retry' | 'hedge'): boolean {
  if (traffic.budget?.spend() !== true) return false;
  observer.repeated(request.subgraph, reason);
  return true;
}

/** The time for waiting and the time for the call are one. */
function sendOnce(call: ShapedCall): Promise<SubgraphResponse> {
  const { traffic, request } = call;
  const { limit, breaker } = traffic;
  const timeoutMs = Math.min(traffic.rules.timeoutMs, timeLeftMs(request.signal));
  const kind = breaker ? breaker.admits() : 'ordinary';
  if (kind === undefined) return Promise.reject(reject(call, 'Circuit breaker open for'));
  return limit.tryAcquire(callerOf(request))
    ? exchange(call, kind, timeoutMs)
    : sendWhenFree(call, kind, timeoutMs);
}

async function sendWhenFree(call: ShapedCall, kind: CallKind, timeoutMs: number): Promise<SubgraphResponse> {
  const { limit } = call.traffic;
  const { request } = call;
  const startedAt = performance.now();
  const slot = await limit.acquire(callerOf(request), request.signal, timeoutMs, (why) =>
    reject(call, REASONS[why]),
  );
  return exchange(call, kind, timeoutMs - (performance.now() - startedAt), slot);
}

const REASONS = {
  total: 'Concurrency limit reached for',
  share: 'Concurrency limit of this caller reached for',
  timeout: 'No free slot before the deadline for',
} as const;

/** What the gateway asks for itself. */
const GATEWAY: QueueCaller = Object.freeze({ keys: ['gateway'] as const, isKnown: true });

function callerOf({ sharedBy = GATEWAY }: SubgraphRequest): QueueCaller {
  return sharedBy;
}

function reject({ request, observer }: ShapedCall, why: string): SubgraphFailure {
  observer.callEnded(request.subgraph, 'rejected', 0);
  return new SubgraphFailure(
    request.subgraph,
    'unavailable',
    `${why} subgraph "${request.subgraph}". Retry later.`,
  );
}

function exchange(
  call: ShapedCall,
  kind: CallKind,
  timeoutMs: number,
  slot?: Slot,
): Promise<SubgraphResponse> {
  const { subgraph, url, body, streamed, headers, isMutation, signal, wanted } = call.request;
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
    maxBytes: call.traffic.rules.responseBytes,
  };
  const startedAt = performance.now();
  return call.client.send(bounded).then(
    (response) => {
      end(call, kind, response.status < 500 ? 'answered' : 'server-error', startedAt, slot);
      return response;
    },
    (error: unknown) => {
      end(call, kind, outcomeOf(error), startedAt, slot);
      throw error;
    },
  );
}

function outcomeOf(error: unknown): CallOutcome {
  if (!(error instanceof SubgraphFailure)) return 'aborted';
  return error.kind === 'unavailable' ? 'rejected' : error.kind;
}

function end(
  { traffic, observer, request }: ShapedCall,
  kind: CallKind,
  outcome: CallOutcome,
  startedAt: number,
  slot: Slot | undefined,
): void {
  const durationMs = performance.now() - startedAt;
  traffic.limit.release(callerOf(request), durationMs, slot);
  judge(traffic, kind, outcome);
  observer.callEnded(request.subgraph, outcome, durationMs);
}

/** What the gateway itself rejects or a client gives up says nothing about the subgraph. */
function judge({ breaker }: SubgraphTraffic, kind: CallKind, outcome: CallOutcome): void {
  if (outcome === 'aborted' || outcome === 'rejected') return;
  if (outcome === 'timeout') breaker?.failed('after-waiting');
  else if (outcome === 'server-error' || outcome === 'unreachable') breaker?.failed('at-once');
  else breaker?.succeeded(kind);
}
