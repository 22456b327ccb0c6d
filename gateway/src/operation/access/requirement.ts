import type { FieldNode } from 'graphql';

/** Names of which one set suffices, each set as a whole: `[["a", "b"], ["c"]]` is (a and b) or c. */
export type AnyOf = readonly (readonly string[])[];

/** What a caller has to bring for a part of the graph. All of it must hold. */
export interface Requirement {
  /** From `@authenticated`. Scopes and policies imply it. */
  readonly authenticated: boolean;
  /** From `@requiresScopes`, one entry an application. */
  readonly scopes: readonly AnyOf[];
  /** From `@policy`, one entry an application. */
  readonly policies: readonly AnyOf[];
}

/** Nothing is required. */
const OPEN: Requirement = Object.freeze({ authenticated: false, scopes: [], policies: [] });

/** Whether nothing is required. */
export function isOpen(requirement: Requirement): boolean {
  return !requirement.authenticated && requirement.scopes.length === 0 && requirement.policies.length === 0;
}

/** All of several requirements; what is said twice is stored once. */
export function allOf(requirements: readonly Requirement[]): Requirement {
  const guarded = requirements.filter((requirement) => !isOpen(requirement));
  if (guarded.length < 2) return guarded[0] ?? OPEN;
  return {
    authenticated: guarded.some(({ authenticated }) => authenticated),
    scopes: distinct(guarded.flatMap(({ scopes }) => scopes)),
    policies: distinct(guarded.flatMap(({ policies }) => policies)),
  };
}

/** The same text for requirements that hold for the same callers by their form. */
export function requirementKey({ authenticated, scopes, policies }: Requirement): string {
  return JSON.stringify([authenticated, scopes, policies]);
}

function distinct(clauses: readonly AnyOf[]): readonly AnyOf[] {
  return [...new Map(clauses.map((clause) => [JSON.stringify(clause), clause])).values()];
}

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

/** What of an operation a caller is denied. */
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
