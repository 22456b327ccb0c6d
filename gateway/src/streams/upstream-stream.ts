import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { readEventId } from '@trellis/subgraph-protocol';
import type { SubgraphHeaders } from '../subgraphs/subgraph-client.ts';
import type { SubgraphRequestKind, CircuitBreaker } from '../subgraphs/circuit-breaker.ts';
import type { StreamObserver } from './stream-observer.ts';
import type { UpstreamConnection, UpstreamTarget } from './upstream-transport.ts';
import type { UpstreamTransports } from './upstream-transports.ts';

/** What a subgraph is subscribed to with. */
export interface UpstreamRequest extends UpstreamTarget {
  /** Equal for requests that may share one stream. */
  readonly key: string;
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
  /** The event to go on after; absent: what happens from now on. */
  readonly lastEventId: string | undefined;
  /** What becomes of a stream that can't be resumed, by the setting in force now. */
  afterGap(): 'end' | 'continue';
  /** That of the subgraph in force now; undefined where there is none. */
  breaker(): CircuitBreaker | undefined;
  /** What an HTTP request would have in its headers, made again for each attempt. */
  headers(): SubgraphHeaders | Promise<SubgraphHeaders>;
}

/** Takes what a subgraph sends. Nothing follows the other two. */
interface UpstreamListener {
  /** @param payload a response as parsed, for this listener alone */
  event(payload: unknown): void;
  complete(): void;
  fail(ending: UpstreamFailure): void;
}

/** Why a stream ended. */
export type UpstreamFailure =
  /** The subgraph said so: a response without data. */
  | { readonly kind: 'rejected'; readonly response: unknown }
  /** The subgraph can't be reached. */
  | { readonly kind: 'unreachable'; readonly cause: Error }
  /** The connection broke, and what happened since can't be had. */
  | { readonly kind: 'interrupted'; readonly cause: Error };

/** After a connection that had been established broke, the first; after each attempt that fails, the next. */
const RETRY = { firstMs: 200, longestMs: 5_000, jitter: [0.5, 1] } as const;
/** How long a connection is tried for: a stream that has not begun has a client that waits. */
const BEGIN_MS = 5_000;
const RESUME_MS = 60_000;

