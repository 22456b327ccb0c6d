import type { OperationAnswer } from '../../pipeline/operation-answer.ts';
import type { AnswerPolicy } from '../../pipeline/services.ts';
import { cacheControlOf } from './cache-control.ts';
import type { HttpExchange } from './http-exchange.ts';
import { challengeOf, retryAfterOf } from './status.ts';

/**
 * What the status, the first errors and the cache policies of answers say in headers, without `content-type`.
 *
 * @param policy which request headers decide what is answered
 */
export function answerHeaders(
  { id, method, headers }: HttpExchange,
  answers: readonly OperationAnswer[],
  status: number,
  { varyOn, privateFor }: Pick<AnswerPolicy, 'varyOn' | 'privateFor'>,
): Record<string, string> {
  const cacheControl = cacheControlOf(answers, headers, privateFor);
  const own: Record<string, string> = { 'x-request-id': id, 'cache-control': cacheControl };
  if (cacheControl !== 'no-store' && varyOn.length > 0) own['vary'] = varyOn.join(', ');
  const challenge = challengeOf(answers, status, headers.authorization);
  if (challenge !== undefined) own['www-authenticate'] = challenge;
  const retryAfterS = retryAfterOf(answers);
  if (retryAfterS !== undefined) own['retry-after'] = String(retryAfterS);
  if (status === 405) own['allow'] = method === 'GET' ? 'POST' : 'GET, POST';
  return own;
}
