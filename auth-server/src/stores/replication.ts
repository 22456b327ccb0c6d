import type { RedisConnection } from '@trellis/redis';
import { OAuthError } from '../errors.ts';

/** Waits until what was written on a connection can't be lost by the loss of one server. */
export type AwaitReplication = () => Promise<void>;

/** Milliseconds that a replica may take. */
const TIMEOUT_MS = 500;

/**
 * Waits for replicas after a code was consumed or a refresh token rotated: what a failover could undo is not handed out.
 *
 * @param replicas how many must have the write; 0 does not wait
 * @returns a function that throws OAuthError temporarily_unavailable when too few have it in time
 */
export function createAwaitReplication(redis: RedisConnection, replicas: number): AwaitReplication {
  if (replicas === 0) return async () => undefined;
  return async () => {
    // WAIT is about the writes of its own connection; a cluster would send it to any node.
    const acknowledged = 'wait' in redis ? await redis.wait(replicas, TIMEOUT_MS) : 0;
    if (acknowledged >= replicas) return;
    throw new OAuthError('temporarily_unavailable', 'The store has lost a replica. Try again.', {
      headers: { 'retry-after': '5' },
      detail: `${acknowledged} of ${replicas} replicas`,
    });
  };
}