/** One upstream subscription: it lives through broken connections as long as nothing is missed. */
export class UpstreamStream {
  readonly request: UpstreamRequest;
  readonly #transports: UpstreamTransports;
  readonly #observer: StreamObserver;
  readonly #onEnd: () => void;
  readonly #listeners = new Set<UpstreamListener>();
  #subscription: UpstreamConnection | undefined;
  #lastEventId: string | undefined;
  #hasBegun = false;
  #attempts = 0;
  #tryUntilMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(
    request: UpstreamRequest,
    transports: UpstreamTransports,
    observer: StreamObserver,
    onEnd: () => void,
  ) {
    this.request = request;
    this.#transports = transports;
    this.#observer = observer;
    this.#onEnd = onEnd;
    this.#lastEventId = request.lastEventId;
  }

  /** Whether the subgraph has the subscription: events from now on are not missed. */
  get isEstablished(): boolean {
    return this.#subscription?.isEstablished() ?? false;
  }

  /** The first listener begins the stream, and the last to go ends it. @returns stops listening */
  listen(listener: UpstreamListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1 && this.#attempts === 0) this.#begin();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#end();
    };
  }

  #begin(): void {
    this.#observer.upstream(this.request.subgraph, 1);
    this.#tryUntilMs = Date.now() + BEGIN_MS;
    void this.#subscribe();
  }

  async #subscribe(): Promise<void> {
    this.#attempts += 1;
    const breaker = this.request.breaker();
    const kind = breaker ? breaker.admits() : 'ordinary';
    if (kind === undefined)
      return this.#tryAgain(new Error(`Circuit breaker open for subgraph "${this.request.subgraph}".`));
    try {
      const headers = await this.request.headers();
      if (!this.#isEnded) this.#subscription = this.#open(headers, new Attempt(breaker, kind));
    } catch (error) {
      this.#fail({ kind: 'unreachable', cause: causeOf(error) });
    }
  }

  #open(headers: SubgraphHeaders, attempt: Attempt): UpstreamConnection {
    const { query, operationName, variables } = this.request;
    return this.#transports.subscribe(
      this.request,
      { query, operationName, variables, headers, lastEventId: this.#lastEventId },
      {
        next: (payload) => {
          attempt.succeeded();
          this.#event(payload);
        },
        complete: () => {
          attempt.succeeded();
          this.#finish((listener) => listener.complete());
        },
        error: (error) => {
          if (this.isEstablished || Array.isArray(error)) attempt.succeeded();
          else attempt.failed();
          this.#broken(error);
        },
      },
    );
  }

  #event(payload: unknown): void {
    if (this.#isEnded) return;
    if (hasNoData(payload)) return this.#fail({ kind: 'rejected', response: payload });
    this.#hasBegun = true;
    this.#attempts = 1;
    this.#lastEventId = eventIdOf(payload) ?? this.#lastEventId;
    const events = [...this.#listeners].map((listener, index) => {
      return { listener, event: index === 0 ? payload : structuredClone(payload) }; // completing an event writes into it
    });
    for (const { listener, event } of events) listener.event(event);
  }

  /** The connection broke, or could not be opened; or the subgraph rejected: then the error is a list. */
  #broken(error: unknown): void {
    if (this.#isEnded) return;
    if (Array.isArray(error))
      return this.#fail({ kind: 'rejected', response: { errors: error as unknown[] } });
    const cause = causeOf(error);
    this.#observer.interrupted(this.request.subgraph, cause);
    const wasEstablished = this.isEstablished;
    this.#subscription = undefined;
    if (wasEstablished) {
      this.#hasBegun = true;
      this.#attempts = 0;
      this.#tryUntilMs = Date.now() + RESUME_MS;
    }
    if (this.#hasBegun && this.#lastEventId === undefined && this.request.afterGap() === 'end')
      return this.#fail({ kind: 'interrupted', cause });
    this.#tryAgain(cause);
  }

  #tryAgain(cause: Error): void {
    const pauseMs = growingPauseMs(this.#attempts, RETRY);
    if (Date.now() + pauseMs > this.#tryUntilMs)
      return this.#fail({ kind: this.#hasBegun ? 'interrupted' : 'unreachable', cause });
    this.#pause = setTimeout(() => void this.#subscribe(), pauseMs);
  }

  #fail(ending: UpstreamFailure): void {
    this.#finish((listener) => listener.fail(ending));
  }

  #finish(notify: (listener: UpstreamListener) => void): void {
    if (this.#isEnded) return;
    const listeners = [...this.#listeners];
    this.#end();
    for (const listener of listeners) notify(listener);
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#pause);
    this.#subscription?.cancel();
    this.#listeners.clear();
    this.#observer.upstream(this.request.subgraph, -1);
    this.#onEnd();
  }
}

/** One attempt to subscribe, which counts in the circuit breaker once. */
class Attempt {
  readonly #breaker: CircuitBreaker | undefined;
  readonly #kind: SubgraphRequestKind;
  #isCounted = false;

  constructor(breaker: CircuitBreaker | undefined, kind: SubgraphRequestKind) {
    this.#breaker = breaker;
    this.#kind = kind;
  }

  /** The subgraph has responded. */
  succeeded(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#breaker?.succeeded(this.#kind);
  }

  /** There was no connection. */
  failed(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#breaker?.failed('at-once');
  }
}

/** What a WebSocket gives for an error is an event, or the code and reason of a close: logs have them beside the message. */
function causeOf(error: unknown): Error {
  if (error instanceof Error) return error;
  if (typeof error !== 'object' || error === null) return new Error(String(error));
  const { message, code, reason } = error as { message?: unknown; code?: unknown; reason?: unknown }; // read as unknown
  const text = [message, code, reason].filter((part) => part !== undefined && part !== '').join(' ');
  return Object.assign(new Error(text), { code, reason });
}

/** A response without `data` says that the operation was not executed. GraphQL §7.1. */
function hasNoData(payload: unknown): boolean {
  return typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'data');
}

function eventIdOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('extensions' in payload)) return undefined;
  return readEventId(payload.extensions);
}

/** The subscriptions that the gateway has at subgraphs: one for all requests with the same key. */
export class Upstreams {
  readonly #transports: UpstreamTransports;
  readonly #observer: StreamObserver;
  readonly #streams = new Map<string, UpstreamStream>();

  constructor(transports: UpstreamTransports, observer: StreamObserver) {
    this.#transports = transports;
    this.#observer = observer;
  }

  /** The stream of a request. It begins with its first listener. */
  streamOf(request: UpstreamRequest): UpstreamStream {
    const { key } = request;
    const known = this.#streams.get(key);
    if (known) return known;
    const stream = new UpstreamStream(request, this.#transports, this.#observer, () => this.#forget(stream));
    this.#streams.set(key, stream);
    return stream;
  }

  #forget(stream: UpstreamStream): void {
    const { key } = stream.request;
    if (this.#streams.get(key) === stream) this.#streams.delete(key);
  }
}
