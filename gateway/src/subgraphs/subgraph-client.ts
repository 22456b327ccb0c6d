import {
  BodyBuffer,
  BodyMemory,
  MalformedRequest,
  type ExchangeHandler,
  type HeadField,
  type ResponseStart,
} from '@trellis/http1';
import { fillIn } from '../settings/fill-in.ts';
import { subgraphConnections } from '../settings/subgraph-connections.ts';
import { timeouts } from '../settings/timeouts.ts';
import { subgraphRequests } from '../settings/traffic.ts';
import { SubgraphConnections } from './connections/subgraph-connections.ts';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';
import { explainTlsProblem } from './tls/tls-problem.ts';
import { decompress } from './decompress.ts';
import { timeLeftMs, whenAborted } from '../abort/deadline-signal.ts';

export type {
  SubgraphClient,
  SubgraphHeaders,
  SubgraphRequest,
  SubgraphResponse,
} from './subgraph-request.ts';

/** Settings of {@link createSubgraphClient}. */
interface SubgraphClientOptions {
  /** From sending to the last byte of the response, milliseconds. @default that of the setting `timeouts.subgraphMs` */
  readonly timeoutMs?: number | undefined;
  /** The largest response, before and after decompression. @default that of the setting `traffic.responseBytes` */
  readonly maxResponseBytes?: number | undefined;
  /** What is connected to, and how. @default as where no setting is given */
  readonly connections?: SubgraphConnections | undefined;
}

/** Sockets to one origin where no connections are given; more requests wait for one. */
const MAX_CONNECTIONS = 256;

/**
 * Sends subgraph requests over HTTP/1.1 or HTTP/2, by the rules of each subgraph, with keep-alive sockets. Redirects are never followed, and
 * nothing is sent twice.
 */
export function createSubgraphClient(options: SubgraphClientOptions = {}): SubgraphClient {
  const defaults = {
    timeoutMs: options.timeoutMs ?? timeouts.members.subgraphMs.default,
    maxBytes: options.maxResponseBytes ?? subgraphRequests.responseBytes.default,
  };
  const connections = options.connections ?? openDefault(defaults.timeoutMs);
  const memory = new BodyMemory();
  const targets = new ExchangeTargets();

  return {
    send(request) {
      if (request.signal.aborted) return Promise.reject(request.signal.reason as Error);
      const target = targets.of(request);
      if (target instanceof SubgraphFailure) return Promise.reject(target);
      const { timeoutMs = defaults.timeoutMs, maxBytes = defaults.maxBytes } = request;
      const exchange = new SubgraphExchange(request, { timeoutMs, maxBytes }, memory);
      const { headers, body, streamed } = request;
      const ruled = connections.of(request.subgraph);
      const sent = { path: target.path, headers, timeoutMs, body };
      if (streamed) ruled.uploadPoolOf(target.origin).dispatch({ ...sent, streamed }, exchange);
      else ruled.poolOf(target.origin).dispatch(sent, exchange);
      return exchange.response;
    },
    close: () => connections.close(),
  };
}

function openDefault(connectTimeoutMs: number): SubgraphConnections {
  const settings = fillIn(subgraphConnections.members, {});
  return new SubgraphConnections(settings, { maxConnections: MAX_CONNECTIONS, connectTimeoutMs });
}

interface ExchangeTarget {
  readonly origin: string;
  readonly path: string;
}

/** More than subgraphs have addresses. */
const MAX_TARGETS = 1_000;

/** The addresses that a client sends requests to, each parsed once. The oldest ones make room; all end with the client. */
class ExchangeTargets {
  readonly #byUrl = new Map<string, ExchangeTarget>();

  of({ url, subgraph }: SubgraphRequest): ExchangeTarget | SubgraphFailure {
    return this.#byUrl.get(url) ?? this.#parse(url, subgraph);
  }

  #parse(url: string, subgraph: string): ExchangeTarget | SubgraphFailure {
    const target = parseTarget(url);
    if (!target)
      return new SubgraphFailure(
        subgraph,
        'unreachable',
        `The subgraph "${subgraph}" has an invalid address.`,
      );
    const [oldest] = this.#byUrl.keys();
    if (oldest !== undefined && this.#byUrl.size >= MAX_TARGETS) this.#byUrl.delete(oldest);
    this.#byUrl.set(url, target);
    return target;
  }
}

