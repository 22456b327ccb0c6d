import type { FieldNode } from 'graphql';
import type { Denial } from './denial.ts';
import type { OperationFacts } from './document-facts.ts';
import type { PlanRequest } from './operation-plan.ts';
import { ownVariable, type Variables } from './variables.ts';

/**
 * Everything that a plan for one generation of the supergraph depends on: the text, the operation, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted. Where only the operation matters,
 * it is the operation's own key: a text that is not made anew costs less to look up.
 */
export function planKey(
  facts: OperationFacts,
  request: PlanRequest,
  overrideLabels: readonly string[],
): string {
  const { incremental, denied, variables } = request;
  const parts = incremental && facts.mayDefer ? 'parts' : '';
  const bits = conditionBits(facts, variables);
  const labels = overrideLabels.length > 0 ? JSON.stringify(overrideLabels) : '';
  const refusals = denied?.size ? deniedKey(facts, denied) : '';
  if (!parts && !bits && !labels && !refusals) return facts.key;
  return `${facts.key} ${parts} ${bits} ${labels} ${refusals}`;
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
