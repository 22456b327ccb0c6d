import { defineScript, type RedisConnection } from '@trellis/redis';
import type { Role } from '../accounts.ts';
import { randomToken, sha256 } from '../secrets.ts';

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

/** Links in Redis under the hash of the token, so that the store's contents open no account. */
export function createLinkStore(redis: RedisConnection): LinkStore {
  return {
    create: async (link, ttlS) => {
      const token = randomToken();
      await redis.set(keyOf(token), JSON.stringify(link), 'EX', ttlS);
      return token;
    },
    find: async (token) => parse(await redis.get(keyOf(token))),
    take: async (token) => parse((await take(redis, [keyOf(token)], [])) as string | null),
  };
}

/** What is read was written by `create`. */
function parse(text: string | null): AccountLink | undefined {
  return text === null ? undefined : (JSON.parse(text) as AccountLink);
}

function keyOf(token: string): string {
  return `link:{${sha256(token)}}`;
}
