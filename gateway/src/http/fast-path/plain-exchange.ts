import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ShareKeys } from '@trellis/admission';
import { CLIENT_CLOSED, gatewayErrorCodes, rejected } from '../../errors.ts';
import { DeadlineSignal } from '../../abort/deadline-signal.ts';
import type { HttpExchange, RequestSignal } from '../message/http-exchange.ts';

/** Settings of {@link PlainExchange}. */
export interface PlainExchangeOptions {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Milliseconds to the first byte of the response. */
  readonly timeoutMs: number;
}

/** A plain request that is being answered. */
export class PlainExchange implements HttpExchange {
  readonly id: string = randomUUID();
  readonly method = 'POST';
  readonly proof = undefined;
  readonly certificate = undefined;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Whose place it has among the requests that are answered now; absent where it has none. */
  place: ShareKeys | undefined = undefined;
  readonly #startedAt = performance.now();
  readonly #options: PlainExchangeOptions;
  #signal: DeadlineSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;

  constructor(options: PlainExchangeOptions) {
    this.#options = options;
    this.headers = options.headers;
    this.address = options.address;
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  watch(): RequestSignal {
    const { timeoutMs } = this.#options;
    const signal = new DeadlineSignal(timeoutMs);
    this.#signal = signal;
    this.#timer = setTimeout(() => {
      signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
    }, timeoutMs);
    return { signal, settle: () => this.settle() };
  }

  /** The response is complete. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#signal?.clearDeadline();
  }

  /** The client has gone. */
  abandon(): void {
    this.settle();
    this.#signal?.abort(CLIENT_CLOSED);
  }
}
