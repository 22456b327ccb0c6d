import { NOT_CACHEABLE, strictest, type CachePolicy } from '../caching/cache-policy.ts';
import type { ExecutionResult } from '../plan/execution-result.ts';
import type { AdmittedOperation } from './admitted-operation.ts';

/**
 * How long a response may be stored: the strictest of what the schema says of the operation's fields and of what the subgraphs
 * said with their responses. Where the schema has no hints, a subgraph that says nothing forbids.
 */
export function cachePolicyOf(
  { caching }: Pick<ExecutionResult, 'caching'>,
  { cacheHints }: AdmittedOperation,
): CachePolicy {
  if (!caching) return NOT_CACHEABLE;
  const { policy, hasUndated } = caching;
  if (hasUndated && !Number.isFinite(cacheHints.maxAgeS)) return NOT_CACHEABLE;
  return policy ? strictest(cacheHints, policy) : cacheHints;
}
