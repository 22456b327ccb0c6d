import type { FetchStep } from './fetch-step.ts';

/** A plan in the form that runs: paths are absolute, texts and look-ups are made. */
export type PlanStep =
  | { readonly kind: 'sequence'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'parallel'; readonly steps: readonly PlanStep[] }
  | FetchStep;

/** A plan with deferred fragments. */
export interface DeferredPlan {
  /** What the first part needs. */
  readonly first: PlanStep | undefined;
  readonly later: readonly LaterPart[];
}

/** What one `@defer` needs beyond what has been fetched when it begins. */
export interface LaterPart {
  /** The defer's id in the prepared operation. */
  readonly deferId: string;
  /** Ids of the fetches of the part before that it begins after. */
  readonly after: readonly string[];
  readonly plan: DeferredPlan;
}

/** How the objects at a path come there when a single fetch brings them: none comes later. */
export interface TargetOrigin {
  /** Where they have nothing but a few plain values at first: their keys. Those with equal values may be one object. */
  readonly referenceKeys: readonly string[] | undefined;
}

/** By the text of the path; of others nothing is known. */
export type TargetOrigins = ReadonlyMap<string, TargetOrigin>;

/** A subscription made executable: where its events come from, and what is fetched for each of them. */
export interface SubscriptionPlan {
  /** What the subgraph is subscribed to with. Its response is an event. */
  readonly primary: FetchStep;
  readonly operationName: string | undefined;
  /** What is fetched to complete an event. Absent: the event has everything. */
  readonly rest: PlanStep | undefined;
}
