import { defineScript, type RedisConnection } from '@trellis/redis';

/** Which grants an account has, so that all of them can be ended. */
export interface AccountGrantStore {
  /**
   * Lists a grant, or moves its end.
   *
   * @param expiresAt when the grant, or the code that it begins with, ends at the latest, seconds since 1970
   * @param now seconds since 1970
   */
  add(subject: string, grantId: string, expiresAt: number, now: number): Promise<void>;
  /** May name grants that have ended meanwhile. */
  list(subject: string, now: number): Promise<readonly string[]>;
  remove(subject: string, grantId: string): Promise<void>;
}

const addAccountGrant = defineScript(new URL('../../src/stores/add-account-grant-1.lua', import.meta.url));

/** One sorted set an account, scored by the grants' ends, in Redis. */
export function createAccountGrantStore(redis: RedisConnection): AccountGrantStore {
  return {
    add: async (subject, grantId, expiresAt, now) => {
      await addAccountGrant(redis, [keyOf(subject)], [grantId, expiresAt, now]);
    },
    list: (subject, now) => redis.zrangebyscore(keyOf(subject), String(now), '+inf'),
    remove: async (subject, grantId) => {
      await redis.zrem(keyOf(subject), grantId);
    },
  };
}

function keyOf(subject: string): string {
  return `account-grants:{${subject}}`;
}
