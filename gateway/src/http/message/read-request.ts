import type { GraphRequest } from '../../request/context.ts';
import { rejected, tooComplex, type RequestError } from '../../errors.ts';
import { mayHoldUnfitText } from '@trellis/admission';
import { rejectUnfitTexts, type TextRules } from '../../request/reject-unfit-texts.ts';
import { own } from '../../own-property.ts';
import { errorBehaviors, isErrorBehavior, type ErrorBehavior } from '../../request/error-behavior.ts';
import { assertBounded, parseJsonBody, parseJsonText } from './json-text.ts';

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
