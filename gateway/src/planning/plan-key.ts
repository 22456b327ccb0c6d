import type { FieldNode } from 'graphql';
import type { Denial } from './denial.ts';
import type { OperationFacts } from './document-facts.ts';
import type { PlanRequest } from './operation-plan.ts';

/**
 * Everything that a plan for one generation of the supergraph depends on: the text, the operation, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted. Where only the operation matters,
 * it is the operation's own key: a text that is not made anew costs less to look up.
 */
export function planKey(facts: OperationFacts, { incremental, denied, decided }: PlanRequest): string {
  const parts = incremental && facts.mayDefer ? 'parts' : '';
  const refusals = denied?.size ? deniedKey(facts, denied) : '';
  if (!parts && !decided.key && !refusals) return facts.key;
  return `${facts.key} ${parts} ${decided.key} | ${refusals}`;
}

function deniedKey({ ordinals }: OperationFacts, denied: ReadonlyMap<FieldNode, Denial>): string {
  return [...denied]
    .map(([node, { code, message }]) => JSON.stringify([ordinals.get(node) ?? -1, code, message]))
    .toSorted()
    .join();
}
