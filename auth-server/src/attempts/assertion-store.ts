import type { RedisConnection } from '@trellis/redis';
import { sha256 } from '../secrets/secrets.ts';

/** Remembers the ids of signed statements that may be used once. */
export interface AssertionStore {
  /** @returns whether this is the first use */
  markUsed(issuer: string, id: string, ttlS: number): Promise<boolean>;
}

/** Ids in Redis until they would be rejected as expired anyway. */
export function createAssertionStore(redis: RedisConnection): AssertionStore {
  return {
    markUsed: async (issuer, id, ttlS) => {
      const key = `assertion:{${sha256(`${issuer}\n${id}`)}}`;
      return (await redis.set(key, '1', 'EX', Math.max(1, Math.ceil(ttlS)), 'NX')) === 'OK';
    },
  };
}
