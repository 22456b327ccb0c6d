import { own } from '@trellis/runtime/own-property';
import { IDEMPOTENCY_KEY } from '@trellis/subgraph-protocol/idempotency-key';
import type { GraphRequest, RequestContext } from '../request/context.ts';
import { rejected } from '../errors.ts';

/** The parts of a request that subgraphs get. */
type ForwardedRequest = Pick<RequestContext, 'headers' | 'requestId'>;

/**
 * Lets `extensions.idempotencyKey` of a mutation stand for the header `Idempotency-Key`, where an operation has no headers of its
 * own (over WebSocket, in a batch). It goes on as the header does: to subgraphs that the operator lets have it.
 *
 * @throws RequestError BAD_USER_INPUT when it is not a string of 1 to 255 visible ASCII characters
 */
export function withIdempotencyKey(
  request: ForwardedRequest,
  extensions: GraphRequest['extensions'],
): ForwardedRequest {
  const key = own(extensions, 'idempotencyKey');
  if (key === undefined || key === null) return request;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) throw badKey(key);
  return { headers: { ...request.headers, 'idempotency-key': key }, requestId: request.requestId };
}

function badKey(key: unknown): Error {
  return rejected('BAD_USER_INPUT', 'An idempotency key has 1 to 255 visible ASCII characters.', {
    field: 'extensions.idempotencyKey',
    invalidValue: typeof key === 'string' ? key.slice(0, 255) : null,
  });
}
