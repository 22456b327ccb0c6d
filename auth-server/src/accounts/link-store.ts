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

/** What links are live for. */
export type LinkFor =
  | { readonly purpose: 'invitation' | 'sign_up'; readonly email: string }
  | { readonly purpose: 'reset'; readonly subject: string };

/** Whose wish a link is: anybody's who has typed an e-mail address, or an administrator's. */
export type LinkIssuer = 'anybody' | 'administrator';

/** One-time links, by unguessable tokens. */
export interface LinkStore {
  /**
   * A link that an administrator issues takes the place of those before. One that anybody may have asked for stands beside
   * them: a request for another in someone's name invalidates none.
   *
   * @returns the token
   */
  create(link: AccountLink, ttlS: number, issuer: LinkIssuer): Promise<string>;
  find(token: string): Promise<AccountLink | undefined>;
  /** Ends all live links for the same. */
  end(what: LinkFor): Promise<void>;
}

const addLiveLink = defineScript(new URL('../../src/accounts/add-live-link-1.lua', import.meta.url));

/** More than one address is sent in an hour, by all who may ask (`mail/mail-limits.ts`): each works for an hour at least. */
const MOST_LIVE = 16;

/** Links in Redis under the hash of the token, and sealed, so that neither reading nor writing the store opens an account. */
export function createLinkStore(redis: RedisConnection, sealer: Sealer): LinkStore {
  const records = createSealedJson<AccountLink>(sealer);
  /** One by one, since they lie on several nodes of a cluster. */
  const deleteAll = async (keys: readonly string[]): Promise<void> => {
    await Promise.all(keys.map((key) => redis.del(key)));
  };
  return {
    create: async (link, ttlS, issuer) => {
      const token = randomToken();
      const key = keyOf(token);
      await redis.set(key, records.seal(key, link), 'EX', ttlS);
      const most = issuer === 'administrator' ? 1 : MOST_LIVE;
      const ended = (await addLiveLink(redis, [liveKeyOf(link)], [key, ttlS, most])) as readonly string[]; // as the script's head says
      await deleteAll(ended);
      return token;
    },
    find: async (token) => {
      const key = keyOf(token);
      const link = records.open(key, await redis.get(key));
      if (link === undefined) return undefined;
      return linesOf(await redis.get(liveKeyOf(link))).includes(key) ? link : undefined;
    },
    end: async (what) => {
      await deleteAll(linesOf(await redis.getdel(liveKeyOf(what))));
    },
  };
}

function keyOf(token: string): string {
  return `link:{${sha256(token)}}`;
}

function linesOf(text: string | null): readonly string[] {
  return text?.split('\n') ?? [];
}

/** Names the live ones among the links for the same. */
function liveKeyOf(what: LinkFor): string {
  const whose = what.purpose === 'reset' ? what.subject : canonicalEmail(what.email);
  return `live-link:{${what.purpose} ${sha256(whose)}}`;
}
