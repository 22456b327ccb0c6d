/** Names of which one set suffices, each set as a whole. */
export type AnyOfNames = readonly (readonly string[])[];

/** What a caller has to bring for a field or type, as the gateway reads it from the schema. All of it must hold. */
export interface RightsRequirement {
  readonly authenticated: boolean;
  readonly scopes: readonly AnyOfNames[];
  readonly policies: readonly AnyOfNames[];
}

/**
 * Who is let in, in disjunctive normal form: each term is a set of names that suffices (`scope:x`, `policy:y`, `token`).
 * An empty term lets in all. Undefined: there would be too many terms.
 */
export type CallerTerms = readonly ReadonlySet<string>[] | undefined;

const TOKEN = 'token';
const MAX_TERMS = 256;
const ALL: CallerTerms = [new Set()];

/** The terms of a requirement; of none, all are let in. */
export function callerTermsOf(requirement: RightsRequirement | undefined): CallerTerms {
  if (!requirement) return ALL;
  const { authenticated, scopes, policies } = requirement;
  const clauses = [
    ...scopes.map((clause) => named('scope', clause)),
    ...policies.map((clause) => named('policy', clause)),
  ];
  if (clauses.length === 0) return authenticated ? [new Set([TOKEN])] : ALL;
  let terms: ReadonlySet<string>[] = [new Set([TOKEN])];
  for (const clause of clauses) {
    if (terms.length * clause.length > MAX_TERMS) return undefined;
    terms = terms.flatMap((term) => clause.map((names) => new Set([...term, ...names])));
  }
  return terms;
}

function named(kind: 'scope' | 'policy', clause: AnyOfNames): AnyOfNames {
  return clause.map((names) => names.map((name) => `${kind}:${name}`));
}

/** Whether every caller whom the first lets in is let in by the second. Not known is no. */
export function letsInAllOf(first: CallerTerms, second: CallerTerms): boolean {
  if (!first || !second) return false;
  return first.every((term) => isLetIn(term, second));
}

/** Whether a caller with these names is let in. */
export function isLetIn(names: ReadonlySet<string>, terms: CallerTerms): boolean {
  return terms?.some((term) => [...term].every((name) => names.has(name))) ?? false;
}

/** Whether any term names a policy. */
export function namesPolicy(terms: CallerTerms): boolean {
  return terms?.some((term) => [...term].some((name) => name.startsWith('policy:'))) ?? true;
}

/** The names of a caller with a token of these scopes; of an anonymous one for null. */
export function namesOfCaller(scopes: readonly string[] | null): ReadonlySet<string> {
  return new Set(scopes === null ? [] : [TOKEN, ...scopes.map((scope) => `scope:${scope}`)]);
}
