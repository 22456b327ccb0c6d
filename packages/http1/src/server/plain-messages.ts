import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { CONNECTION_FIELDS, isFieldValue } from '../fields.ts';
import { AsciiText } from './ascii-text.ts';

/** A POST that has arrived as a whole and needs no closer look. */
export interface PlainRequest {
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Which requests are taken. */
export interface PlainRequestRules {
  readonly paths: ReadonlySet<string>;
  /** Bytes. */
  readonly maxBodyBytes: number;
  readonly maxHeaders: number;
  /** Names of headers, in lower case, with which requests are left to others. */
  readonly without: ReadonlySet<string>;
  /** Whether a request is to be answered in a form that is sent whole. */
  readonly takes: (request: Pick<PlainRequest, 'headers'>) => boolean;
}

/** Longer heads are rare, and cost their senders more than this server saves. */
const MAX_HEAD_BYTES = 8_192;
const REQUEST_LINE = /^POST ([!-~]{1,256}) HTTP\/1\.1$/;
const NAME = /^[a-z0-9-]{1,64}$/;
/** Visible characters, with blanks between them: what else may be in a value, servers disagree about. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
const LENGTH = /^[1-9][0-9]{0,8}$/;

/** Headers that make a request more than a plain one for every caller: framing, upgrades, and hop-by-hop fields. */
const NEVER_PLAIN: ReadonlySet<string> = new Set(
  [...CONNECTION_FIELDS, 'content-encoding', 'expect'].filter((name) => name !== 'connection'),
);

/** Names that nearly all clients send, as they mostly write them: what is known of them need not be found out. */
const COMMON_NAMES: ReadonlyMap<string, string> = new Map(
  [
    'accept',
    'accept-encoding',
    'accept-language',
    'apollographql-client-name',
    'apollographql-client-version',
    'authorization',
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'cookie',
    'host',
    'origin',
    'referer',
    'traceparent',
    'user-agent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-request-id',
  ].flatMap((name) => [[name, name] as const, [name.replaceAll(/\b[a-z]/g, upperCase), name] as const]),
);

function upperCase(letter: string): string {
  return letter.toUpperCase();
}

/**
 * Reads a request of the plainest form: one POST of HTTP/1.1 with a Content-Length, whole and alone in what has arrived, each
 * header there once and in characters that everybody reads alike. It accepts less than the standard does, and nothing that the
 * standard does not: what is not taken is for a server that knows the rest.
 *
 * @returns nothing where it is anything else
 * @see RFC 9112 §3, §5, §6.2
 */
export function readPlainRequest(bytes: Buffer, rules: PlainRequestRules): PlainRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', 0, 'latin1');
  if (headEnd < 0 || headEnd > MAX_HEAD_BYTES) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const lineEnd = head.indexOf('\r\n');
  const path = REQUEST_LINE.exec(lineEnd < 0 ? head : head.slice(0, lineEnd))?.[1];
  if (path === undefined || !rules.paths.has(path)) return undefined;
  const headers = readHeaders(head, lineEnd + 2, rules);
  if (!headers || !isComplete(headers)) return undefined;
  const length = Number(headers['content-length']);
  const body = bytes.subarray(headEnd + 4);
  if (body.length !== length || length > rules.maxBodyBytes || !rules.takes({ headers })) return undefined;
  return { path, headers, body };
}

function isComplete({ host, connection, 'content-length': length = '' }: IncomingHttpHeaders): boolean {
  if (host === undefined || !LENGTH.test(length)) return false;
  return connection === undefined || connection.toLowerCase() === 'keep-alive';
}

function readHeaders(
  head: string,
  start: number,
  { without, maxHeaders }: PlainRequestRules,
): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = {};
  let count = 0;
  let at = start;
  while (at < head.length) {
    const lineEnd = head.indexOf('\r\n', at);
    const end = lineEnd < 0 ? head.length : lineEnd;
    const colon = head.indexOf(':', at);
    if (colon < 0 || colon > end) return undefined;
    const name = plainName(head.slice(at, colon));
    const value = head.slice(head[colon + 1] === ' ' ? colon + 2 : colon + 1, end);
    if (name === undefined || !VALUE.test(value)) return undefined;
    if (without.has(name) || Object.hasOwn(headers, name)) return undefined;
    headers[name] = value;
    count += 1;
    at = end + 2;
  }
  return count <= maxHeaders ? headers : undefined;
}

