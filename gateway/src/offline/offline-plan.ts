import type { FetchFields, RequiredSelection } from '../plan/fetch-fields.ts';
import { operationOf } from '../plan/fetch-fields.ts';
import type { Plan, PlanStep } from '../plan/plan.ts';

/** One kind of request to one subgraph. */
export interface OfflineFetch {
  readonly kind: 'fetch';
  readonly subgraph: string;
  /** The document that is sent. */
  readonly operation: string;
  /** Where in the response its objects are; `@` stands for all elements of a list. */
  readonly path: readonly string[];
  /** What a representation holds of each object. Absent: a root fetch. */
  readonly requires: readonly RequiredSelection[] | undefined;
}

/** The steps of a plan. */
export type OfflineStep =
  { readonly kind: 'sequence' | 'parallel'; readonly steps: readonly OfflineStep[] } | OfflineFetch;

/** A plan as the gateway would run it. */
export interface OfflinePlan {
  /** Absent where no subgraph is asked. */
  readonly step: OfflineStep | undefined;
  /** Requests to subgraphs, those for many objects at once counted once. */
  readonly requests: number;
  /** Requests one after the other. */
  readonly depth: number;
}

/** A plan as plain data. Of a subscription: the upstream subscription, then what each event needs. */
export function offlinePlanOf({ step, subscription, subgraphRequests }: Plan): OfflinePlan {
  const whole = subscription
    ? sequence([fetchOf(subscription.primary), ...(subscription.rest ? [stepOf(subscription.rest)] : [])])
    : step && stepOf(step);
  return { step: whole, requests: subgraphRequests, depth: whole ? depthOf(whole) : 0 };
}

function sequence(steps: readonly OfflineStep[]): OfflineStep {
  const [only] = steps;
  return only && steps.length === 1 ? only : { kind: 'sequence', steps };
}

function stepOf(step: PlanStep): OfflineStep {
  return step.kind === 'fetch' ? fetchOf(step) : { kind: step.kind, steps: step.steps.map(stepOf) };
}

function fetchOf(fields: FetchFields): OfflineFetch {
  const { subgraph, path, requires } = fields;
  return { kind: 'fetch', subgraph, operation: operationOf(fields), path, requires };
}

function depthOf(step: OfflineStep): number {
  if (step.kind === 'fetch') return 1;
  const depths = step.steps.map(depthOf);
  return step.kind === 'parallel' ? Math.max(0, ...depths) : depths.reduce((sum, depth) => sum + depth, 0);
}

/** All requests of a plan. */
export function offlineFetchesOf(step: OfflineStep | undefined): readonly OfflineFetch[] {
  if (!step) return [];
  return step.kind === 'fetch' ? [step] : step.steps.flatMap(offlineFetchesOf);
}
