import { NOTHING_DENIED, type Denied } from '../operation/access/denial.ts';
import type { OperationFacts } from '../operation/document/document-facts.ts';
import type { PlanRequest } from './operation-planner.ts';

/**
 * Everything that a plan for one generation of the supergraph depends on: the text, the operation, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted. Where only the operation matters,
 * it is the operation's own key: a text that is not made anew costs less to look up.
 */
export function planKey(
  facts: OperationFacts,
  { incremental, denied = NOTHING_DENIED, decided }: PlanRequest,
): string {
  const parts = incremental && facts.mayDefer ? 'parts' : '';
  const refusals = denied === NOTHING_DENIED ? '' : deniedKey(facts, denied);
  if (!parts && !decided.key && !refusals) return facts.key;
  return `${facts.key} ${parts} ${decided.key} | ${refusals}`;
}

function deniedKey({ ordinals }: OperationFacts, { fields, types }: Denied): string {
  const ofFields = [...fields].map(([node, denial]) => [ordinals.get(node) ?? -1, denial] as const);
  return [...ofFields, ...types]
    .map(([name, { code, message }]) => JSON.stringify([name, code, message]))
    .toSorted()
    .join();
}
