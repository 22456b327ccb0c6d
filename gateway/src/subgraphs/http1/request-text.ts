import type { Socket } from 'node:net';
import { TIMEOUT_HEADER } from '../../settings/header-names.ts';
import { FIXED_HEADERS, MalformedRequest, type ExchangeRequest } from './exchange.ts';

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Those of the message and of the connection, and those that every request has, are set here alone. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...Object.keys(FIXED_HEADERS),
  TIMEOUT_HEADER,
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const FIXED_LINES = Object.entries({ connection: 'keep-alive', ...FIXED_HEADERS })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** A request, ready to be written. */
export interface RequestText {
  readonly head: string;
  readonly body: string;
  readonly isAscii: boolean;
}

/**
 * Makes the text of a request.
 *
 * @param host as the header `host` says it
 * @throws MalformedRequest for a header that would end its line, or whose name is none
 */
export function requestText({ path, headers, timeoutMs, body }: ExchangeRequest, host: string): RequestText {
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${FIXED_LINES}${TIMEOUT_HEADER}: ${timeoutMs}\r\n`;
  for (const name of Object.keys(headers)) {
    if (OWN_HEADERS.has(name)) continue;
    const value = headers[name] as string; // an own key
    assertHeader(name, value);
    head += `${name}: ${value}\r\n`;
  }
  const length = Buffer.byteLength(body);
  return { head: `${head}content-length: ${length}\r\n\r\n`, body, isAscii: length === body.length };
}

/** @throws MalformedRequest */
export function assertHeader(name: string, value: string): void {
  if (!HEADER_NAME.test(name) || NOT_IN_A_VALUE.test(value))
    throw new MalformedRequest('A header for a subgraph is malformed.');
}

/** Writes at once: header values are Latin-1, a body is UTF-8, and ASCII is both. */
export function writeRequest(socket: Socket, { head, body, isAscii }: RequestText): void {
  if (isAscii) {
    socket.write(head + body, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body, 'utf8');
  socket.uncork();
}
