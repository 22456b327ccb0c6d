import type { Readable } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import { assertHeader, ParsedFields, type ExchangeHandler, type ExchangeRequest } from '@trellis/http1';
import { REQUEST_HEADERS, TIMEOUT_HEADER } from '../../settings/header-names.ts';
import type { TlsOptions } from '../tls/tls-options.ts';

/** What {@link SecurePool} is opened with. */
export interface SecurePoolOptions {
  readonly tls: TlsOptions;
  /** More requests than connections wait. */
  readonly maxConnections: number;
  /** After which a connection that is not open is given up. */
  readonly connectTimeoutMs: number;
}

/** A body that is sent while it arrives. */
export interface StreamedBody {
  readonly contentType: string;
  readonly bytes: Readable;
}

/** A request whose body may be sent while it arrives. */
export interface StreamableRequest extends ExchangeRequest {
  /** In the place of the body. */
  readonly streamed?: StreamedBody | undefined;
}

/** The keep-alive connections to one origin over HTTP/1.1 and TLS, or of bodies that are streamed. */
export class SecurePool {
  readonly #pool: Pool;

  constructor(origin: string, { tls, maxConnections, connectTimeoutMs }: SecurePoolOptions) {
    // A request has one time limit of its own, from beginning to end: a slow drip would never meet undici's.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    const connect = { ...tls, timeout: connectTimeoutMs };
    this.#pool = new Pool(origin, { ...limits, connect, connections: maxConnections });
  }

  /** Sends a request; the handler is called with its outcome. Nothing is sent twice. */
  dispatch(request: StreamableRequest, handler: ExchangeHandler): void {
    const { path, timeoutMs, body, streamed } = request;
    const headers = {
      ...request.headers,
      ...REQUEST_HEADERS,
      ...(streamed && { 'content-type': streamed.contentType }),
      [TIMEOUT_HEADER]: String(timeoutMs),
    };
    try {
      for (const [name, value] of Object.entries(headers)) assertHeader(name, value);
    } catch (error) {
      return handler.failed(error as Error); // a MalformedRequest
    }
    const sent = streamed?.bytes ?? body;
    this.#pool.dispatch({ path, method: 'POST', headers, body: sent }, dispatchHandler(handler));
  }

  /** Waits for what is in flight, then closes the sockets. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

function dispatchHandler(handler: ExchangeHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      const isWanted = handler.started((reason) => controller.abort(reason));
      if (!isWanted) controller.abort(new Error('The request was aborted.'));
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      const length = headers['content-length'];
      const encoding = headers['content-encoding'];
      handler.responded({
        status,
        length: length === undefined ? undefined : Number(length),
        encoding: encoding === undefined || encoding === 'identity' ? undefined : String(encoding),
        cacheControl: headers['cache-control']?.toString(),
        fields: new ParsedFields(headers),
      });
    },
    onResponseData: (_controller, chunk) => handler.received(chunk),
    onResponseEnd: () => handler.ended(),
    onResponseError: (_controller, error) => handler.failed(error),
  };
}
