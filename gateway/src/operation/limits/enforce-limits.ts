import { tooComplex } from '../../errors.ts';
import type { CostBudget } from '../../request/cost-budget.ts';
import type { OperationLimits } from '../../settings/limits.ts';
import type { OperationMeasure } from './measure-operation.ts';

/**
 * Stage: what the text of the operation amounts to, against what is allowed.
 *
 * @throws RequestError QUERY_TOO_COMPLEX naming the first limit that is exceeded
 */
export function enforceTextLimits(measured: OperationMeasure, limits: OperationLimits): void {
  const maximumDepth = limits.depth + measured.depthAllowance;
  if (measured.depth > maximumDepth) throw tooComplex('depth', maximumDepth, measured.depth);
  if (measured.aliases > limits.aliases) throw tooComplex('aliases', limits.aliases, measured.aliases);
  if (measured.rootFields > limits.rootFields)
    throw tooComplex('rootFields', limits.rootFields, measured.rootFields);
  if (measured.directives > limits.directives)
    throw tooComplex('directives', limits.directives, measured.directives);
}

/**
 * Stage: what the operation costs, against what is allowed.
 *
 * @param cost with its variables
 * @param budget that of the batch which the operation is part of
 * @throws RequestError QUERY_TOO_COMPLEX naming `cost`
 */
export function enforceCost(cost: number, limits: OperationLimits, budget?: CostBudget): void {
  if (budget) budget.spend(cost, limits.cost);
  else if (cost > limits.cost) throw tooComplex('cost', limits.cost, cost);
}

/**
 * Stage: how many requests to subgraphs the plan makes, against what is allowed. A request that is made for many objects at
 * once is one.
 *
 * @throws RequestError QUERY_TOO_COMPLEX naming `subgraphCalls`; nothing has been asked of any subgraph then
 */
export function enforceSubgraphCalls(calls: number, { subgraphCalls }: OperationLimits): void {
  if (calls > subgraphCalls) throw tooComplex('subgraphCalls', subgraphCalls, calls);
}
