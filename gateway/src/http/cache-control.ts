import type { IncomingHttpHeaders } from 'node:http';
import {
  NOT_CACHEABLE,
  strictest,
  UNRESTRICTED,
  writeCacheControl,
  type CachePolicy,
} from '../caching/cache-policy.ts';
import type { OperationAnswer } from '../pipeline/operation-answer.ts';

/**
 * The `Cache-Control` of answers that go out together: the strictest of them. Private with a user, and no-store as soon as
 * anything is missing.
 */
export function cacheControlOf(answers: readonly OperationAnswer[], headers: IncomingHttpHeaders): string {
  const policy = answers.map(policyOf).reduce(strictest, UNRESTRICTED);
  return writeCacheControl({ ...policy, isPrivate: policy.isPrivate || hasCredentials(headers) });
}

/** What is there as bytes has data, and making a text of them to see it would cost more than all else here. */
function policyOf(answer: OperationAnswer): CachePolicy {
  if (answer.errors.length > 0 || (!answer.body && answer.data === undefined)) return NOT_CACHEABLE;
  return answer.cachePolicy ?? NOT_CACHEABLE;
}

function hasCredentials({ authorization, cookie }: IncomingHttpHeaders): boolean {
  return authorization !== undefined || cookie !== undefined;
}
