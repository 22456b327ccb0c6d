/** What the gateway says of a field beside its schema. */
export interface FieldFacts {
  readonly subgraphs?: readonly string[];
  readonly weight?: number;
  readonly listSize?: { readonly assumedSize?: number; readonly slicingArguments?: readonly string[] };
  readonly authenticated?: boolean;
  /** One entry an application: sets of which one suffices. */
  readonly scopes?: readonly (readonly (readonly string[])[])[];
  readonly policies?: readonly (readonly (readonly string[])[])[];
}

/** By coordinate: `Post.title`. Empty where the gateway says nothing. */
export type FactsByField = Readonly<Record<string, FieldFacts>>;

/** Sets of names of which one suffices, as users read it: `a + b / c`. */
export function formatClauses(clauses: readonly (readonly (readonly string[])[])[] = []): string {
  return clauses.map((anyOf) => anyOf.map((all) => all.join(' + ')).join(' / ')).join(', ');
}
