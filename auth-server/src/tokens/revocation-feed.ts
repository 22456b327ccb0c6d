import type { RedisConnection } from '@trellis/redis';
import { redisNames } from '@trellis/subgraph-protocol/redis-names';
import { holderName, type TokenHolder } from './stale-token-store.ts';

/** The sorted set of revocations, scored by the second after which each may be forgotten. */
const REVOCATIONS_KEY = redisNames.revocations;

/** The channel on which each revocation is published. */
const REVOCATIONS_CHANNEL = redisNames.revocations;

/** Publishes to resource servers which access tokens are revoked. */
export interface RevocationFeed {
  /** The tokens of grants. @param now seconds since 1970 */
  publish(grantIds: readonly string[], now: number): Promise<void>;
  /** The tokens of a user or a client that were issued up to a second. @param now seconds since 1970 */
  publishStale(holder: TokenHolder, untilS: number, now: number): Promise<void>;
}

/**
 * A feed in Redis: a set to load at start and to poll, and a channel to be quick. An entry is the id of a grant, or
 * `revoked-before:user:ID:SECOND`, or `revoked-before:client:ID:SECOND`.
 *
 * @param revocationTtlS seconds for which a revocation is remembered
 */
export function createRevocationFeed(redis: RedisConnection, revocationTtlS: number): RevocationFeed {
  const publish = async (entries: readonly string[], now: number): Promise<void> => {
    if (entries.length === 0) return;
    const scored = entries.flatMap((entry) => [now + revocationTtlS, entry]);
    await redis.zadd(REVOCATIONS_KEY, ...scored);
    await Promise.all(entries.map((entry) => redis.publish(REVOCATIONS_CHANNEL, entry)));
    await redis.zremrangebyscore(REVOCATIONS_KEY, '-inf', String(now));
  };
  return {
    publish,
    publishStale: (holder, untilS, now) => publish([`revoked-before:${holderName(holder)}:${untilS}`], now),
  };
}
