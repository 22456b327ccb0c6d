/** What one kind of request to one subgraph is made of. */
export interface FetchFields {
  /** The planner's, when parts of a response wait for this fetch. */
  readonly id: string | undefined;
  readonly subgraph: string;
  /** Whether it may be repeated: everything but a mutation. */
  readonly isMutation: boolean;
  /** The GraphQL request as JSON, up to where its variables begin: `{"query":"…","variables":`. */
  readonly bodyStart: string;
  readonly variableNames: readonly string[];
  /** From the root of the merged data to the objects this fetch adds to; `@` stands for all elements of a list. */
  readonly path: readonly string[];
  /** The path as one text. */
  readonly pathText: string;
  /** What a representation holds of each object. Absent: a root fetch. */
  readonly requires: readonly RequiredSelection[] | undefined;
  /** What it brings, at the top. */
  readonly expected: readonly ExpectedSelection[];
  /** The keys that it brings, as its operation names them. */
  readonly brings: BroughtKeys;
  /**
   * Names what it asks, without the name that the planner gave it: fetches that are equal in this and in their values may be
   * one request. Absent where it brings objects, which later fetches may write into.
   */
  readonly mergeKey: string | undefined;
  /** Fields at the top that need more of an object than its key. */
  readonly dependents: readonly DependentField[];
  readonly inputRewrites: readonly Rewrite[];
  readonly outputRewrites: readonly Rewrite[];
  /** Values from above the objects that become variables of this fetch. */
  readonly contextValues: readonly ContextValue[];
}

/** Part of a representation. */
export type RequiredSelection =
  | {
      readonly kind: 'field';
      /** Where it is read. */
      readonly key: string;
      /** Its name in the representation. */
      readonly name: string;
      readonly selections: readonly RequiredSelection[] | undefined;
    }
  | {
      readonly kind: 'fragment';
      readonly typeCondition: string | undefined;
      readonly selections: readonly RequiredSelection[];
    };

/** Response keys that a fetch brings to objects of a type. */
export interface ExpectedSelection {
  /** Absent: objects of all types. */
  readonly typeCondition: string | undefined;
  readonly keys: readonly string[];
}

/** Response keys with those below them, of all types together. Nothing is below a plain value. */
export type BroughtKeys = ReadonlyMap<string, BroughtKeys | undefined>;

/** A field that its subgraph resolves from what others answered (`@requires`). */
export interface DependentField {
  readonly typeCondition: string | undefined;
  readonly key: string;
  /** Keys of the object, at the top. */
  readonly needs: readonly string[];
}

/** A change to what is sent or received. */
export type Rewrite =
  | {
      readonly kind: 'set';
      readonly path: readonly RewriteStep[];
      readonly key: string;
      readonly value: unknown;
    }
  | {
      readonly kind: 'rename';
      readonly path: readonly RewriteStep[];
      readonly key: string;
      readonly to: string;
    };

/** A step down in a rewrite's path. */
export type RewriteStep =
  { readonly kind: 'key'; readonly key: string } | { readonly kind: 'type'; readonly type: string };

/** Where the value of a contextual argument is found. */
export interface ContextValue {
  readonly variable: string;
  /** How many fields above the object. */
  readonly levelsUp: number;
  readonly path: readonly RewriteStep[];
}

/** The operation that a fetch sends. It is held once, in the form that is sent: reading it takes its time. */
export function operationOf({ bodyStart }: Pick<FetchFields, 'bodyStart'>): string {
  const { query } = JSON.parse(`${bodyStart}null}`) as { readonly query: string }; // made by compileFetch
  return query;
}
