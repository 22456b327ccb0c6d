import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  NOT_CACHEABLE,
  strictest,
  UNRESTRICTED,
  writeCacheControl,
  type CachePolicy,
} from '../caching/cache-policy.ts';
import type { OperationAnswer } from '../pipeline/operation-answer.ts';

/**
 * Says how long answers may be kept, and of which headers of the request they are made.
 *
 * @param varyOn names of request headers that decide what is answered
 */
export function setCacheHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  answers: readonly OperationAnswer[],
  varyOn: readonly string[],
): void {
  const cacheControl = cacheControlOf(answers, request);
  void reply.header('cache-control', cacheControl);
  if (cacheControl === 'no-store') return;
  const before = reply.getHeader('vary');
  void reply.header('vary', [...(before === undefined ? [] : [String(before)]), ...varyOn].join(', '));
}

/**
 * The `Cache-Control` of answers that go out together: the strictest of them. Private with a user, and no-store as soon as
 * anything is missing.
 */
function cacheControlOf(answers: readonly OperationAnswer[], { headers }: FastifyRequest): string {
  const policy = answers.map(policyOf).reduce(strictest, UNRESTRICTED);
  return writeCacheControl({ ...policy, isPrivate: policy.isPrivate || hasCredentials(headers) });
}

/** What is there as bytes has data, and making a text of them to see it would cost more than all else here. */
function policyOf(answer: OperationAnswer): CachePolicy {
  if (answer.errors.length > 0 || (!answer.body && answer.data === undefined)) return NOT_CACHEABLE;
  return answer.cachePolicy ?? NOT_CACHEABLE;
}

function hasCredentials({ authorization, cookie }: FastifyRequest['headers']): boolean {
  return authorization !== undefined || cookie !== undefined;
}
