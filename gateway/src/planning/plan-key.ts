import { NOTHING_DENIED } from '../operation/access/denial.ts';
import type { PlanRequest } from './operation-planner.ts';

/**
 * Everything that a plan for one generation of the supergraph depends on: the text, the operation, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted. Where only the operation matters,
 * it is the operation's own key: a text that is not made again costs less to look up.
 */
export function planKey({
  operation: { key, mayDefer },
  incremental,
  denied = NOTHING_DENIED,
  decided,
}: PlanRequest): string {
  const parts = incremental && mayDefer ? 'parts' : '';
  if (!parts && !decided.key && !denied.key) return key;
  return `${key} ${parts} ${decided.key} | ${denied.key}`;
}
