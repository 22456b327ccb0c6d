import type { RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { randomToken } from '../secrets/secrets.ts';
import { createSealedJson } from '../secrets/sealed-json.ts';
import type { UsedRequestObject } from './request-object.ts';

/** An authorization request that a client has pushed. */
export interface PushedRequest {
  readonly clientId: string;
  readonly parameters: readonly (readonly [string, string])[];
  /** The request object that they came in. RFC 9126 §3 */
  readonly requestObject?: UsedRequestObject | undefined;
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

/** Pushed requests in Redis, sealed. @param transactionTtlS seconds that a user may take between visit and code */
export function createPushedRequestStore(
  redis: RedisConnection,
  sealer: Sealer,
  transactionTtlS: number,
): PushedRequestStore {
  const records = createSealedJson<PushedRequest>(sealer);
  return {
    lifetimeS: LIFETIME_S,
    save: async (request) => {
      const id = randomToken(18);
      await redis.set(keyOf(id), records.seal(keyOf(id), request), 'EX', LIFETIME_S);
      return id;
    },
    find: async (id) => records.open(keyOf(id), await redis.get(keyOf(id))),
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
