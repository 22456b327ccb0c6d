import type { RedisConnection } from '@trellis/redis';

/** The sorted set of revoked grants, scored by the second after which the revocation may be forgotten. */
export const REVOCATIONS_KEY = 'revocations';

/** The channel on which the id of each revoked grant is published. */
export const REVOCATIONS_CHANNEL = 'revocations';

/** Tells resource servers which grants were revoked. */
export interface RevocationFeed {
  /** @param now seconds since 1970 */
  announce(grantId: string, now: number): Promise<void>;
}

/**
 * A feed in Redis: a set to load at start and to poll, and a channel to be quick.
 *
 * @param revocationTtlS seconds for which a revocation is remembered
 */
export function createRevocationFeed(redis: RedisConnection, revocationTtlS: number): RevocationFeed {
  return {
    announce: async (grantId, now) => {
      await redis.zadd(REVOCATIONS_KEY, now + revocationTtlS, grantId);
      await redis.publish(REVOCATIONS_CHANNEL, grantId);
      await redis.zremrangebyscore(REVOCATIONS_KEY, '-inf', String(now));
    },
  };
}
