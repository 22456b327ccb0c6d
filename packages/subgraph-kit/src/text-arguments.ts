import { badUserInput } from '@trellis/subgraph-protocol';
import { characterProblem, unfitTextIn } from '@trellis/runtime/admission';
import type { JsonValue } from './scalars/json.ts';

/** What a text may be. */
export interface TextBounds {
  /** UTF-16 code units. */
  readonly maxLength: number;
  /** Whether it is paragraphs rather than one line: then it may have controls, and marks of direction. @default false */
  readonly multiline?: boolean;
}

/** What a JSON value may be. */
export interface JsonBounds {
  /** Of the value written as JSON, in UTF-8. */
  readonly maxBytes: number;
  /** @default 32 */
  readonly maxDepth?: number;
}

/** Nothing but what is not seen: white space, controls, characters that are made to be invisible, and the empty Braille cell. */
const BLANK = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2800}]*$/u;

/**
 * Checks a text of a client. It stays as it is: what was sent is what is stored.
 *
 * @param field the argument or input field, dotted
 * @throws GraphQLError BAD_USER_INPUT when it is blank, too long, or holds characters that it must not
 */
export function readText(field: string, value: string, bounds: TextBounds): string {
  const problem = textProblem(value, bounds);
  if (problem === undefined) return value;
  throw badUserInput(`"${field}" ${problem}.`, field, value);
}

function textProblem(value: string, { maxLength, multiline = false }: TextBounds): string | undefined {
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (BLANK.test(value)) return 'must not be blank';
  return characterProblem(value, multiline ? 'lines' : 'line');
}

/**
 * Checks a JSON value of a client.
 *
 * @param field the argument or input field, dotted
 * @throws GraphQLError BAD_USER_INPUT when it is too large, too deep, or can't be stored
 */
export function readJson(field: string, value: JsonValue, bounds: JsonBounds): JsonValue {
  const problem = jsonProblem(value, bounds);
  if (problem === undefined) return value;
  throw badUserInput(`"${field}" ${problem}.`, field, null); // what is too large is not sent back
}

function jsonProblem(value: JsonValue, { maxBytes, maxDepth = 32 }: JsonBounds): string | undefined {
  if (!isWithinDepth(value, maxDepth)) return `must nest at most ${maxDepth} levels`;
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return `must be at most ${maxBytes} bytes of JSON`;
  if (!hasFiniteNumbers(value)) return 'must hold finite numbers';
  const unfit = unfitTextIn(value, 'lines');
  return unfit && `must not be as it is: a text in it ${unfit.problem}`;
}

/** Looks no deeper than it must, so that a value nested without measure costs nothing. */
function isWithinDepth(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member: JsonValue) => isWithinDepth(member, levels - 1));
}

function hasFiniteNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((member: JsonValue) => hasFiniteNumbers(member));
}
