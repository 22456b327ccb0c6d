import { tooComplex } from '../errors.ts';
import type { CostBudget } from '../limits/cost-budget.ts';
import type { OperationLimits } from '../limits/limits.ts';
import type { OperationMeasure } from '../limits/measure-operation.ts';

/**
 * Stage: what the operation amounts to, against what is allowed.
 *
 * @param cost with its variables
 * @param budget that of the batch which the operation is part of
 * @throws RequestRefused QUERY_TOO_COMPLEX naming the first limit that is exceeded
 */
export function enforceLimits(
  measured: OperationMeasure,
  cost: number,
  limits: OperationLimits,
  budget?: CostBudget,
): void {
  const maximumDepth = limits.depth + measured.depthAllowance;
  if (measured.depth > maximumDepth) throw tooComplex('depth', maximumDepth, measured.depth);
  if (measured.aliases > limits.aliases) throw tooComplex('aliases', limits.aliases, measured.aliases);
  if (measured.rootFields > limits.rootFields)
    throw tooComplex('rootFields', limits.rootFields, measured.rootFields);
  if (measured.directives > limits.directives)
    throw tooComplex('directives', limits.directives, measured.directives);
  if (budget) budget.spend(cost, limits.cost);
  else if (cost > limits.cost) throw tooComplex('cost', limits.cost, cost);
}
