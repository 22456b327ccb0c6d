import { own } from '@trellis/runtime/own-property';
import {
  Failure,
  internalFailure,
  isDataObject,
  type DataObject,
  type FailureReason,
  type PathKey,
  type WritableObject,
} from './failure.ts';
import { isGatewayOnlyErrorCode } from '../errors.ts';
import { errorDisclosure, type ErrorDisclosure } from '../settings/subgraph-errors.ts';
import { SubgraphError } from '../subgraphs/subgraph-failure.ts';
import type { SubgraphResponse } from '../subgraphs/subgraph-request.ts';

/** A well-formed GraphQL response. */
export interface GraphResponse {
  readonly data: WritableObject | null;
  /** `below` is the path that the subgraph gave, from the root of its response. */
  readonly errors: readonly FailureReason[];
}

/** Members of a subgraph error's `extensions` that clients get to see where no operator says otherwise. */
const SHOWN_EXTENSIONS: readonly string[] = errorDisclosure.extensions.default;

const MAX_ERRORS_READ = 10_000;

/**
 * Reads what a subgraph sent, by GraphQL §7. The status does not matter where the body is a GraphQL response: under
 * `application/graphql-response+json` errors come with 4xx.
 *
 * @param isAscii whether that is known of its bytes: they are read in less time then
 * @param disclosure what clients see of its errors; absent where the defaults hold
 */
export function readResponse(
  subgraph: string,
  response: SubgraphResponse,
  isAscii: boolean,
  disclosure?: ErrorDisclosure,
): GraphResponse | Failure {
  const body = parseObject(response.body, isAscii);
  if (!body) return malformed(subgraph, `It answered ${response.status} and no JSON object.`);
  return (
    readResult(subgraph, body, disclosure) ??
    malformed(subgraph, `It answered ${response.status} without data and without errors.`)
  );
}

/** Reads an event of a subscription: a response as well, parsed by its transport. */
export function readEvent(
  subgraph: string,
  event: unknown,
  disclosure?: ErrorDisclosure,
): GraphResponse | Failure {
  const result = isDataObject(event) ? readResult(subgraph, event, disclosure) : undefined;
  return result ?? malformed(subgraph, 'It sent an event without data and without errors.');
}

function readResult(
  subgraph: string,
  body: DataObject,
  disclosure: ErrorDisclosure | undefined,
): GraphResponse | undefined {
  const sent = own(body, 'errors');
  const errors = readErrors(subgraph, sent, disclosure);
  const data = own(body, 'data');
  if (isDataObject(data))
    return { data, errors: isNoList(sent) ? [readError(subgraph, sent, disclosure)] : errors };
  return errors.length > 0 ? { data: null, errors } : undefined;
}

function malformed(subgraph: string, cause: string): Failure {
  return internalFailure(
    `The subgraph "${subgraph}" gave no GraphQL response.`,
    new Error(`The subgraph "${subgraph}" gave no GraphQL response. ${cause}`),
  );
}

/** Reads the entities of a response, and checks their number. */
export function readEntities(
  subgraph: string,
  { data, errors }: GraphResponse,
  count: number,
): unknown[] | Failure {
  const entities = data?.['_entities'];
  if (!Array.isArray(entities))
    return errors.length > 0 ? belowEntities(errors) : malformedEntity(subgraph, 'no list of entities');
  return entities.length === count
    ? entities
    : malformedEntity(subgraph, 'another number of entities than it was asked for');
}

/** @param what the subgraph answered instead */
export function malformedEntity(subgraph: string, what: string): Failure {
  return internalFailure(`The subgraph "${subgraph}" answered ${what}.`);
}

function belowEntities(errors: readonly FailureReason[]): Failure {
  return new Failure(
    errors.map((error) =>
      error.below[0] === '_entities' ? { ...error, below: error.below.slice(1) } : error,
    ),
  );
}

function parseObject(body: Buffer, isAscii: boolean): DataObject | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString(isAscii ? 'latin1' : 'utf8'));
    return isDataObject(parsed) ? parsed : undefined;
  } catch {
    return undefined; // the caller says what is wrong with it
  }
}

/** What stands where errors belong says that something failed, though not what. */
function isNoList(errors: unknown): boolean {
  return errors !== undefined && errors !== null && !Array.isArray(errors);
}

const NO_ERRORS: readonly FailureReason[] = [];

function readErrors(
  subgraph: string,
  errors: unknown,
  disclosure: ErrorDisclosure | undefined,
): readonly FailureReason[] {
  if (!Array.isArray(errors)) return NO_ERRORS;
  return errors.slice(0, MAX_ERRORS_READ).map((error) => readError(subgraph, error, disclosure));
}

function readError(subgraph: string, error: unknown, disclosure: ErrorDisclosure | undefined): FailureReason {
  const from = isDataObject(error) ? error : {};
  const text = own(from, 'message');
  const message = typeof text === 'string' ? text : 'A subgraph reported an error without a message.';
  const extensions = readExtensions(own(from, 'extensions'), disclosure?.extensions ?? SHOWN_EXTENSIONS);
  const isCaused = disclosure !== undefined || extensions['code'] === 'INTERNAL_SERVER_ERROR';
  return {
    message,
    extensions,
    below: readPath(own(from, 'path')),
    origin: from,
    cause: isCaused ? new SubgraphError(subgraph, message, disclosure) : undefined,
  };
}

function readExtensions(extensions: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = { code: 'INTERNAL_SERVER_ERROR' };
  if (!isDataObject(extensions)) return shown;
  for (const key of names) {
    const value = own(extensions, key);
    if (value !== undefined && (key !== 'code' || isCodeOfSubgraph(value))) shown[key] = value;
  }
  return shown;
}

/** What the gateway alone says, no subgraph can say for it: clients act on such codes. */
function isCodeOfSubgraph(code: unknown): boolean {
  return typeof code === 'string' && !isGatewayOnlyErrorCode(code);
}

function readPath(path: unknown): PathKey[] {
  if (!Array.isArray(path)) return [];
  const end = path.findIndex((key) => typeof key !== 'string' && !Number.isInteger(key));
  return (end === -1 ? path : path.slice(0, end)) as PathKey[]; // checked just now
}
