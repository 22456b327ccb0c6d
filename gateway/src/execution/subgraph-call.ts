import type { Dispatcher } from 'undici';
import type { SubgraphRequest } from './subgraph-request.ts';
import { SubgraphFailure } from './subgraph-failure.ts';

/** What came back, still compressed. */
export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Absent: not compressed. */
  readonly encoding: string | undefined;
  /** The value of `Cache-Control`. */
  readonly cacheControl: string | undefined;
}

/** The bounds of a call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** One HTTP exchange. Settles `answer` once, at the earliest of answer, failure, time-out and abort. */
export class SubgraphCall implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawAnswer>;
  readonly #request: SubgraphRequest;
  readonly #limits: CallLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort: () => void;
  #resolve!: (answer: RawAnswer) => void; // assigned by the promise's executor, which runs at once
  #reject!: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #ended: Error | undefined;
  #status = 0;
  #bytes = 0;
  #encoding: string | undefined;
  #cacheControl: string | undefined;

  constructor(request: SubgraphRequest, limits: CallLimits) {
    this.#request = request;
    this.#limits = limits;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#end(this.#timedOut()), limits.timeoutMs);
    this.#onAbort = () => this.#end(request.signal.reason as Error);
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(this.#ended); // it was still waiting for a socket
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    if (status >= 300 && status < 400) {
      this.#end(this.#failure('redirect', 'answered with a redirect, which is not followed'));
      return;
    }
    const encoding = headers['content-encoding'];
    this.#encoding = encoding === undefined || encoding === 'identity' ? undefined : String(encoding);
    this.#cacheControl = headers['cache-control']?.toString();
    const length = Number(headers['content-length']);
    if (length > this.#limits.maxBytes) this.#end(this.#tooLarge());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBytes) this.#end(this.#tooLarge());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    const [only] = this.#chunks;
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#bytes);
    this.#resolve({ status: this.#status, body, encoding: this.#encoding, cacheControl: this.#cacheControl });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    this.#reject(this.#ended ?? this.#failure('unreachable', 'could not be reached', error));
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#chunks.length = 0;
    this.#release();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
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