function parseTarget(url: string): ExchangeTarget | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined;
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` };
}

/** The bounds of one exchange. */
interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Where the whole request ends at that time, its end is reported before that of the exchange: timers are not that exact. */
const GRACE_MS = 100;

function graceMs({ signal }: SubgraphRequest, { timeoutMs }: ExchangeLimits): number {
  return timeLeftMs(signal) <= timeoutMs ? GRACE_MS : 0;
}

/** One HTTP exchange. Settles `response` once, at the earliest of response, failure, time-out and abort. */
class SubgraphExchange implements ExchangeHandler {
  readonly response: Promise<SubgraphResponse>;
  readonly #request: SubgraphRequest;
  readonly #limits: ExchangeLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #stopWatching: () => void;
  #resolve!: (response: SubgraphResponse | Promise<SubgraphResponse>) => void; // assigned by the promise's executor, which runs at once
  #reject!: (error: Error) => void;
  #abort: ((reason: Error) => void) | undefined;
  #ended: Error | undefined;
  #status = 0;
  #encoding: string | undefined;
  #cacheControl: string | undefined;
  #fields: readonly HeadField[] | undefined;
  #body: BodyBuffer | undefined;
  readonly #memory: BodyMemory;

  constructor(request: SubgraphRequest, limits: ExchangeLimits, memory: BodyMemory) {
    this.#request = request;
    this.#limits = limits;
    this.#memory = memory;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#end(this.#timedOut()), limits.timeoutMs + graceMs(request, limits));
    this.#stopWatching = whenAborted(request.signal, () => this.#end(request.signal.reason as Error));
  }

  started(abort: (reason: Error) => void): boolean {
    if (this.#ended) return false; // it was still waiting for a socket
    this.#abort = abort;
    return true;
  }

  responded({ status, length, encoding, cacheControl, fields }: ResponseStart): void {
    this.#status = status;
    this.#encoding = encoding;
    this.#cacheControl = cacheControl;
    if (this.#request.wanted) this.#fields = fields.pick(this.#request.wanted);
    this.#body = new BodyBuffer(this.#memory, length);
    if (status >= 300 && status < 400)
      this.#end(this.#failure('redirect', 'responded with a redirect, which is not followed'));
    else if (length !== undefined && length > this.#limits.maxBytes) this.#end(this.#tooLarge());
  }

  received(bytes: Buffer): void {
    if (this.#ended || !this.#body) return;
    if (this.#body.length + bytes.length > this.#limits.maxBytes) this.#end(this.#tooLarge());
    else this.#body.add(bytes);
  }

  ended(): void {
    this.#release();
    const received = this.#body;
    const body = received?.take() ?? Buffer.alloc(0);
    this.#resolve(
      this.#encoding === undefined
        ? this.#respondWith(body, received?.releaser)
        : this.#decompressed(body, this.#encoding),
    );
  }

  failed(error: Error): void {
    this.#release();
    this.#reject(this.#ended ?? this.#failureOf(error));
  }

  #respondWith(body: Buffer, release?: () => void): SubgraphResponse {
    return { status: this.#status, body, cacheControl: this.#cacheControl, fields: this.#fields, release };
  }

  async #decompressed(body: Buffer, encoding: string): Promise<SubgraphResponse> {
    return this.#respondWith(await decompress(this.#request.subgraph, body, encoding, this.#limits.maxBytes));
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#body = undefined;
    this.#release();
    this.#reject(error);
    this.#abort?.(error);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#stopWatching();
  }

  /** An invalid client request must not make a subgraph look unavailable. */
  #failureOf(error: Error): SubgraphFailure {
    return error instanceof MalformedRequest
      ? this.#failure('unavailable', 'can not be sent this request', error)
      : this.#failure('unreachable', 'could not be reached', explainTlsProblem(error));
  }

  #timedOut(): SubgraphFailure {
    return this.#failure('timeout', `did not respond within ${this.#limits.timeoutMs} ms`);
  }

  #tooLarge(): SubgraphFailure {
    return this.#failure('too-large', `sent more than ${this.#limits.maxBytes} bytes`);
  }

  #failure(kind: SubgraphFailure['kind'], what: string, cause?: Error): SubgraphFailure {
    const { subgraph } = this.#request;
    return new SubgraphFailure(subgraph, kind, `The subgraph "${subgraph}" ${what}.`, cause);
  }
}
