import type { RedisConnection } from '@trellis/redis';
import { randomToken } from '../secrets.ts';

/** An authorization request that a client has pushed. */
export interface PushedRequest {
  readonly clientId: string;
  readonly parameters: readonly (readonly [string, string])[];
}

/** Pushed authorization requests. RFC 9126 */
export interface PushedRequestStore {
  /** Seconds in which a pushed request must be visited. */
  readonly lifetimeS: number;
  /** @returns an unguessable id */
  save(request: PushedRequest): Promise<string>;
  find(id: string): Promise<PushedRequest | undefined>;
  /** Atomic: of any number of callers one gets true, also after the request has expired. */
  consume(id: string): Promise<boolean>;
}

const LIFETIME_S = 90;

/** Pushed requests in Redis. @param transactionTtlS seconds that a person may take between visit and code */
export function createPushedRequestStore(
  redis: RedisConnection,
  transactionTtlS: number,
): PushedRequestStore {
  return {
    lifetimeS: LIFETIME_S,
    save: async (request) => {
      const id = randomToken(18);
      await redis.set(keyOf(id), JSON.stringify(request), 'EX', LIFETIME_S);
      return id;
    },
    find: async (id) => {
      const text = await redis.get(keyOf(id));
      return text === null ? undefined : (JSON.parse(text) as PushedRequest); // written by save above
    },
    consume: async (id) => {
      const ttlS = LIFETIME_S + transactionTtlS;
      const isFirst = (await redis.set(usedKeyOf(id), '1', 'EX', ttlS, 'NX')) === 'OK';
      if (isFirst) await redis.del(keyOf(id));
      return isFirst;
    },
  };
}

function keyOf(id: string): string {
  return `pushed:{${id}}`;
}

function usedKeyOf(id: string): string {
  return `pushed-used:{${id}}`;
}
