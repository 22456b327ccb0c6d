import type { Socket } from 'node:net';
import { CONNECTION_FIELDS, isFieldName, isFieldValue, MESSAGE_FIELDS } from '../fields.ts';
import { MalformedRequest, type ExchangeRequest } from './exchange.ts';

/** A request, ready to be written. */
export interface RequestText {
  readonly head: string;
  readonly body: string;
  readonly isAscii: boolean;
}

/** What every request of a pool says. */
export interface RequestConstants {
  /** As the header `host` says it. */
  readonly host: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the header with the milliseconds for which the response is waited for. */
  readonly timeoutHeader: string;
}

/**
 * Makes a writer of requests, which throws MalformedRequest for a header that would end its line, or whose name is none.
 *
 * @throws MalformedRequest for such a header among the constants
 */
export function requestWriter(constants: RequestConstants): (request: ExchangeRequest) => RequestText {
  const { host, headers, timeoutHeader } = constants;
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers }).map(([name, value]) =>
    fieldLine(name, value),
  );
  const beginning = ` HTTP/1.1\r\n${lines.join('')}${timeoutHeader}: `;
  const ours = new Set([...CONNECTION_FIELDS, ...MESSAGE_FIELDS, ...Object.keys(headers), timeoutHeader]);
  return (request) => requestText(request, beginning, ours);
}

/** @param ours headers that the request may not say in another way */
function requestText(
  { path, headers, timeoutMs, body }: ExchangeRequest,
  beginning: string,
  ours: ReadonlySet<string>,
): RequestText {
  let head = `POST ${path}${beginning}${timeoutMs}\r\n`;
  for (const name of Object.keys(headers)) {
    if (!ours.has(name)) head += fieldLine(name, headers[name] as string); // an own key
  }
  const length = Buffer.byteLength(body);
  return { head: `${head}content-length: ${length}\r\n\r\n`, body, isAscii: length === body.length };
}

function fieldLine(name: string, value: string): string {
  assertHeader(name, value);
  return `${name}: ${value}\r\n`;
}

/** @throws MalformedRequest for a header that would end its line, or whose name is none */
export function assertHeader(name: string, value: string): void {
  if (!isFieldName(name) || !isFieldValue(value))
    throw new MalformedRequest('A header of a request is malformed.');
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
