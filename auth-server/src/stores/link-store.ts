import { defineScript, type RedisConnection } from '@trellis/redis';
import type { Role } from '../accounts.ts';
import type { Sealer } from '../sealing.ts';
import { randomToken, sha256 } from '../secrets.ts';
import { createSealedJson } from './sealed-json.ts';

/** What a one-time link lets its holder do: choose the password of a new account, or of one that there is. */
export type AccountLink =
  | {
      readonly purpose: 'invitation' | 'sign_up';
      readonly email: string;
      readonly name: string;
      readonly role: Role;
    }
  | {
      readonly purpose: 'reset';
      readonly email: string;
      /** The account's id. */
      readonly subject: string;
    };

/** One-time links, by unguessable tokens. */
export interface LinkStore {
  /** @returns the token */
  create(link: AccountLink, ttlS: number): Promise<string>;
  find(token: string): Promise<AccountLink | undefined>;
  /** Finds and deletes: of any number of callers one gets it. */
  take(token: string): Promise<AccountLink | undefined>;
}

const take = defineScript(new URL('../../src/stores/take-1.lua', import.meta.url));

/** Links in Redis under the hash of the token, and sealed, so that neither reading nor writing the store opens an account. */
export function createLinkStore(redis: RedisConnection, sealer: Sealer): LinkStore {
  const records = createSealedJson<AccountLink>(sealer);
  return {
    create: async (link, ttlS) => {
      const token = randomToken();
      await redis.set(keyOf(token), records.seal(keyOf(token), link), 'EX', ttlS);
      return token;
    },
    find: async (token) => records.open(keyOf(token), await redis.get(keyOf(token))),
    take: async (token) =>
      records.open(keyOf(token), (await take(redis, [keyOf(token)], [])) as string | null),
  };
}

function keyOf(token: string): string {
  return `link:{${sha256(token)}}`;
}
