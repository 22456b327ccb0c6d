import type { IncomingHttpHeaders } from 'node:http';
import {
  NOT_CACHEABLE,
  strictest,
  UNRESTRICTED,
  writeCacheControl,
  type CachePolicy,
} from '../../caching/cache-policy.ts';
import type { OperationAnswer } from '../../pipeline/operation-answer.ts';

/**
 * The `Cache-Control` of answers that go out together: the strictest of them. Private for whoever may be known, and no-store as
 * soon as anything is missing.
 *
 * @param privateFor names of headers that may say who asks
 */
export function cacheControlOf(
  answers: readonly OperationAnswer[],
  headers: IncomingHttpHeaders,
  privateFor: readonly string[],
): string {
  const policy = answers.map(policyOf).reduce(strictest, UNRESTRICTED);
  const isPrivate = policy.isPrivate || privateFor.some((name) => headers[name] !== undefined);
  return writeCacheControl({ ...policy, isPrivate });
}

/** What is there as bytes has data, and making a text of them to see it would cost more than all else here. */
function policyOf(answer: OperationAnswer): CachePolicy {
  if (answer.errors.length > 0 || (!answer.body && answer.data === undefined)) return NOT_CACHEABLE;
  return answer.cachePolicy ?? NOT_CACHEABLE;
}
