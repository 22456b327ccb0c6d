import type { PlannedFetch } from '../window/planned-operation.ts';

/** A step of a plan. */
export type ExplainedStep =
  | { readonly kind: 'sequence' | 'parallel'; readonly steps: readonly ExplainedStep[] }
  | (PlannedFetch & { readonly kind: 'fetch'; readonly path: readonly string[] });

/** How a gateway would run an operation. */
export interface ExplainedOperation {
  readonly name: string | undefined;
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly cost: number;
  /** Requests to subgraphs, and those one after the other. */
  readonly requests: number;
  readonly depth: number;
  /** What callers need, by coordinate. */
  readonly rights: readonly string[];
  readonly step: ExplainedStep | undefined;
}
