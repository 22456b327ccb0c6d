import type { IncomingHttpHeaders } from 'node:http';
import {
  NOT_CACHEABLE,
  strictest,
  UNRESTRICTED,
  writeCacheControl,
  type CachePolicy,
} from '../../caching/cache-policy.ts';
import { gatewayErrorCodes, isGatewayErrorCode } from '../../errors.ts';
import type { OperationAnswer } from '../../pipeline/operation-answer.ts';
import type { AnswerPolicy } from '../../pipeline/services.ts';
import { challengeOf } from './challenge.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { ResultMediaType } from './media-types.ts';

/**
 * What the status, the first errors and the cache policies of answers say in headers, without `content-type`.
 *
 * @param policy which request headers decide what is answered
 */
export function answerHeaders(
  { id, method, headers }: HttpExchange,
  answers: readonly OperationAnswer[],
  status: number,
  { varyOn, privateFor, resourceMetadata }: Pick<AnswerPolicy, 'varyOn' | 'privateFor' | 'resourceMetadata'>,
): Record<string, string> {
  const cacheControl = cacheControlOf(answers, headers, privateFor);
  const own: Record<string, string> = { 'x-request-id': id, 'cache-control': cacheControl };
  if (cacheControl !== 'no-store' && varyOn.length > 0) own['vary'] = varyOn.join(', ');
  const challenge = challengeOf(answers, status, headers.authorization, resourceMetadata);
  if (challenge !== undefined) own['www-authenticate'] = challenge;
  const retryAfterS = retryAfterOf(answers);
  if (retryAfterS !== undefined) own['retry-after'] = String(retryAfterS);
  if (status === 405) own['allow'] = method === 'GET' ? 'POST' : 'GET, POST';
  return own;
}

/**
 * The HTTP status of an answer. With data it is 200. Without, the first error decides: under
 * `application/graphql-response+json` always, under `application/json` only for requests that were never executed.
 *
 * @see GraphQL over HTTP, "Status Codes"
 */
export function statusOf(answer: OperationAnswer, mediaType: ResultMediaType): number {
  const [first] = answer.errors;
  if (!first || (answer.data !== undefined && answer.data !== 'null')) return 200;
  const code = first.extensions?.['code'];
  const described = gatewayErrorCodes[isGatewayErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'];
  if (mediaType === 'application/graphql-response+json') return described.status;
  // The graph as a whole is forbidden then, not a part of it; clients look for its metadata at a 401. RFC 9728 §5.
  if (answer.stage === 'require token') return described.status;
  return answer.data === undefined ? described.jsonStatus : 200;
}

/** The status of a batch: the one that all its answers have, else 200. */
export function statusOfBatch(answers: readonly OperationAnswer[], mediaType: ResultMediaType): number {
  const [first = 200, ...others] = answers.map((answer) => statusOf(answer, mediaType));
  return others.every((status) => status === first) ? first : 200;
}

/** Seconds after which a rejected client may retry. RFC 9110 §10.2.3. */
export function retryAfterOf(answers: readonly Pick<OperationAnswer, 'errors'>[]): number | undefined {
  const seconds = answers.map(({ errors }) => errors[0]?.extensions?.['retryAfterS']);
  const longest = Math.max(0, ...seconds.filter((value) => typeof value === 'number'));
  return longest > 0 ? longest : undefined;
}

/**
 * The `Cache-Control` of answers that go out together: the strictest of them. Private for identified callers, and no-store as
 * soon as anything is missing.
 *
 * @param privateFor names of headers that may say who asks
 */
function cacheControlOf(
  answers: readonly OperationAnswer[],
  headers: IncomingHttpHeaders,
  privateFor: readonly string[],
): string {
  const policy = answers.map(policyOf).reduce(strictest, UNRESTRICTED);
  const isPrivate = policy.isPrivate || privateFor.some((name) => headers[name] !== undefined);
  return writeCacheControl({ ...policy, isPrivate });
}

/** A body of bytes has data; decoding it to check would cost more than all else here. */
function policyOf(answer: OperationAnswer): CachePolicy {
  if (answer.errors.length > 0 || (!answer.body && answer.data === undefined)) return NOT_CACHEABLE;
  return answer.cachePolicy ?? NOT_CACHEABLE;
}
