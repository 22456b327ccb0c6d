/** A plan in the form that runs: paths are absolute, texts and look-ups are made. */
export type PlanStep =
  | { readonly kind: 'sequence'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'parallel'; readonly steps: readonly PlanStep[] }
  | FetchStep;

/** A plan whose answer comes in parts. */
export interface DeferredPlan {
  /** What the first part needs. */
  readonly first: PlanStep | undefined;
  readonly later: readonly LaterPart[];
}

/** What one `@defer` needs beyond what is there when it begins. */
export interface LaterPart {
  /** The defer's id in the prepared operation. */
  readonly deferId: string;
  /** Ids of the fetches of the part before that it begins after. */
  readonly after: readonly string[];
  readonly plan: DeferredPlan;
}

/** One kind of call to one subgraph. */
export interface FetchStep {
  readonly kind: 'fetch';
  /** The planner's, when parts of an answer wait for this fetch. */
  readonly id: string | undefined;
  readonly subgraph: string;
  /** Whether it may be repeated: everything but a mutation. */
  readonly isMutation: boolean;
  /** The GraphQL request as JSON, up to where its variables begin: `{"query":"…","variables":`. */
  readonly bodyStart: string;
  readonly variableNames: readonly string[];
  /** From the root of the answer to the objects this fetch adds to; `@` stands for all elements of a list. */
  readonly path: readonly string[];
  /** The path as one text. */
  readonly pathText: string;
  /** What the subgraph must be told of each object. Absent: a root fetch. */
  readonly requires: readonly RequiredSelection[] | undefined;
  /** What it is to answer, at the top. */
  readonly expected: readonly ExpectedSelection[];
  /** The keys that it brings, as its operation tells them. */
  readonly brings: BroughtKeys;
  /**
   * Names what it asks, without the name that the planner gave it: fetches that are equal in this and in their values may be
   * one call. Absent where it brings objects, which later fetches may write into.
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
      /** What the subgraph is told it is. */
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

/** How the objects at a path come there when a single fetch brings them: once they are there, they are all there. */
export interface TargetOrigin {
  /** Where they have nothing but a few plain values at first: their keys. Those with equal values may be one object. */
  readonly referenceKeys: readonly string[] | undefined;
}

/** By the text of the path; of others nothing is known. */
export type TargetOrigins = ReadonlyMap<string, TargetOrigin>;

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

/** A subscription made executable: where its events come from, and what is fetched for each of them. */
export interface SubscriptionPlan {
  /** What the subgraph is subscribed to with. Its answer is an event. */
  readonly primary: FetchStep;
  readonly operationName: string | undefined;
  /** What is fetched to complete an event. Absent: the event has everything. */
  readonly rest: PlanStep | undefined;
}
