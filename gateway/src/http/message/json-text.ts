import { isUtf8 } from 'node:buffer';
import { mayHoldUnfitText } from '@trellis/admission';
import { rejected, tooComplex, type RequestError } from '../../errors.ts';

const MAX_LEVELS = 100;
/** Of a batch, a request in it, and its variables. */
const OUTER_LEVELS = 3;
/** Building less than this, however deep, takes no time. */
const LARGE_BYTES = 65_536;
/** Of a whole body. Building more of them holds up everybody else, and only batches may have more than one operation may. */
const MAX_VALUES_OF_BODY = 200_000;

/**
 * Reads a body as JSON in UTF-8. Members keep the names they were sent under, `__proto__` among them, as own
 * properties; of two members with one name the last counts.
 *
 * @param maxValues of one operation's variables
 * @throws RequestError BAD_REQUEST; QUERY_TOO_COMPLEX for more values than that, and than 200,000, in the whole body
 */
export function parseJsonBody(body: Buffer, maxValues: number): ParsedBody {
  if (!isUtf8(body)) throw rejected('BAD_REQUEST', 'The body is not UTF-8.');
  if (body.length > LARGE_BYTES) assertBuildable(body, maxValues);
  const text = body.toString('utf8');
  const isAscii = text.length === body.length; // most are: then nothing but escapes is to be looked for
  const isSuspect = isAscii ? text.includes('\\u') : mayHoldUnfitText(text);
  return { value: parseJsonText(text, 'body'), isSuspect };
}

/** A body that was read. */
export interface ParsedBody {
  readonly value: unknown;
  /** Whether texts in it may hold characters that they must not. */
  readonly isSuspect: boolean;
}

/**
 * Reads JSON text.
 *
 * @param subject what it is, for the message: `body`, `variables`, `extensions`
 * @throws RequestError BAD_REQUEST
 */
export function parseJsonText(text: string, subject: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw rejected('BAD_REQUEST', `The ${subject} is not valid JSON.`);
  }
}

/**
 * Rejects values that later steps, which are recursive, could not walk, or not in good time. It is a loop, for the same
 * reason.
 *
 * @throws RequestError BAD_REQUEST for more than 100 levels, or a number that no double holds (`1e400`); QUERY_TOO_COMPLEX for more than `maxValues` values
 */
export function assertBounded(value: object, maxValues: number): void {
  let level: unknown[] = Object.values(value);
  let count = level.length;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) throw tooDeep();
    if (count > maxValues) throw tooComplex('variables', maxValues, count);
    if (level.some(isInfinite)) throw rejected('BAD_REQUEST', 'A number is too large to be represented.');
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    count += level.length;
  }
}

/** JSON.parse makes Infinity of a number that is too large, and JSON.stringify makes null of that. */
function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity;
}

function tooDeep(): RequestError {
  return rejected('BAD_REQUEST', `JSON may be nested ${MAX_LEVELS} levels deep.`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Looks at brackets and commas alone, which takes a small part of the time that building what they stand for does. */
function assertBuildable(body: Buffer, maxValues: number): void {
  let [depth, values] = [0, 0];
  for (let index = 0; index < body.length; index += 1) {
    switch (body[index] ?? 0) {
      case QUOTE:
        index = endOfString(body, index);
        break;
      case 0x2c: // ,
        values += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        if (depth > MAX_LEVELS + OUTER_LEVELS) throw tooDeep();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  if (values > Math.max(maxValues, MAX_VALUES_OF_BODY)) throw tooComplex('variables', maxValues, values);
}

/** @returns where the quote is that ends the string that begins at `start`; the end of the body where there is none */
function endOfString(body: Buffer, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
  return index;
}
