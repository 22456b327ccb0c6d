import type { DeferredPlan, PlanStep, SubscriptionPlan, TargetOrigins } from './plan-steps.ts';
import type { SelectionShape } from './response-shape.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';

/** A plan made executable for one operation of one supergraph, shared by all its requests. */
export interface OperationPlan {
  readonly supergraph: Supergraph;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Absent when no subgraph has to be asked. */
  readonly step: PlanStep | undefined;
  /** Where the objects that `step` asks about come from. */
  readonly origins: TargetOrigins;
  /** The plan of a subscription; then `step` is absent. Absent as well where nothing of it may be seen. */
  readonly subscription: SubscriptionPlan | undefined;
  /** How many requests to subgraphs it makes at most, those that are made for many objects at once counted once. */
  readonly subgraphCalls: number;
  /** Whether the answer comes in parts. */
  readonly isDeferred: boolean;
  /** The plan of an answer in parts, where the planner made one; then `step` is absent. */
  readonly parts: DeferredPlan | undefined;
  /** The client's answer. */
  readonly shape: SelectionShape;
}
