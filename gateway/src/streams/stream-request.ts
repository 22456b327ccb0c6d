import type { IncomingHttpHeaders } from 'node:http';

/** A POST whose response may be a stream. */
export interface StreamRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends it at any time. */
  readonly signal: AbortSignal;
  /** Without a byte, before the response and within it, after which it fails, milliseconds. */
  readonly idleMs: number;
}

/** Its response, whose body is read by who needs it. */
export interface StreamResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}
