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
    }
  | {
      readonly purpose: 'change_email';
      /** The account's id. */
      readonly subject: string;
      /** The new address. */
      readonly email: string;
      /** The address and the moment of the last password, when the link was issued. */
      readonly from: string;
      readonly credentialsChangedAt: number;
    };

/** A link that reads `change_email`: who reads what is sent to a new address confirms that it is theirs. */
export type EmailLink = Extract<AccountLink, { readonly purpose: 'change_email' }>;

/** What links are live for. */
export type LinkFor =
  | { readonly purpose: 'invitation' | 'sign_up'; readonly email: string }
  | { readonly purpose: 'reset' | 'change_email'; readonly subject: string };

/** Whose wish a link is: anybody's who has typed an e-mail address, or an administrator's. */
export type LinkIssuer = 'anybody' | 'administrator';

/** One-time links, by unguessable tokens. */
export interface LinkStore {
  /**
   * A link that an administrator issues takes the place of those before. One that anybody may have asked for stands beside
   * them: a request for another in someone's name invalidates none, and within a part of its life it brings the same link again.
   *
   * @returns the token
   */
  create(link: AccountLink, ttlS: number, issuer: LinkIssuer): Promise<string>;
  find(token: string): Promise<AccountLink | undefined>;
  /** Ends all live links for the same. */
  end(what: LinkFor): Promise<void>;
}

const addLiveLink = defineScript(new URL('../../src/accounts/add-live-link-1.lua', import.meta.url));

/** Within this part of a link's life, requests for the same bring the same link. */
const REPEATED_FOR = 1 / 12;
/**
 * More than there are parts of a life. Those for sign-up differ by the name, which anybody may choose: more than are sent to one
 * address in a day (`mail/mail-limits.ts`), and each has taken room of its own.
 */
const MOST_LIVE = { reset: 16, change_email: 1, sign_up: 320, invitation: 16 } as const;

/** The link that was asked for last, and what it is for. */
interface NewestLink {
  readonly token: string;
  readonly link: AccountLink;
}

/** Links in Redis under the hash of the token, and sealed, so that neither reading nor writing the store opens an account. */
export function createLinkStore(redis: RedisConnection, sealer: Sealer): LinkStore {
  const records = createSealedJson<AccountLink>(sealer);
  const newest = createSealedJson<NewestLink>(sealer);
  /** Of requests at the same moment, all get the same. */
  const tokenFor = async (link: AccountLink, ttlS: number): Promise<string> => {
    const token = randomToken();
    const key = newestKeyOf(link);
    const sealed = newest.seal(key, { token, link });
    const forS = Math.max(1, Math.floor(ttlS * REPEATED_FOR));
    if ((await redis.set(key, sealed, 'EX', forS, 'NX')) === 'OK') return token;
    const before = newest.open(key, await redis.get(key));
    if (before && JSON.stringify(before.link) === JSON.stringify(link)) return before.token;
    await redis.set(key, sealed, 'EX', forS);
    return token;
  };
  /** One by one, since they lie on several nodes of a cluster. */
  const deleteAll = async (keys: readonly string[]): Promise<void> => {
    await Promise.all(keys.map((key) => redis.del(key)));
  };
  return {
    create: async (link, ttlS, issuer) => {
      const isRepeatable = issuer === 'anybody';
      if (!isRepeatable) await redis.del(newestKeyOf(link));
      const token = isRepeatable ? await tokenFor(link, ttlS) : randomToken();
      const key = keyOf(token);
      await redis.set(key, records.seal(key, link), 'EX', ttlS, 'NX'); // the same link ends when it would have
      const most = isRepeatable ? MOST_LIVE[link.purpose] : 1;
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
      await redis.del(newestKeyOf(what));
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

/** On the same node of a cluster as the live ones. */
function newestKeyOf(what: LinkFor): string {
  return `${liveKeyOf(what)}:newest`;
}

/** Names the live ones among the links for the same. */
function liveKeyOf(what: LinkFor): string {
  const whose = 'subject' in what ? what.subject : canonicalEmail(what.email);
  return `live-link:{${what.purpose} ${sha256(whose)}}`;
}
