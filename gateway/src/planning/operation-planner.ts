import type { Introspector } from '../plan/introspection-question.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannerCaller } from './threads/job-waiters.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import type { Denied } from '../operation/access/requirement.ts';
import type { PlannableOperation } from '../operation/operation.ts';

/** What is to be planned. */
export interface PlanRequest {
  readonly supergraph: Supergraph;
  /** Valid against `supergraph.schema`. */
  readonly operation: PlannableOperation;
  /** How its conditions are decided: a plan depends on nothing else of the request's variables. */
  readonly decided: Decided;
  /**
   * What the caller is denied: no subgraph is asked for field nodes of `operation`; wherever they, or objects of the types, would
   * stand is null and an error with that path, by the rules of null propagation.
   */
  readonly denied?: Denied | undefined;
  /** Whether the client takes the response in parts: otherwise `@defer` has no effect. @default false */
  readonly incremental?: boolean | undefined;
  /** Whose share of planning it takes. @default the gateway's own */
  readonly account?: PlanningAccount | undefined;
}

/** Provides the caller that is charged. Called on a cache miss only. */
export interface PlanningAccount {
  plannerCaller(): PlannerCaller;
}

/** Makes and caches plans; equal requests in flight are coalesced. */
export interface OperationPlanner extends Introspector {
  /**
   * Never throws at once: it rejects.
   *
   * @returns at once on a cache hit
   * @throws GraphQLError QUERY_TOO_COMPLEX when a bound of planning is exceeded, its time and memory included
   * @throws GraphQLError OVERLOADED when too many operations wait to be planned
   * @throws GraphQLError RATE_LIMITED when the caller has had its share of planning
   * @throws GraphQLError INTERNAL_SERVER_ERROR when the planner fails
   * @throws the signal's reason; the plan is still made for others who wait for it
   */
  planOperation(request: PlanRequest, signal: AbortSignal): Plan | Promise<Plan>;
  /**
   * Prepares planning for a generation of the supergraph.
   *
   * @throws Error when nothing can be planned for it
   */
  load(supergraph: Supergraph): Promise<void>;
  /** A generation that was loaded no longer serves: what is being planned for it is the last. */
  retire(supergraph: Supergraph): void;
  /** Ends the query planner workers. */
  close(): Promise<void>;
}
