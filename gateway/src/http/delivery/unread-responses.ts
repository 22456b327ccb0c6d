import type { ServerResponse } from 'node:http';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { UnreadResponses } from '../../load/unread-responses.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';

/**
 * Counts what of a response its client has not read, from now until the response ends. Pipelined responses, which wait for
 * their turn, count as well.
 *
 * @param measure bytes that wait. @default those that the response itself holds
 */
export function watchUnread(
  response: ServerResponse,
  unread: UnreadResponses,
  keysOf: () => ShareKeys,
  measure: () => number = () => response.writableLength,
): UnreadBytes {
  const bytes = unread.watch(response.req.socket, keysOf, measure);
  response.once('close', () => bytes.end());
  bytes.update();
  return bytes;
}
