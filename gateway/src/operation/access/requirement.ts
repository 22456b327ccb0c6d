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
export const OPEN: Requirement = Object.freeze({ authenticated: false, scopes: [], policies: [] });

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
