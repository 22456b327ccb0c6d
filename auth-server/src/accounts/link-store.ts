import { defineScript, type RedisConnection } from '@trellis/redis';
import type { Role } from './accounts.ts';
import { canonicalEmail } from './canonical-email.ts';
import type { Sealer } from '../secrets/sealing.ts';
import { randomToken, sha256 } from '../secrets/secrets.ts';
import { createSealedJson } from '../secrets/sealed-json.ts';

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
      /** The account's id. */
      readonly subject: string;
      /** The address and the role that the account had, and the moment of its last password, when the link was issued. */
      readonly email: string;
      readonly role: Role;
      readonly credentialsChangedAt: number;
    };

/** What there is one live link for. */
export type LinkFor =
  | { readonly purpose: 'invitation' | 'sign_up'; readonly email: string }
  | { readonly purpose: 'reset'; readonly subject: string };

/** One-time links, by unguessable tokens: one for each account and purpose. */
export interface LinkStore {
  /** The link before for the same is void from then on. @returns the token */
  create(link: AccountLink, ttlS: number): Promise<string>;
  find(token: string): Promise<AccountLink | undefined>;
  /** Ends the live link, if there is one. */
  end(what: LinkFor): Promise<void>;
}

const swap = defineScript(new URL('../../src/accounts/swap-1.lua', import.meta.url));

/** Links in Redis under the hash of the token, and sealed, so that neither reading nor writing the store opens an account. */
export function createLinkStore(redis: RedisConnection, sealer: Sealer): LinkStore {
  const records = createSealedJson<AccountLink>(sealer);
  return {
    create: async (link, ttlS) => {
      const token = randomToken();
      const key = keyOf(token);
      await redis.set(key, records.seal(key, link), 'EX', ttlS);
      const before = (await swap(redis, [liveKeyOf(link)], [key, ttlS])) as string | null; // as the script's head says
      if (before !== null) await redis.del(before);
      return token;
    },
    find: async (token) => {
      const key = keyOf(token);
      const link = records.open(key, await redis.get(key));
      return link && (await redis.get(liveKeyOf(link))) === key ? link : undefined;
    },
    end: async (what) => {
      const live = await redis.getdel(liveKeyOf(what));
      if (live !== null) await redis.del(live);
    },
  };
}

function keyOf(token: string): string {
  return `link:{${sha256(token)}}`;
}

/** Names the live one among the links for the same. */
function liveKeyOf(what: LinkFor): string {
  const whose = what.purpose === 'reset' ? what.subject : canonicalEmail(what.email);
  return `live-link:{${what.purpose} ${sha256(whose)}}`;
}
