import { explainTlsProblem } from './tls/tls-problem.ts';
import { decompress } from './decompress.ts';
import { MalformedRequest, type ExchangeHandler, type ResponseStart } from '@trellis/http1';
import { BodyBuffer } from './body-buffer.ts';
import type { SubgraphRequest, SubgraphResponse } from './subgraph-request.ts';
import { SubgraphFailure } from './subgraph-failure.ts';
import { timeLeftMs } from '../abort/deadline-signal.ts';
import { whenAborted } from '../abort/when-aborted.ts';

/** The bounds of a call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Where the whole request ends at that time, its end is reported before that of the call: timers are not that exact. */
const GRACE_MS = 100;

function graceMs({ signal }: SubgraphRequest, { timeoutMs }: CallLimits): number {
  return timeLeftMs(signal) <= timeoutMs ? GRACE_MS : 0;
}

/** One HTTP exchange. Settles `answer` once, at the earliest of answer, failure, time-out and abort. */
export class SubgraphCall implements ExchangeHandler {
  readonly response: Promise<SubgraphResponse>;
  readonly #request: SubgraphRequest;
  readonly #limits: CallLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #stopWatching: () => void;
  #resolve!: (response: SubgraphResponse | Promise<SubgraphResponse>) => void; // assigned by the promise's executor, which runs at once
  #reject!: (error: Error) => void;
  #abort: ((reason: Error) => void) | undefined;
  #ended: Error | undefined;
  #status = 0;
  #encoding: string | undefined;
  #cacheControl: string | undefined;
  #body: BodyBuffer | undefined;

  constructor(request: SubgraphRequest, limits: CallLimits) {
    this.#request = request;
    this.#limits = limits;
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

  responded({ status, length, encoding, cacheControl }: ResponseStart): void {
    this.#status = status;
    this.#encoding = encoding;
    this.#cacheControl = cacheControl;
    this.#body = new BodyBuffer(length);
    if (status >= 300 && status < 400)
      this.#end(this.#failure('redirect', 'answered with a redirect, which is not followed'));
    else if (length !== undefined && length > this.#limits.maxBytes) this.#end(this.#tooLarge());
  }

  received(bytes: Buffer): void {
    if (this.#ended || !this.#body) return;
    if (this.#body.length + bytes.length > this.#limits.maxBytes) this.#end(this.#tooLarge());
    else this.#body.add(bytes);
  }

  ended(): void {
    this.#release();
    const body = this.#body?.take() ?? Buffer.alloc(0);
    this.#resolve(
      this.#encoding === undefined ? this.#respondWith(body) : this.#decompressed(body, this.#encoding),
    );
  }

  failed(error: Error): void {
    this.#release();
    this.#reject(this.#ended ?? this.#failureOf(error));
  }

  #respondWith(body: Buffer): SubgraphResponse {
    return { status: this.#status, body, cacheControl: this.#cacheControl };
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
      ? this.#failure('unavailable', 'can not be asked with what was sent', error)
      : this.#failure('unreachable', 'could not be reached', explainTlsProblem(error));
  }

  #timedOut(): SubgraphFailure {
    return this.#failure('timeout', `did not answer within ${this.#limits.timeoutMs} ms`);
  }

  #tooLarge(): SubgraphFailure {
    return this.#failure('too-large', `answered more than ${this.#limits.maxBytes} bytes`);
  }

  #failure(kind: SubgraphFailure['kind'], what: string, cause?: Error): SubgraphFailure {
    const { subgraph } = this.#request;
    return new SubgraphFailure(subgraph, kind, `The subgraph "${subgraph}" ${what}.`, cause);
  }
}
