import { areFieldLines } from '../fields.ts';
import { BrokenResponse, type HeadField, type HeadFields, type ResponseStart } from './exchange.ts';

/** How the end of a body is found. RFC 9112 §6.3. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'until-close';

/** What a response says before its body. */
export interface ResponseHead extends ResponseStart {
  readonly framing: BodyFraming;
  /** Whether another request may follow on the connection. */
  readonly keepsAlive: boolean;
  /** Milliseconds for which the server says that it keeps an idle connection. */
  readonly idleMs: number | undefined;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the lines before a body. It accepts nothing that two readers could understand in two ways: neither a second length, nor
 * a length beside an encoding of the transfer, nor a line that goes on in the next, nor a control character.
 *
 * @param text without the empty line at the end
 * @throws BrokenResponse
 * @see RFC 9112 §4, §5, §6
 */
export function parseHead(text: string): ResponseHead {
  const end = text.indexOf('\r\n');
  const first = end === -1 ? text : text.slice(0, end);
  const [, minor, digits] = STATUS_LINE.exec(first) ?? [];
  if (digits === undefined) throw new BrokenResponse('The status line is malformed.');
  const lines = text.slice(first.length);
  const fields = readFields(lines);
  const status = Number(digits);
  const framing = framingOf(status, minor === '1', fields);
  const isClosing = minor === '0' || framing === 'until-close' || isAmbiguous(status, fields);
  const length = fields.contentLength;
  return {
    status,
    framing,
    length: length === undefined ? undefined : Number(length),
    encoding: encodingOf(fields.contentEncoding),
    cacheControl: fields.cacheControl,
    keepsAlive: !isClosing && !saysClose(fields.connection),
    idleMs: idleMsOf(fields.keepAlive),
    fields: new FieldLines(lines),
  };
}

/** Lines of fields, read once more by who wants one that the exchange does not depend on. */
class FieldLines implements HeadFields {
  readonly #lines: string;

  /** @param lines checked, each with its beginning */
  constructor(lines: string) {
    this.#lines = lines;
  }

  pick(names: Pick<ReadonlySet<string>, 'has'>): readonly HeadField[] {
    const picked: HeadField[] = [];
    for (const line of this.#lines.split('\r\n')) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      if (colon > 0 && names.has(name))
        picked.push({ name, value: withoutSpaceAround(line, colon + 1, line.length) });
    }
    return picked;
  }
}

/** The fields that the exchange depends on; all others are passed over. */
class Fields {
  contentLength: string | undefined = undefined;
  transferEncoding: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  cacheControl: string | undefined = undefined;
  connection: string | undefined = undefined;
  keepAlive: string | undefined = undefined;
}

const FIELD_NAMES: readonly string[] = [
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'cache-control',
  'connection',
  'keep-alive',
];
/** A tab around their values is no blank to every reader. */
const FRAMING_NAMES: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
const LENGTHS_OF_NAMES: ReadonlySet<number> = new Set(FIELD_NAMES.map(({ length }) => length));

/**
 * @param lines of a head or of trailers, each with its beginning
 * @throws BrokenResponse
 * @see RFC 9112 §5
 */
export function assertFieldLines(lines: string): void {
  if (!areFieldLines(lines)) throw new BrokenResponse('A header is malformed.');
}

/** @param lines each with its beginning */
function readFields(lines: string): Fields {
  assertFieldLines(lines);
  const fields = new Fields();
  for (let start = lines.length === 0 ? -1 : 0; start !== -1;) {
    const from = start + 2;
    const colon = lines.indexOf(':', from);
    start = lines.indexOf('\r\n', from);
    if (!LENGTHS_OF_NAMES.has(colon - from)) continue;
    const end = start === -1 ? lines.length : start;
    const name = lines.slice(from, colon).toLowerCase();
    if (FRAMING_NAMES.has(name) && lines.slice(colon, end).includes('\t'))
      throw new BrokenResponse('The length is malformed.');
    addField(fields, name, withoutSpaceAround(lines, colon + 1, end));
  }
  return fields;
}

/** Space and tab alone: what else looks like a space belongs to the value. RFC 9110 §5.6.3. */
function withoutSpaceAround(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function addField(fields: Fields, name: string, value: string): void {
  switch (name) {
    case 'content-length':
      if (!LENGTH.test(value) || fields.contentLength !== undefined)
        throw new BrokenResponse('The length is malformed.');
      fields.contentLength = value;
      return;
    case 'transfer-encoding':
      fields.transferEncoding = listed(fields.transferEncoding, value);
      return;
    case 'content-encoding':
      fields.contentEncoding = listed(fields.contentEncoding, value);
      return;
    case 'cache-control':
      fields.cacheControl = listed(fields.cacheControl, value);
      return;
    case 'connection':
      fields.connection = listed(fields.connection, value);
      return;
    case 'keep-alive':
      fields.keepAlive = listed(fields.keepAlive, value);
      return;
    default:
  }
}

/** A repeated field is one list. RFC 9110 §5.3. */
function listed(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

function framingOf(status: number, isCurrent: boolean, fields: Fields): BodyFraming {
  const transfer = fields.transferEncoding;
  if (transfer !== undefined && fields.contentLength !== undefined)
    throw new BrokenResponse('The length is malformed: there are two.');
  if (isBodiless(status)) return 'none';
  if (transfer !== undefined) {
    if (transfer.toLowerCase() !== 'chunked' || !isCurrent)
      throw new BrokenResponse('The encoding of the transfer is not known.');
    return 'chunked';
  }
  if (fields.contentLength === undefined) return 'until-close';
  return fields.contentLength === '0' ? 'none' : 'length';
}

/** Those that end with their head, whatever it says of a body. RFC 9112 §6.3 */
function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

/** Whether more could follow by its head than the standard says: other readers might wait for it. */
function isAmbiguous(status: number, { contentLength = '0', transferEncoding }: Fields): boolean {
  return isBodiless(status) && (contentLength !== '0' || transferEncoding !== undefined);
}

function encodingOf(value: string | undefined): string | undefined {
  const encoding = value?.toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

function saysClose(connection: string | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false; // nearly always
  return /(?:^|[\s,])close(?:[\s,]|$)/i.test(connection);
}

function idleMsOf(keepAlive: string | undefined): number | undefined {
  if (keepAlive === undefined) return undefined;
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(keepAlive) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

const MAX_HEADS = 4;
/** Characters. Larger heads are rare, and are read each time. */
const MAX_LENGTH = 1_024;

interface CachedHead {
  readonly text: string;
  readonly head: ResponseHead;
}

/**
 * Reads the heads of one server's responses. Those that come one after the other are often the same to the letter: such a
 * head is not read again. What is said of one depends on nothing but its text.
 */
export class RecentHeads {
  readonly #heads: CachedHead[] = [];
  #oldest = 0;

  /**
   * @param text as of {@link parseHead}
   * @throws BrokenResponse
   */
  read(text: string): ResponseHead {
    for (let index = 0; index < this.#heads.length; index += 1) {
      const recent = this.#heads[index];
      if (recent?.text === text) return recent.head;
    }
    const head = parseHead(text);
    if (text.length <= MAX_LENGTH) this.#keep(text, head);
    return head;
  }

  #keep(text: string, head: ResponseHead): void {
    this.#heads[this.#oldest] = { text, head };
    this.#oldest = (this.#oldest + 1) % MAX_HEADS;
  }
}
