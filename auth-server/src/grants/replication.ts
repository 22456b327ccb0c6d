import type { RedisConnection } from '@trellis/redis';
import { OAuthError } from '../errors.ts';

/** Does a write, and answers when the loss of one server can't undo it any more. */
export type Replicated = <Result>(write: () => Promise<Result>) => Promise<Result>;

/** Milliseconds that a replica may take. */
const TIMEOUT_MS = 500;

/**
 * Waits for replicas after a code was consumed or a refresh token rotated: what a failover could undo is not handed out.
 *
 * @param replicas how many must have the write; 0 does not wait
 * @returns a function that throws OAuthError temporarily_unavailable when too few have it in time
 */
export function createReplicated(redis: RedisConnection, replicas: number): Replicated {
  if (replicas === 0) return (write) => write();
  return async (write) => {
    // WAIT is about the writes of its own connection: after another one took its place it would vouch for nothing, and a
    // cluster would send it to any node.
    const before = streamOf(redis);
    const result = await write();
    const acknowledged = 'wait' in redis ? await redis.wait(replicas, TIMEOUT_MS) : 0;
    if (acknowledged >= replicas && streamOf(redis) === before) return result;
    throw new OAuthError('temporarily_unavailable', 'The store has lost a replica. Try again.', {
      headers: { 'retry-after': '5' },
      detail: `${acknowledged} of ${replicas} replicas`,
    });
  };
}

function streamOf(redis: RedisConnection): unknown {
  return 'stream' in redis ? redis.stream : undefined;
}
