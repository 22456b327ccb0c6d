import type { OperationDefinitionNode } from 'graphql';
import { worstOf, type Paths } from './depth.ts';
import type { Totals } from './totals.ts';

/** What the text of an operation amounts to, whatever its variables. */
export interface OperationMeasure {
  /** Of the path that goes deepest beyond what is allowed to it, fields from root to leaf. */
  readonly depth: number;
  /** What a field on that path allows beyond the limit. */
  readonly depthAllowance: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
}

/** What an operation amounts to, from what was found in its selections. */
export function measureOf(
  { directives = [], variableDefinitions = [] }: OperationDefinitionNode,
  { depth, totals }: { readonly depth: Paths; readonly totals: Totals },
): OperationMeasure {
  const worst = worstOf(depth);
  const onVariables = variableDefinitions.reduce(
    (sum, variable) => sum + (variable.directives?.length ?? 0),
    0,
  );
  return {
    depth: worst.depth,
    depthAllowance: worst.allowance,
    aliases: totals.aliases,
    rootFields: totals.fields,
    directives: totals.directives + directives.length + onVariables,
  };
}
