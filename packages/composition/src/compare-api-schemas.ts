import { findBreakingChanges, findDangerousChanges, type GraphQLSchema } from 'graphql';
import { changeCoordinate, type ChangeType } from './change-coordinate.ts';
import { findNewlyOneOf } from './newly-one-of.ts';
import { findNewlyRequired } from './newly-required.ts';

/** A change that clients of the API may notice. */
export interface ApiChange {
  /** A kind of graphql-js (`FIELD_REMOVED`, …), `DEFAULT_OF_REQUIRED_REMOVED` or `ONE_OF_ADDED`. */
  readonly type: string;
  /** What it is about, as a schema coordinate. */
  readonly coordinate: string;
  readonly description: string;
}

/** The changes from one API schema to the next, each list sorted by coordinate. */
export interface ApiChanges {
  /** An operation that was valid fails, or may fail. */
  readonly breaking: readonly ApiChange[];
  /** Every operation stays valid; a client may be surprised by what it receives. */
  readonly dangerous: readonly ApiChange[];
}

/** Compares what clients see before and after. */
export function compareApiSchemas(before: GraphQLSchema, after: GraphQLSchema): ApiChanges {
  const required = findNewlyRequired(before, after).map(newlyRequired);
  const dangerous = findDangerousChanges(before, after).map(toChange);
  return {
    breaking: sorted([
      ...findBreakingChanges(before, after).map(toChange),
      ...required,
      ...findNewlyOneOf(before, after).map(newlyOneOf),
    ]),
    dangerous: sorted(dangerous.filter((change) => !isReported(change, required))),
  };
}

function toChange({ type, description }: { type: ChangeType; description: string }): ApiChange {
  return { type, coordinate: changeCoordinate(type, description), description };
}

function newlyRequired(coordinate: string): ApiChange {
  const description = `${coordinate} lost its default and is required now.`;
  return { type: 'DEFAULT_OF_REQUIRED_REMOVED', coordinate, description };
}

function newlyOneOf(coordinate: string): ApiChange {
  const description = `${coordinate} became @oneOf: it takes exactly one field now.`;
  return { type: 'ONE_OF_ADDED', coordinate, description };
}

function isReported({ type, coordinate }: ApiChange, required: readonly ApiChange[]): boolean {
  return (
    type === 'ARG_DEFAULT_VALUE_CHANGE' && required.some((reported) => reported.coordinate === coordinate)
  );
}

function sorted(changes: readonly ApiChange[]): readonly ApiChange[] {
  const text = ({ coordinate, type }: ApiChange): string => `${coordinate} ${type}`;
  return changes.toSorted((left, right) => (text(left) < text(right) ? -1 : 1));
}
