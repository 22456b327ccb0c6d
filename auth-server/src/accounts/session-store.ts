import { defineScript, getTogether, type RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { equalsConstantTime, randomToken, sha256 } from '../secrets/secrets.ts';
import { memberOf, parseMember, type ListedGrant } from './listed-grant.ts';
import { createOpenedRecords } from '../secrets/opened-records.ts';
import { createSealedJson } from '../secrets/sealed-json.ts';

/** A browser in which someone has signed in. It outlives the values of its cookie. */
export interface Session {
  /** Public name of the session (`sid`); not the cookie. */
  readonly sessionId: string;
  /** The account's id. */
  readonly subject: string;
  /** When the user signed in last, milliseconds since 1970. */
  readonly authenticatedAt: number;
  /** What kind of browser it is, in words, so that the user recognizes it. */
  readonly browser?: string | undefined;
}

/** When and from where a session was used last. */
export interface SessionSeen {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the browser, as the server saw it. */
  readonly address: string;
}

/** A session as its owner sees it. */
export interface ListedSession extends Session {
  readonly seen: SessionSeen | undefined;
}

/** What hung on a session that has ended. */
export interface EndedSession {
  /** Clients that knew of it. OpenID Connect Back-Channel Logout §2.3 */
  readonly clientIds: readonly string[];
  /** Grants that end with it. */
  readonly grants: readonly ListedGrant[];
}

/** What an application gets through a session. */
export interface SessionUse {
  readonly clientId: string;
  /** The grant, where it ends with the session. */
  readonly boundGrantId: string | undefined;
}

/** Sessions, found by what the browser's cookie holds. */
export interface SessionStore {
  /** Whether other records can be available while this one's node is not. */
  readonly mayFailAlone: boolean;
  /**
   * Begins a session, or goes on with one after another sign-in.
   *
   * @returns the value for the cookie, which is always a new one (session fixation); one of before is of no use any more
   */
  save(session: Session): Promise<string>;
  /** Finds a live session and prolongs it. @param address from where it is used, for its owner to see */
  touch(cookie: string, now: number, address?: string): Promise<Session | undefined>;
  find(sessionId: string, now: number): Promise<Session | undefined>;
  /** Whether there is such a session. It does not prolong it. @param now milliseconds since 1970 */
  isLive(sessionId: string, now: number): Promise<boolean>;
  /** The names of an account's sessions, oldest first. Some may have idled out. */
  listIds(subject: string): Promise<readonly string[]>;
  /** The live sessions of an account, newest first. @param now milliseconds since 1970 */
  list(subject: string, now: number): Promise<readonly ListedSession[]>;
  /** Stores which clients to notify of the session's end, and what ends with it. */
  addUse(sessionId: string, use: SessionUse): Promise<void>;
  /** Grants have ended before the session. */
  removeGrants(sessionId: string, grants: readonly ListedGrant[]): Promise<void>;
  /** Ends a session, and leaves nothing of it. For `endSession` alone. */
  end(subject: string, sessionId: string): Promise<EndedSession>;
}

/** How long sessions live, seconds. */
export interface SessionLifetimes {
  readonly idleTtlS: number;
  readonly ttlS: number;
}

interface SessionRecord extends Session {
  /** Hash of the part of the cookie that only the browser has. */
  readonly secretHash: string;
}

const endSession = defineScript(new URL('../../src/accounts/end-session-4.lua', import.meta.url));

const COOKIE = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

/**
 * Sessions in Redis under their names, with the hash of the cookie's secret, so that reading the store signs no one in, and
 * sealed, so that writing to it does not either. What hangs on a session lies in the same slot.
 */
export function createSessionStore(
  redis: RedisConnection,
  sealer: Sealer,
  lifetimes: SessionLifetimes,
): SessionStore {
  const records = createSealedJson<SessionRecord>(sealer);
  const sightings = createSealedJson<SessionSeen>(sealer);
  const opened = createOpenedRecords<SessionRecord>();
  const remainingS = ({ authenticatedAt }: Session, now: number): number =>
    lifetimes.ttlS - Math.floor((now - authenticatedAt) / 1000);
  const open = (key: string, sealed: string | null, now: number): SessionRecord | undefined => {
    if (sealed === null) opened.forget(key);
    const record = sealed === null ? undefined : opened.read(key, sealed, () => records.open(key, sealed));
    return record && remainingS(record, now) > 0 ? record : undefined;
  };
  const read = (sessionId: string, now: number): Promise<SessionRecord | undefined> => {
    const key = sessionKeys.session(sessionId);
    return getTogether(redis, key).then((sealed) => open(key, sealed, now));
  };
  const see = async (sessionId: string, seen: SessionSeen, ttlS: number): Promise<void> => {
    const key = sessionKeys.seen(sessionId);
    await redis.set(key, sightings.seal(key, seen), 'EX', ttlS);
  };
  const find: SessionStore['find'] = async (sessionId, now) => withoutSecret(await read(sessionId, now));
  return {
    mayFailAlone: redis.isCluster,
    find,
    isLive: (sessionId, now) => {
      const key = sessionKeys.session(sessionId);
      return getTogether(redis, key).then((sealed) => open(key, sealed, now) !== undefined);
    },
    save: async (session) => {
      const { sessionId, subject, authenticatedAt } = session;
      const secret = randomToken();
      const index = indexKey(subject);
      // Listed before it exists, so that whatever ends the account's sessions ends this one too.
      await redis.zadd(index, authenticatedAt / 1000 + lifetimes.ttlS, sessionId);
      await redis.expire(index, lifetimes.ttlS);
      const key = sessionKeys.session(sessionId);
      const record = records.seal(key, { ...session, secretHash: sha256(secret) });
      await redis.set(key, record, 'EX', lifetimes.idleTtlS);
      for (const used of [sessionKeys.clients(sessionId), sessionKeys.grants(sessionId)])
        await redis.expire(used, lifetimes.ttlS);
      return `${sessionId}.${secret}`;
    },
    touch: async (cookie, now, address) => {
      const [, sessionId = '', secret = ''] = COOKIE.exec(cookie) ?? [];
      const record = sessionId === '' ? undefined : await read(sessionId, now);
      if (!record || !equalsConstantTime(record.secretHash, sha256(secret))) return undefined;
      const ttlS = Math.min(lifetimes.idleTtlS, remainingS(record, now));
      await Promise.all([
        redis.expire(sessionKeys.session(sessionId), ttlS),
        address === undefined ? undefined : see(sessionId, { at: now, address }, ttlS),
      ]);
      return withoutSecret(record);
    },
    listIds: (subject) => redis.zrange(indexKey(subject), '0', '-1'),
    list: async (subject, now) => {
      const ids = await redis.zrevrange(indexKey(subject), 0, -1);
      const found = await Promise.all(ids.map((sessionId) => find(sessionId, now)));
      const live = found.flatMap((session) => session ?? []);
      return Promise.all(
        live.map(async (session) => {
          const key = sessionKeys.seen(session.sessionId);
          return { ...session, seen: sightings.open(key, await redis.get(key)) };
        }),
      );
    },
    addUse: async (sessionId, { clientId, boundGrantId }) => {
      const { clients, grants } = sessionKeys;
      await Promise.all([
        redis.sadd(clients(sessionId), clientId),
        redis.expire(clients(sessionId), lifetimes.ttlS),
        ...(boundGrantId === undefined
          ? []
          : [
              redis.sadd(grants(sessionId), memberOf({ grantId: boundGrantId, clientId })),
              redis.expire(grants(sessionId), lifetimes.ttlS),
            ]),
      ]);
    },
    removeGrants: async (sessionId, grants) => {
      if (grants.length > 0) await redis.srem(sessionKeys.grants(sessionId), ...grants.map(memberOf));
    },
    end: async (subject, sessionId) => {
      const { session, clients, grants, seen } = sessionKeys;
      const keys = [session(sessionId), clients(sessionId), grants(sessionId), seen(sessionId)];
      const [clientIds, members] = (await endSession(redis, keys, [])) as [string[], string[]]; // as the script's head says
      await redis.zrem(indexKey(subject), sessionId);
      return { clientIds, grants: members.map(parseMember) };
    },
  };
}

function withoutSecret(record: SessionRecord | undefined): Session | undefined {
  if (!record) return undefined;
  const { secretHash: _secret, ...session } = record;
  return session;
}

/** The keys of one session. Its name is the hash tag, so that one script may touch all of them. */
const sessionKeys = {
  session: (sessionId: string): string => `session:{${sessionId}}`,
  clients: (sessionId: string): string => `session-clients:{${sessionId}}`,
  grants: (sessionId: string): string => `session-grants:{${sessionId}}`,
  seen: (sessionId: string): string => `session-seen:{${sessionId}}`,
};

function indexKey(subject: string): string {
  return `account-sessions:{${subject}}`;
}
