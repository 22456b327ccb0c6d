import { BrokenResponse, type ResponseStart } from './exchange.ts';

/** How the end of a body is found. RFC 9112 §6.3. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'until-close';

/** What a response says before its body. */
export interface ResponseHead extends ResponseStart {
  readonly framing: BodyFraming;
  /** Whether another request may follow on the connection. */
  readonly keepsAlive: boolean;
  /** Milliseconds for which the subgraph says that it keeps an idle connection. */
  readonly idleMs: number | undefined;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
/** The lines after the first, each with its beginning. */
const HEADER_LINES = /^(?:\r\n[a-z0-9!#$%&'*+.^_`|~-]+:[^\r\n]*)*$/i;
const SPACE_AROUND = /^[ \t]+|[ \t]+$/g;
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the lines before a body. It takes nothing that two readers could understand in two ways: neither a second length, nor
 * a length beside an encoding of the transfer, nor a line that goes on in the next.
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
  const fields = readFields(text.slice(first.length));
  const status = Number(digits);
  const framing = framingOf(status, minor === '1', fields);
  const length = fields['content-length'];
  return {
    status,
    framing,
    length: length === undefined ? undefined : Number(length),
    encoding: encodingOf(fields['content-encoding']),
    cacheControl: fields['cache-control'],
    keepsAlive: minor === '1' && framing !== 'until-close' && !saysClose(fields.connection),
    idleMs: idleMsOf(fields['keep-alive']),
  };
}

/** The fields that the exchange depends on; all others are passed over. */
interface Fields {
  'content-length'?: string;
  'transfer-encoding'?: string;
  'content-encoding'?: string;
  'cache-control'?: string;
  connection?: string;
  'keep-alive'?: string;
}

const FIELD_NAMES: readonly (keyof Fields)[] = [
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'cache-control',
  'connection',
  'keep-alive',
];
const LENGTHS_OF_NAMES: ReadonlySet<number> = new Set(FIELD_NAMES.map(({ length }) => length));

/** @param lines each with its beginning */
function readFields(lines: string): Fields {
  if (!HEADER_LINES.test(lines)) throw new BrokenResponse('A header is malformed.');
  const fields: Fields = {};
  for (let start = lines.length === 0 ? -1 : 0; start !== -1;) {
    const from = start + 2;
    const colon = lines.indexOf(':', from);
    start = lines.indexOf('\r\n', from);
    if (!LENGTHS_OF_NAMES.has(colon - from)) continue;
    const value = lines.slice(colon + 1, start === -1 ? undefined : start).replace(SPACE_AROUND, '');
    addField(fields, lines.slice(from, colon).toLowerCase(), value);
  }
  return fields;
}

function addField(fields: Fields, name: string, value: string): void {
  switch (name) {
    case 'content-length':
      if (!LENGTH.test(value) || (fields[name] ?? value) !== value)
        throw new BrokenResponse('The length is malformed.');
      fields[name] = value;
      return;
    case 'transfer-encoding':
    case 'content-encoding':
    case 'cache-control':
    case 'connection':
    case 'keep-alive':
      fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`;
      return;
    default:
  }
}

function framingOf(status: number, isCurrent: boolean, fields: Fields): BodyFraming {
  const transfer = fields['transfer-encoding'];
  if (transfer !== undefined) {
    if (transfer.toLowerCase() !== 'chunked' || fields['content-length'] !== undefined || !isCurrent)
      throw new BrokenResponse('The encoding of the transfer is not known.');
    return 'chunked';
  }
  if (status < 200 || status === 204 || status === 304) return 'none';
  if (fields['content-length'] === undefined) return 'until-close';
  return fields['content-length'] === '0' ? 'none' : 'length';
}

function encodingOf(value: string | undefined): string | undefined {
  const encoding = value?.toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

function saysClose(connection: string | undefined): boolean {
  return connection !== undefined && /(?:^|[\s,])close(?:[\s,]|$)/i.test(connection);
}

function idleMsOf(keepAlive: string | undefined): number | undefined {
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(keepAlive ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
