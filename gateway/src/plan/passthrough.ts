import { isUtf8 } from 'node:buffer';
import type { FetchFields } from './fetch-fields.ts';
import { passthroughShape, type PassthroughField, type PassthroughValue } from './passthrough-shape.ts';
import type { SelectionShape } from './response-shape.ts';

const START = Buffer.from('{"data":');
const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LEFT_BRACKET = 0x5b;
const RIGHT_BRACKET = 0x5d;
const RIGHT_BRACE = 0x7d;
const SPACE = 0x20;
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const LETTER_U = 0x75;
const UNICODE_ESCAPE = /^[0-9a-fA-F]{4}$/;
const MAX_INT_DIGITS = 10;
const MAX_INT = 2 ** 31 - 1;
/** Every decimal number of so many digits is one double, and written back the same. */
const MAX_FLOAT_DIGITS = 15;

/** Not as it must be. */
const NO = -1;

/** What was seen on the way through a response. */
interface Tally {
  objects: number;
}

/** Smaller responses are read and written in less time than it takes to check them. */
const MIN_BYTES = 16_384;
/** A subgraph that writes its responses otherwise so many times in a row will go on doing so. */
const MAX_MISMATCHES = 3;

/** Decides for the responses to the only fetch of a plan whether they can be passed on as they are. */
export class Passthrough {
  readonly #fetch: FetchFields;
  readonly #selection: SelectionShape;
  /** `unread` until a large response comes. */
  #shape: PassthroughValue | undefined | 'unread' = 'unread';
  #mismatches = 0;

  constructor(fetch: FetchFields, selection: SelectionShape) {
    this.#fetch = fetch;
    this.#selection = selection;
  }

  /** How many objects are in a response that can be passed on just as it came; nothing where it can't. */
  objectsIn(body: Buffer): number | undefined {
    if (body.length < MIN_BYTES || this.#mismatches >= MAX_MISMATCHES) return undefined;
    if (this.#shape === 'unread') this.#shape = passthroughShape(this.#fetch, this.#selection);
    const objects = this.#shape && passthroughObjects(body, this.#shape);
    this.#mismatches = objects === undefined ? this.#mismatches + 1 : 0;
    return objects;
  }
}

/**
 * Checks that a response is, byte by byte, what clients are to get: the very members, in their order, with values of their
 * types, and nothing else. It knows nothing of errors: what it does not accept may still be right, and takes the slow
 * path.
 *
 * @returns how many objects are in the data, itself not counted; nothing where the response is something else
 */
export function passthroughObjects(body: Buffer, shape: PassthroughValue): number | undefined {
  if (!isUtf8(body) || bytesAt(body, 0, START) === NO) return undefined;
  const tally: Tally = { objects: -1 };
  const end = valueAt(body, START.length, shape, tally);
  const isWhole = end !== NO && end === body.length - 1 && body[end] === RIGHT_BRACE;
  return isWhole ? tally.objects : undefined;
}

/** @returns where the value ends; -1 when it is none */
function valueAt(body: Buffer, at: number, shape: PassthroughValue, tally: Tally): number {
  if (body[at] === NULL[0]) return shape.nullable ? bytesAt(body, at, NULL) : NO;
  switch (shape.kind) {
    case 'object':
      return objectAt(body, at, shape.fields, tally);
    case 'list':
      return listAt(body, at, shape.item, tally);
    case 'string':
      return stringAt(body, at);
    case 'int':
      return intAt(body, at);
    case 'float':
      return floatAt(body, at);
    case 'boolean':
      return bytesAt(body, at, body[at] === TRUE[0] ? TRUE : FALSE);
    case 'enum':
      return enumAt(body, at, shape.names);
    default:
      return shape satisfies never;
  }
}

function bytesAt(body: Buffer, at: number, expected: Buffer): number {
  const { length } = expected;
  for (let index = 0; index < length; index += 1) if (body[at + index] !== expected[index]) return NO;
  return at + length;
}

function objectAt(body: Buffer, start: number, fields: readonly PassthroughField[], tally: Tally): number {
  tally.objects += 1;
  let at = start;
  for (const field of fields) {
    at = bytesAt(body, at, field.start);
    if (at === NO) return NO;
    at = valueAt(body, at, field.value, tally);
    if (at === NO) return NO;
  }
  return body[at] === RIGHT_BRACE ? at + 1 : NO;
}

function listAt(body: Buffer, start: number, item: PassthroughValue, tally: Tally): number {
  if (body[start] !== LEFT_BRACKET) return NO;
  if (body[start + 1] === RIGHT_BRACKET) return start + 2;
  let at = start;
  do {
    at = valueAt(body, at + 1, item, tally);
    if (at === NO) return NO;
  } while (body[at] === COMMA);
  return body[at] === RIGHT_BRACKET ? at + 1 : NO;
}

function stringAt(body: Buffer, start: number): number {
  if (body[start] !== QUOTE) return NO;
  for (let at = start + 1; at < body.length; at += 1) {
    const byte = body[at] as number; // below the length
    if (byte > BACKSLASH) continue; // most letters
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) return NO;
    if (byte === BACKSLASH) {
      at = escapeAt(body, at + 1);
      if (at === NO) return NO;
    }
  }
  return NO;
}

/** @returns the last byte of the escape */
function escapeAt(body: Buffer, at: number): number {
  const byte = body[at];
  if (byte === LETTER_U) return UNICODE_ESCAPE.test(body.toString('latin1', at + 1, at + 5)) ? at + 4 : NO;
  return byte !== undefined && ESCAPED.has(byte) ? at : NO;
}

function digitsAt(body: Buffer, start: number): number {
  let at = start;
  for (let byte = body[at]; byte !== undefined && byte >= ZERO && byte <= NINE; byte = body[at]) at += 1;
  return at;
}

/** The digits before a point: a leading zero stands alone. */
function wholeDigitsAt(body: Buffer, start: number): number {
  const end = digitsAt(body, start);
  return end === start || (body[start] === ZERO && end > start + 1) ? NO : end;
}

/** Without a fraction or an exponent. Of a negative zero the sign would be lost, so it is none. */
function intAt(body: Buffer, start: number): number {
  const isNegative = body[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  const end = wholeDigitsAt(body, first);
  if (end === NO || end - first > MAX_INT_DIGITS || (isNegative && body[first] === ZERO)) return NO;
  let value = 0;
  for (let at = first; at < end; at += 1) value = value * 10 + (body[at] as number) - ZERO;
  return value <= (isNegative ? MAX_INT + 1 : MAX_INT) ? end : NO;
}

/** Without an exponent, and no negative zero either. */
function floatAt(body: Buffer, start: number): number {
  const isNegative = body[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  const whole = wholeDigitsAt(body, first);
  if (whole === NO) return NO;
  const end = body[whole] === POINT ? digitsAt(body, whole + 1) : whole;
  if (end === whole + 1 || end - first > MAX_FLOAT_DIGITS) return NO;
  return isNegative && Number(body.toString('latin1', first, end)) === 0 ? NO : end;
}

function enumAt(body: Buffer, start: number, names: ReadonlySet<string>): number {
  const end = stringAt(body, start);
  return end !== NO && names.has(body.toString('latin1', start + 1, end - 1)) ? end : NO;
}
