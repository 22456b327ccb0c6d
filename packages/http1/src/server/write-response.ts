import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { isFieldValue } from '../fields.ts';
import { PIECE_BYTES } from './write-in-pieces.ts';

/** A response that goes out whole. */
export interface WholeResponse {
  readonly status: number;
  /** Names in lower case; without those of the framing. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Seconds, as `Date` has them. */
let dateOf = 0;
let date = '';

/**
 * Writes a response; of a large one, its head, which waits for the first piece: then the socket is to be uncorked.
 *
 * @param keepAliveS seconds for which the connection stays open after it; absent where it ends
 * @returns the body where it is large, and still to be written
 * @throws TypeError for a header that would end its line
 * @see RFC 9112 §4, §6.2, §9.3; RFC 9110 §6.6.1
 */
export function writeResponse(
  socket: Socket,
  { status, headers, body }: WholeResponse,
  keepAliveS: number | undefined,
): Buffer | undefined {
  const length = Buffer.byteLength(body);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string; // an own key: they are made by literals
    if (!isFieldValue(value)) throw new TypeError(`The header ${name} of a response is malformed.`);
    head += `${name}: ${value}\r\n`;
  }
  const connection = keepAliveS === undefined ? 'close' : `keep-alive\r\nkeep-alive: timeout=${keepAliveS}`;
  head += `content-length: ${length}\r\ndate: ${dateNow()}\r\nconnection: ${connection}\r\n\r\n`;
  if (length > PIECE_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    return typeof body === 'string' ? Buffer.from(body) : body;
  }
  if (typeof body === 'string') {
    socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
    return undefined;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body);
  socket.uncork();
  return undefined;
}

function dateNow(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== dateOf) {
    dateOf = now;
    date = new Date(now * 1_000).toUTCString();
  }
  return date;
}
