import { PROOF_ALGORITHMS } from '@trellis/admission';
import { gatewayErrorCodes, isGatewayErrorCode } from '../../errors.ts';
import type { OperationAnswer } from '../../pipeline/operation-answer.ts';
import type { ResultMediaType } from './negotiate.ts';

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
  return answer.data === undefined ? described.jsonStatus : 200;
}

/** The status of a batch: the one that all its answers have, else 200. */
export function statusOfBatch(answers: readonly OperationAnswer[], mediaType: ResultMediaType): number {
  const [first = 200, ...others] = answers.map((answer) => statusOf(answer, mediaType));
  return others.every((status) => status === first) ? first : 200;
}

/**
 * The challenge for an answer that lacked a valid token, if it did: `invalid_token` when one was sent.
 *
 * @see RFC 6750 §3, RFC 9449 §7.1
 */
export function challengeOf(
  answers: readonly OperationAnswer[],
  status: number,
  authorization: string | undefined,
): string | undefined {
  const rejected = answers.some(
    (answer) => answer.errors[0]?.extensions?.['code'] === 'UNAUTHENTICATED' && answer.data === undefined,
  );
  if (!rejected && status !== 401) return undefined;
  if (authorization === undefined) return 'Bearer realm="graph"';
  if (!/^dpop /i.test(authorization)) return 'Bearer realm="graph", error="invalid_token"';
  return `DPoP realm="graph", error="invalid_token", algs="${PROOF_ALGORITHMS.join(' ')}"`;
}

/** Seconds after which a client that was turned away may try again, where an answer says so. RFC 9110 §10.2.3. */
export function retryAfterOf(answers: readonly Pick<OperationAnswer, 'errors'>[]): number | undefined {
  const seconds = answers.map(({ errors }) => errors[0]?.extensions?.['retryAfterS']);
  const longest = Math.max(0, ...seconds.filter((value) => typeof value === 'number'));
  return longest > 0 ? longest : undefined;
}
