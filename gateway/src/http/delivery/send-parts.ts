import type { FastifyReply } from 'fastify';
import { framesOf, HEARTBEAT_FRAME, type IncrementalDialect } from '../../execution/frames.ts';
import type { IncrementalOperationResult, OperationResult } from '../../pipeline/operation-result.ts';
import { writeResult } from '../../pipeline/respond.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import { BOUNDARY, writeMultipart, type MultipartTimes } from './write-multipart.ts';

const PARAMETERS: Readonly<Record<IncrementalDialect, string>> = {
  '20220824': 'deferSpec=20220824',
  'v0.2': 'incrementalSpec=v0.2',
};

/**
 * Sends a response as `multipart/mixed`, each part as soon as it is ready. A complete response is one part.
 *
 * @param watch begins to count what the client has not read
 * @see https://specs.apollo.dev/incremental/v0.1/ and https://specs.apollo.dev/incremental/v0.2/
 */
export function sendParts(
  reply: FastifyReply,
  response: OperationResult | IncrementalOperationResult,
  dialect: IncrementalDialect,
  times: MultipartTimes,
  watch: (measure: () => number) => UnreadBytes,
): FastifyReply {
  const first = response.kind === 'parts' ? response.initial : response;
  const more = response.kind === 'parts' ? response : { pending: [], updates: NONE };
  const frames = framesOf(writeResult(first), more, dialect);
  let isCounted = true;
  const count = (): void => {
    isCounted = true;
    unread.update();
  };
  const onWritten = (): void => {
    if (isCounted) setImmediate(count);
    isCounted = false;
  };
  const body = writeMultipart(frames, HEARTBEAT_FRAME, times, onWritten);
  const unread = watch(() => body.readableLength + reply.raw.writableLength);
  return reply
    .header('content-type', `multipart/mixed; boundary="${BOUNDARY}"; ${PARAMETERS[dialect]}`)
    .header('x-accel-buffering', 'no') // proxies of nginx's kind would keep parts back otherwise
    .send(body);
}

const NONE: AsyncIterable<never> = {
  async *[Symbol.asyncIterator]() {
    // there are no more parts
  },
};
