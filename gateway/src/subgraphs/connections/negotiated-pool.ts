import type { ExchangeHandler, ExchangeRequest } from '@trellis/http1';
import { exchangeOver } from '../http2/http2-exchange.ts';
import { Http2Pool } from '../http2/http2-pool.ts';
import { OnlyHttp1 } from '../http2/open-session.ts';
import { SecurePool } from './secure-pool.ts';
import type { TlsOptions } from '../tls/tls-options.ts';

/** What {@link NegotiatedPool} is opened with. */
export interface NegotiatedPoolOptions {
  readonly tls: TlsOptions;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
}

/** The connections to one origin over TLS, by the version of HTTP that it picks (RFC 7301). */
export class NegotiatedPool {
  readonly #origin: string;
  readonly #options: NegotiatedPoolOptions;
  readonly #http2: Http2Pool;
  /** Once the origin has picked HTTP/1.1. */
  #http1: SecurePool | undefined;

  constructor(origin: string, options: NegotiatedPoolOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#http2 = new Http2Pool(origin, { ...options, offersHttp1: true });
  }

  /** Sends a request; the handler is called with its outcome. Nothing is sent twice. */
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void {
    if (this.#http1) return this.#http1.dispatch(request, handler);
    this.#http2.session().then(
      (session) => exchangeOver(session, request, handler),
      (error: unknown) => {
        if (error instanceof OnlyHttp1) this.#overHttp1().dispatch(request, handler);
        else handler.failed(error as Error); // nothing else is thrown
      },
    );
  }

  /** Waits for what is in flight, then closes the sockets. */
  async close(): Promise<void> {
    await Promise.all([this.#http2.close(), this.#http1?.close()]);
  }

  #overHttp1(): SecurePool {
    return (this.#http1 ??= new SecurePool(this.#origin, this.#options));
  }
}
