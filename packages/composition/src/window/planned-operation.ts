/** Part of what a representation holds of an object. */
export type RequiredPart =
  | {
      readonly kind: 'field';
      /** Its name in the representation. */
      readonly name: string;
      readonly selections?: readonly RequiredPart[] | undefined;
    }
  | {
      readonly kind: 'fragment';
      readonly typeCondition?: string | undefined;
      readonly selections: readonly RequiredPart[];
    };

/** One kind of request to one subgraph, as a plan has it. */
export interface PlannedFetch {
  readonly subgraph: string;
  /** The document that is sent. */
  readonly operation: string;
  /** What a representation holds. Absent: a root fetch. */
  readonly requires: readonly RequiredPart[] | undefined;
}

/** What becomes of an operation on one side of a change. */
export type PlannedOperation =
  | {
      readonly kind: 'planned';
      /** With every decision of its conditions and overrides. */
      readonly fetches: readonly PlannedFetch[];
      /** The most of them. */
      readonly requests: number;
      readonly depth: number;
      readonly cost: number;
    }
  /** It is not valid, or exceeds a limit. */
  | { readonly kind: 'rejected' }
  /** It is valid, and the planner finds no plan. */
  | { readonly kind: 'unplannable'; readonly message: string };
