import type { FieldNode } from 'graphql';
import type { Denial } from './denial.ts';
import type { OperationFacts } from './document-facts.ts';
import type { PlanRequest } from './operation-plan.ts';
import { ownVariable, type Variables } from './variables.ts';

/**
 * Everything that a plan depends on: the text, the operation, the generation of the supergraph, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted.
 */
export function planKey(
  facts: OperationFacts,
  request: PlanRequest,
  overrideLabels: readonly string[],
): string {
  const { supergraph, operationName = '', incremental, denied } = request;
  const start = `${facts.documentHash} ${operationName} ${supergraph.hash} ${incremental && facts.mayDefer ? 'parts' : 'whole'}`;
  const labels = overrideLabels.length > 0 ? JSON.stringify(overrideLabels) : '';
  return `${start} ${conditionBits(facts, request.variables)} ${labels} ${denied?.size ? deniedKey(facts, denied) : ''}`;
}

function conditionBits({ conditionVariables }: OperationFacts, variables: Variables): string {
  let bits = '';
  for (const name of conditionVariables) bits += ownVariable(variables, name) === true ? '1' : '0';
  return bits;
}

function deniedKey({ ordinals }: OperationFacts, denied: ReadonlyMap<FieldNode, Denial>): string {
  return [...denied]
    .map(([node, { code, message }]) => JSON.stringify([ordinals.get(node) ?? -1, code, message]))
    .toSorted()
    .join();
}
