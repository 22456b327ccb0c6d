import type { FieldNode } from 'graphql';

/** Why a field, or an object, is refused to a caller. It becomes its error. */
export interface Denial {
  readonly code: string;
  readonly message: string;
}

/** What of an operation a caller may not see. */
export interface Denied {
  readonly fields: ReadonlyMap<FieldNode, Denial>;
  /** Object types by name, for places where an object of several types may stand: what type it has is not told either. */
  readonly types: ReadonlyMap<string, Denial>;
}

/** Where everything may be seen. */
export const NOTHING_DENIED: Denied = Object.freeze({
  fields: new Map<FieldNode, Denial>(),
  types: new Map<string, Denial>(),
});