/** @returns in lower case; nothing for what is no name, or makes a request more than a plain one */
function plainName(given: string): string | undefined {
  const common = COMMON_NAMES.get(given);
  if (common !== undefined) return common;
  const name = given.toLowerCase();
  return NAME.test(name) && !NEVER_PLAIN.has(name) ? name : undefined;
}

/** A response that goes out whole. */
export interface WholeResponse {
  readonly status: number;
  /** Names in lower case; without those of the framing. Of a list each is a line of its own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: WholeBody;
}

/** A body that is known before it is sent. */
export type WholeBody = string | Buffer | AsciiText;

/** Bytes of a body when it goes out. */
export function byteLengthOf(body: WholeBody): number {
  return body instanceof AsciiText ? body.length : Buffer.byteLength(body);
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
): WholeBody | undefined {
  const length = byteLengthOf(body);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string | readonly string[]; // an own key: they are made by literals
    if (typeof value === 'string') head += responseLine(name, value);
    else for (const one of value) head += responseLine(name, one);
  }
  const connection = keepAliveS === undefined ? 'close' : `keep-alive\r\nkeep-alive: timeout=${keepAliveS}`;
  head += `content-length: ${length}\r\ndate: ${dateNow()}\r\nconnection: ${connection}\r\n\r\n`;
  if (length > PIECE_BYTES || body instanceof AsciiText) {
    socket.cork();
    socket.write(head, 'latin1');
    return largeBody(body, length);
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

function responseLine(name: string, value: string): string {
  if (!isFieldValue(value)) throw new TypeError(`The header ${name} of a response is malformed.`);
  return `${name}: ${value}\r\n`;
}

function dateNow(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== dateOf) {
    dateOf = now;
    date = new Date(now * 1_000).toUTCString();
  }
  return date;
}

/** Larger responses are written piece by piece, so that it is seen how fast their client reads. */
export const PIECE_BYTES = 131_072;

/**
 * What is written in pieces of a body. One that is a byte a character stays text: memory beside V8's heap would bring its next
 * full garbage collection nearer, while the copy of a piece that goes to the system is not counted, and freed at once.
 *
 * @param length its bytes
 */
export function largeBody(body: WholeBody, length: number): WholeBody {
  return typeof body === 'string' && length > body.length ? Buffer.from(body) : body;
}

/**
 * Writes a body a piece at a time, each when the one before has been taken.
 *
 * @param body at least one byte; text has one byte a character: see {@link largeBody}
 * @param onWritten called when all have been taken, never at once; not at all where the connection ends first
 */
export function writeInPieces(target: Writable, body: WholeBody, onWritten: () => void): void {
  const pieces = piecesOf(body);
  let next = pieces.next();
  let waiting = 0;
  const onTaken = (error?: Error | null): void => {
    waiting -= 1;
    if (waiting > 0 || error || target.destroyed) return;
    if (next.done) onWritten();
    else goOn();
  };
  /** What the system takes at once needs no turn of the event loop before the next. */
  const goOn = (): void => {
    do {
      if (next.done) return;
      waiting += 1;
      if (typeof next.value === 'string') target.write(next.value, 'latin1', onTaken);
      else target.write(next.value, onTaken);
      next = pieces.next();
    } while (target.writableLength === 0);
  };
  goOn();
}

function* piecesOf(body: WholeBody): Generator<string | Buffer, void> {
  if (body instanceof AsciiText) yield* body.pieces;
  else
    for (let at = 0; at < body.length; at += PIECE_BYTES)
      yield typeof body === 'string' ? body.slice(at, at + PIECE_BYTES) : body.subarray(at, at + PIECE_BYTES);
}
