import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import type { Denial } from '../operation/access/requirement.ts';
import type { FieldShape } from '../plan/response-shape.ts';

/** A segment of a path in a response. */
export type PathKey = string | number;

/** Why a value is missing. */
export interface FailureReason {
  readonly message: string;
  /** What clients see, `code` included. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** From the place of the failure down to the field that failed, in the subgraph's keys. */
  readonly below: readonly PathKey[];
  /** For the log. */
  readonly cause: unknown;
  /** The error of a subgraph that this is, however often and wherever it is reported. Absent for the gateway's own. */
  readonly origin?: object;
  /** Whether another field is to blame, whose failure took this value along. */
  readonly isSecondary?: boolean;
}

/**
 * Stands in the merged data where a value should be, and becomes null and an error once the response is shaped: so the
 * error has the client's path, at every place of the response where the value would have been.
 */
export class Failure {
  readonly reasons: readonly FailureReason[];
  /** Why the value is missing at other subgraphs too. Not reported: a field has one error (GraphQL §6.4.4). */
  readonly repeated: readonly FailureReason[];

  constructor(reasons: readonly FailureReason[], repeated: readonly FailureReason[] = []) {
    this.reasons = reasons;
    this.repeated = repeated;
  }
}

/** One failure of a value that two subgraphs failed to send: the first is reported. */
export function joinFailures(first: Failure, second: Failure): Failure {
  return new Failure(first.reasons, [...first.repeated, ...second.reasons, ...second.repeated]);
}

/** A failure of the gateway's own finding. */
export function internalFailure(message: string, cause?: unknown): Failure {
  return new Failure([{ message, extensions: { code: 'INTERNAL_SERVER_ERROR' }, below: [], cause }]);
}

/**
 * Failures of an object that another subgraph knows: they explain the fields that no fetch brought. Under a symbol, which
 * no JSON can name.
 */
export const unresolved: unique symbol = Symbol('unresolved');

/** Marks an object of which a subgraph has said that there is none: what is null in it needs no other explanation. */
export const absent: unique symbol = Symbol('absent');

/** An object of the merged data, which `MergedData` alone writes. Read by own properties: subgraphs choose the keys. */
export interface DataObject {
  readonly [key: string]: unknown;
  readonly [unresolved]?: Failure;
  readonly [absent]?: true;
}

/** An object that is being made. */
export interface WritableObject {
  [key: string]: unknown;
  [unresolved]?: Failure;
  [absent]?: true;
}

/** Why a value is null that hangs on an entity that does not exist: for no reason that clients see. */
export const ABSENCE: Failure = new Failure([]);

/** Whether this is an object that keys can be read from. */
export function isDataObject(value: unknown): value is DataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Failure);
}

/** What a failure means for one key below: its own reasons, or where it has none, those of its neighbours. */
export function narrowed(failure: Failure, key: PathKey): Failure {
  const own = failure.reasons.filter(({ below }) => below[0] === key);
  return new Failure(
    own.length > 0
      ? own.map((reason) => ({ ...reason, below: reason.below.slice(1) }))
      : failure.reasons.map(withoutPath),
  );
}

/** The reason for a key that did not fail by itself. */
export function withoutPath(reason: FailureReason): FailureReason {
  return { ...reason, below: [], isSecondary: reason.isSecondary === true || reason.below.length > 0 };
}

/** Stands where no subgraph brought anything. */
export function missing(field: FieldShape): Failure {
  return internalFailure(`No subgraph answered the field ${field.parentType}.${field.fieldName}.`);
}

function reasonOf(message: string): FailureReason {
  return { message, extensions: { code: 'INTERNAL_SERVER_ERROR' }, below: [], cause: undefined };
}

/** Which fields it has is unknown. */
export const unknownType: FailureReason = reasonOf(
  'A subgraph answered an object whose type is not known here.',
);

/** GraphQL §6.4.3: a field error. */
export function nullReason(field: FieldShape): FailureReason {
  return reasonOf(`Cannot return null for non-nullable field ${field.parentType}.${field.fieldName}.`);
}

/** @param expected the type in the schema, or `list` */
export function wrongTypeReason(field: FieldShape, expected: string): FailureReason {
  return reasonOf(
    `Expected a value of type ${expected} for the field ${field.parentType}.${field.fieldName}.`,
  );
}

/** The caller is denied the field, or the object. */
export function denialReason({ code, message }: Denial): FailureReason {
  return { message, extensions: { code }, below: [], cause: undefined };
}

/**
 * The error of a reason. Its cause goes with it wherever it is reported: it knows what clients may see of the error.
 *
 * @param place absent where the error has none in the response
 */
export function reportReason(
  { message, extensions, cause }: FailureReason,
  place?: Pick<GraphQLErrorOptions, 'nodes' | 'path'>,
): GraphQLError {
  const originalError = cause instanceof Error ? cause : undefined;
  return new GraphQLError(message, { ...place, extensions, originalError });
}
