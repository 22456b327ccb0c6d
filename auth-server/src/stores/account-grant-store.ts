import type { RedisConnection } from '@trellis/redis';

/** Which grants an account has, so that all of them can be ended. */
export interface AccountGrantStore {
  /** @param expiresAt when the grant ends at the latest, seconds since 1970 */
  add(subject: string, grantId: string, expiresAt: number): Promise<void>;
  /** May name grants that have ended meanwhile. */
  list(subject: string, now: number): Promise<readonly string[]>;
  remove(subject: string, grantId: string): Promise<void>;
}

/** One sorted set an account, scored by the grants' ends, in Redis. */
export function createAccountGrantStore(redis: RedisConnection): AccountGrantStore {
  return {
    add: async (subject, grantId, expiresAt) => {
      await redis.zadd(keyOf(subject), expiresAt, grantId);
      await redis.expireat(keyOf(subject), expiresAt);
    },
    list: async (subject, now) => {
      await redis.zremrangebyscore(keyOf(subject), '-inf', String(now));
      return redis.zrange(keyOf(subject), '0', '-1');
    },
    remove: async (subject, grantId) => {
      await redis.zrem(keyOf(subject), grantId);
    },
  };
}

function keyOf(subject: string): string {
  return `account-grants:{${subject}}`;
}
