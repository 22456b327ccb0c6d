import { shareKeysOf } from '@trellis/runtime/admission';
import type { FastifyRequest } from 'fastify';
import { tooManyRequests } from '../errors.ts';
import type { Client } from '../clients/client-store.ts';
import { FULL_RETRY_S, RECORD_OVERHEAD_BYTES } from '../attempts/write-room.ts';
import type { AttemptFeatures } from '../attempts/attempt-features.ts';

/** What counts what is written. */
export type TakeRoomFeatures = Pick<AttemptFeatures, 'writeRoom'>;

/**
 * Takes room in Redis for what a client that need not prove who it is has written there. One that has proved it is limited by
 * its requests alone.
 *
 * @throws OAuthError 429 when the network has its share already
 */
export function takeRoom(
  { ip: address }: FastifyRequest,
  { metadata }: Client,
  bytes: number,
  ttlS: number,
  { writeRoom }: TakeRoomFeatures,
): void {
  if (metadata.token_endpoint_auth_method === 'none') takeRoomOf(address, bytes, ttlS, { writeRoom });
}

/** The same for the sender of a request. @throws OAuthError 429 when the network has its share already */
export function takeRoomOf(
  address: string,
  bytes: number,
  ttlS: number,
  { writeRoom }: Pick<AttemptFeatures, 'writeRoom'>,
): void {
  if (writeRoom.take(shareKeysOf({ address }), bytes + RECORD_OVERHEAD_BYTES, ttlS)) return;
  throw tooManyRequests('Too much that was begun from this network is not finished.', FULL_RETRY_S);
}
