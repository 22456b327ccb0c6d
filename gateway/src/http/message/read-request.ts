import { isUtf8 } from 'node:buffer';
import { mayHoldUnfitText } from '@trellis/runtime/admission';
import { own } from '@trellis/runtime/own-property';
import {
  type GraphRequest,
  errorBehaviors,
  isErrorBehavior,
  type ErrorBehavior,
} from '../../request/context.ts';
import { rejected, tooComplex, type RequestError } from '../../errors.ts';
import { rejectUnfitTexts, type TextRules } from '../../request/reject-unfit-texts.ts';

/** Bounds on what a request may hold. */
export interface RequestBounds extends TextRules {
  /** Operations in a batch. */
  readonly batch: number;
  /** Values within variables and extensions. */
  readonly variables: number;
}

/** What a body holds: one request, or a batch of which each element is good or bad on its own. */
export type ReadBody =
  | { readonly kind: 'single'; readonly request: GraphRequest }
  | { readonly kind: 'batch'; readonly requests: readonly (GraphRequest | RequestError)[] };

/**
 * Reads the body of a POST.
 *
 * @returns a batch that is too long as one whose elements are all rejected
 * @throws RequestError BAD_REQUEST when it is neither a request nor a batch; QUERY_TOO_COMPLEX for a batch of more than
 * 1,000 requests that is too long
 */
export function readBody(body: Buffer, bounds: RequestBounds): ReadBody {
  const { value, isSuspect } = parseJsonBody(body, bounds.variables);
  if (!Array.isArray(value)) return { kind: 'single', request: readFitRequest(value, bounds, isSuspect) };
  if (value.length === 0) throw rejected('BAD_REQUEST', 'The batch is empty.');
  if (value.length > bounds.batch) return rejectBatch(value.length, bounds.batch);
  return { kind: 'batch', requests: value.map((element) => readElement(element, bounds, isSuspect)) };
}

/** Longer ones come from no client, and would make a short request into a long response. */
const MAX_REJECTED_ONE_BY_ONE = 1_000;

/** Clients of batches take as many results as they have sent operations, and read an error of the whole batch as a fault. */
function rejectBatch(length: number, maximum: number): ReadBody {
  const rejection = tooComplex('batch', maximum, length);
  if (length > MAX_REJECTED_ONE_BY_ONE) throw rejection;
  return { kind: 'batch', requests: Array.from({ length }, () => rejection) };
}

function readElement(
  element: unknown,
  bounds: RequestBounds,
  isSuspect: boolean,
): GraphRequest | RequestError {
  try {
    return readFitRequest(element, bounds, isSuspect);
  } catch (error) {
    return error as RequestError; // readFitRequest throws nothing else
  }
}

/** @param isSuspect whether texts in it may hold characters that they must not */
function readFitRequest(value: unknown, bounds: RequestBounds, isSuspect: boolean): GraphRequest {
  const request = readRequest(value, bounds);
  if (isSuspect) rejectUnfitTexts(request, bounds);
  return request;
}

/**
 * Reads the parameters of a GET: `variables` and `extensions` are JSON texts.
 *
 * @throws RequestError BAD_REQUEST
 */
export function readQueryString(
  parameters: Readonly<Record<string, unknown>>,
  bounds: RequestBounds,
): GraphRequest {
  const { query, documentId, operationName, variables, extensions, onError } = parameters;
  const texts = [documentId, operationName, variables, extensions];
  return readFitRequest(
    {
      query,
      documentId,
      operationName,
      variables: parseParameter(variables, 'variables'),
      extensions: parseParameter(extensions, 'extensions'),
      onError: onError === '' ? undefined : onError,
    },
    bounds,
    texts.some((text) => typeof text === 'string' && mayHoldUnfitText(text)),
  );
}

function parseParameter(parameter: unknown, name: string): unknown {
  if (parameter === undefined || parameter === '') return undefined;
  if (typeof parameter !== 'string') throw rejected('BAD_REQUEST', `"${name}" is given more than once.`);
  return parseJsonText(parameter, name);
}

/**
 * Checks the members of a request for their JSON types; members that are not known are ignored.
 *
 * @throws RequestError BAD_REQUEST
 * @see GraphQL over HTTP, "Request Parameters"
 */
export function readRequest(value: unknown, bounds: RequestBounds): GraphRequest {
  if (!isObject(value)) throw rejected('BAD_REQUEST', 'A request is a JSON object with a "query".');
  const request = {
    query: readText(value, 'query'),
    documentId: readText(value, 'documentId') ?? readText(value, 'doc_id'), // as Relay's clients call it
    operationName: readText(value, 'operationName') || undefined, // some clients send '' for none
    variables: readObject(value, 'variables'),
    extensions: readObject(value, 'extensions'),
    onError: readErrorBehavior(value),
  };
  assertBounded(request.variables, bounds.variables);
  assertBounded(request.extensions, bounds.variables);
  return request;
}

/** @see graphql-spec#1163: another value is a request error */
function readErrorBehavior(value: JsonObject): ErrorBehavior | undefined {
  const behavior = member(value, 'onError');
  if (behavior === undefined || isErrorBehavior(behavior)) return behavior;
  throw rejected('BAD_REQUEST', `"onError" has to be one of ${errorBehaviors.join(', ')}.`);
}

type JsonObject = Readonly<Record<string, unknown>>;
const NO_MEMBERS: JsonObject = Object.freeze({});

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(value: JsonObject, name: string): unknown {
  return own(value, name) ?? undefined;
}

function readText(value: JsonObject, name: string): string | undefined {
  const text = member(value, name);
  if (text === undefined || typeof text === 'string') return text;
  throw rejected('BAD_REQUEST', `"${name}" has to be a string.`);
}

function readObject(value: JsonObject, name: string): JsonObject {
  const object = member(value, name);
  if (object === undefined) return NO_MEMBERS;
  if (isObject(object)) return object;
  throw rejected('BAD_REQUEST', `"${name}" has to be a JSON object.`);
}

const MAX_LEVELS = 100;
/** Of a batch, a request in it, and its variables. */
const OUTER_LEVELS = 3;
/** Building less than this, however deep, takes no time. */
const LARGE_BYTES = 65_536;
/** Of a whole body. Building more of them delays all other requests, and only batches may have more than one operation may. */
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
interface ParsedBody {
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
