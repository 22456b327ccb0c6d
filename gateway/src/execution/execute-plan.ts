import type { OperationPlan, Variables } from '../planning/operation-plan.ts';
import type { ExecutionResult } from './execution-result.ts';
import type { SubgraphClient, SubgraphHeaders } from './subgraph-client.ts';

/** What one run of a plan needs. */
export interface ExecutionContext {
  readonly variables: Variables;
  /** The headers that go to a subgraph with this request. Asked once per subgraph and request. */
  headersFor(subgraph: string): SubgraphHeaders | Promise<SubgraphHeaders>;
  readonly subgraphClient: SubgraphClient;
  /** Aborted when the client leaves or the request's time is over: calls in flight are ended. */
  readonly signal: AbortSignal;
}

/**
 * Runs a plan to its end.
 *
 * @throws the signal's reason when it is aborted; nothing else: failures are in `errors`
 */
export declare function executePlan(plan: OperationPlan, context: ExecutionContext): Promise<ExecutionResult>;
