import type { SubscriptionNode } from '@apollo/query-planner';
import type { FetchStep, PlanStep } from '../execution/plan-steps.ts';
import { compileFetch, compilePlanNode } from './compile-plan.ts';

/** A subscription made executable: where its events come from, and what is fetched for each of them. */
export interface SubscriptionPlan {
  /** What the subgraph is subscribed to with. Its answer is an event. */
  readonly primary: FetchStep;
  readonly operationName: string | undefined;
  /** What is fetched to complete an event. Absent: the event has everything. */
  readonly rest: PlanStep | undefined;
}

/** Makes the plan of a subscription executable. */
export function compileSubscription({ primary, rest }: SubscriptionNode): SubscriptionPlan {
  return {
    primary: compileFetch(primary, []),
    operationName: primary.operationName,
    rest: rest && compilePlanNode(rest),
  };
}
