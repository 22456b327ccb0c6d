import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is answered to a connection that is not let in. */
export interface ConnectionRejection {
  readonly status: number;
  /** What the client may do. */
  readonly message?: string;
  readonly retryAfterS?: number;
}

/** Answers past everything that knows HTTP, and ends the connection. */
export function rejectConnection(
  socket: Duplex,
  { status, message, retryAfterS }: ConnectionRejection,
): void {
  const error = STATUS_CODES[status] ?? '';
  const body = message === undefined ? '' : JSON.stringify({ error, message });
  const retry = retryAfterS === undefined ? '' : `Retry-After: ${retryAfterS}\r\n`;
  const type = body === '' ? '' : 'Content-Type: application/json; charset=utf-8\r\n';
  const length = `Content-Length: ${body.length}\r\n`;
  socket.end(`HTTP/1.1 ${status} ${error}\r\n${retry}${type}Connection: close\r\n${length}\r\n${body}`);
}
