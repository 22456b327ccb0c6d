import type { FieldNode } from 'graphql';

/** Why a field, or an object, is denied to a caller. It becomes its error. */
export interface Denial {
  readonly code: string;
  readonly message: string;
  /** Scopes that would help. RFC 6750 §3.1. */
  readonly scopes?: readonly string[];
  /** The sign-in that would help. RFC 9470 §3. */
  readonly signIn?: SignIn;
}

/** How a user has to have signed in. */
export interface SignIn {
  /** One of these. */
  readonly acrValues: readonly string[];
  /** Seconds ago, at most; absent: whenever. */
  readonly maxAgeS?: number;
}

/** What of an operation a caller may not see. */
export interface Denied {
  /** Names what is denied, and why, among all that may be denied of the operation: the same for equal texts. */
  readonly key: string;
  readonly fields: ReadonlyMap<FieldNode, Denial>;
  /** Object types by name, for places where an object of several types may stand: its runtime type is withheld as well. */
  readonly types: ReadonlyMap<string, Denial>;
}

/** Where everything may be seen. */
export const NOTHING_DENIED: Denied = Object.freeze({
  key: '',
  fields: new Map<FieldNode, Denial>(),
  types: new Map<string, Denial>(),
});
