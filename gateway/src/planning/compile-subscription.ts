import type { SubscriptionNode } from '@apollo/query-planner';
import type { SubscriptionPlan } from '../plan/plan-steps.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { compileFetch, compilePlanNode } from './compile-plan.ts';

/** Makes the plan of a subscription executable. */
export function compileSubscription({ primary, rest }: SubscriptionNode, types: TypeIndex): SubscriptionPlan {
  return {
    primary: compileFetch(primary, types, []),
    operationName: primary.operationName,
    rest: rest && compilePlanNode(rest, types),
  };
}
