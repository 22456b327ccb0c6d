import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { PendingResponses } from './pending-responses.ts';

/** What Node could not read, by the code of its error; else the request is no HTTP. */
const REJECTIONS: ReadonlyMap<string, readonly [status: number, message: string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request took too long to arrive.']],
  ['HPE_HEADER_OVERFLOW', [431, 'The headers of the request are too large.']],
]);

/**
 * Answers what is no request that can be read, and ends the connection: the response says not to use it again. While an earlier
 * request is being answered it only ends the connection, because clients would take the rejection for that response. RFC 9112 §9.6.
 */
export function rejectMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  pending: PendingResponses,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = REJECTIONS.get(error.code ?? '') ?? [400, 'The request is not well-formed.'];
  const body = JSON.stringify({ error: STATUS_CODES[status], message });
  if (socket.writable && pending.isTurnOfNext(socket))
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  socket.destroy(error);
}
