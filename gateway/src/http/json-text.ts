import { isUtf8 } from 'node:buffer';
import { refused, tooComplex } from '../errors.ts';

const MAX_LEVELS = 100;

/**
 * Reads a body as JSON in UTF-8. Members keep the names they were sent under, `__proto__` among them, as own
 * properties; of two members with one name the last counts.
 *
 * @throws RequestRefused BAD_REQUEST
 */
export function parseJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw refused('BAD_REQUEST', 'The body is not UTF-8.');
  return parseJsonText(body.toString('utf8'), 'body');
}

/**
 * Reads JSON text.
 *
 * @param subject what it is, for the message: `body`, `variables`, `extensions`
 * @throws RequestRefused BAD_REQUEST
 */
export function parseJsonText(text: string, subject: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refused('BAD_REQUEST', `The ${subject} is not valid JSON.`);
  }
}

/**
 * Refuses values that later steps, which are recursive, could not walk, or not in good time. It is a loop, for the same
 * reason.
 *
 * @throws RequestRefused BAD_REQUEST for more than 100 levels, or a number that no double holds (`1e400`); QUERY_TOO_COMPLEX for more than `maxValues` values
 */
export function assertBounded(value: object, maxValues: number): void {
  let level: unknown[] = Object.values(value);
  let count = level.length;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) throw refused('BAD_REQUEST', `JSON may be nested ${MAX_LEVELS} levels deep.`);
    if (count > maxValues) throw tooComplex('variables', maxValues, count);
    if (level.some(isInfinite)) throw refused('BAD_REQUEST', 'A number is too large to be represented.');
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    count += level.length;
  }
}

/** JSON.parse makes Infinity of a number that is too large, and JSON.stringify makes null of that. */
function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity;
}
