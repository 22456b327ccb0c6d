import type { RedisConnection } from '@trellis/redis';
import type { Sealer } from '../sealing.ts';
import { randomToken, sha256 } from '../secrets.ts';
import { createSealedJson } from './sealed-json.ts';

/** A browser in which somebody has signed in. */
export interface Session {
  /** Public name of the session (`sid`); not the cookie. */
  readonly sessionId: string;
  /** The account's id. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly authenticatedAt: number;
  /** What kind of browser it is, in words, so that the person recognizes it. */
  readonly browser?: string | undefined;
}

/** A session, and under which name it can be ended. */
export interface ListedSession extends Session {
  /** Hash of the cookie: names the session and signs nobody in. */
  readonly key: string;
}

/** Sessions, found by what the browser's cookie holds. */
export interface SessionStore {
  /** @returns the value for the cookie, which is always a new one (session fixation) */
  create(session: Session): Promise<string>;
  /** Finds a live session and prolongs it. */
  touch(cookie: string, now: number): Promise<Session | undefined>;
  end(cookie: string): Promise<void>;
  /** The live sessions of an account, at most 100, newest first. @param now milliseconds since 1970 */
  list(subject: string, now: number): Promise<readonly ListedSession[]>;
  /** Ends a session by its name. */
  endByKey(subject: string, key: string): Promise<void>;
  /** Remembers that a client was told of the session. OpenID Connect Back-Channel Logout §2.3 */
  addClient(sessionId: string, clientId: string): Promise<void>;
  /** The clients that were, who are forgotten by this. */
  takeClients(sessionId: string): Promise<readonly string[]>;
}

/** How long sessions live, seconds. */
export interface SessionLifetimes {
  readonly idleTtlS: number;
  readonly ttlS: number;
}

const MOST_LISTED = 100;

/**
 * Sessions in Redis under the hash of the cookie, so that reading the store signs nobody in, and sealed, so that writing to it
 * does not either.
 */
export function createSessionStore(
  redis: RedisConnection,
  sealer: Sealer,
  lifetimes: SessionLifetimes,
): SessionStore {
  const records = createSealedJson<Session>(sealer);
  const find = async (key: string, now: number): Promise<(Session & { remainingS: number }) | undefined> => {
    const session = records.open(sessionKey(key), await redis.get(sessionKey(key)));
    if (!session) return undefined;
    const remainingS = lifetimes.ttlS - Math.floor((now - session.authenticatedAt) / 1000);
    return remainingS <= 0 ? undefined : { ...session, remainingS };
  };
  return {
    create: async (session) => {
      const cookie = randomToken();
      const index = indexKey(session.subject);
      // Listed before it exists, so that whatever ends the account's sessions ends this one too.
      const endsAt = Math.floor(session.authenticatedAt / 1000) + lifetimes.ttlS;
      await redis.zadd(index, endsAt, sha256(cookie));
      await redis.expire(index, lifetimes.ttlS);
      const key = sessionKey(sha256(cookie));
      await redis.set(key, records.seal(key, session), 'EX', lifetimes.idleTtlS);
      return cookie;
    },
    touch: async (cookie, now) => {
      const found = await find(sha256(cookie), now);
      if (!found) return undefined;
      const { remainingS, ...session } = found;
      await redis.expire(sessionKey(sha256(cookie)), Math.min(lifetimes.idleTtlS, remainingS));
      return session;
    },
    end: async (cookie) => {
      await redis.del(sessionKey(sha256(cookie)));
    },
    list: async (subject, now) => {
      await redis.zremrangebyscore(indexKey(subject), '-inf', Math.floor(now / 1000));
      const keys = await redis.zrevrange(indexKey(subject), 0, MOST_LISTED - 1);
      const found = await Promise.all(keys.map(async (key) => ({ key, session: await find(key, now) })));
      return found.flatMap(({ key, session }) => (session ? [{ ...withoutRemaining(session), key }] : []));
    },
    endByKey: async (subject, key) => {
      await redis.del(sessionKey(key));
      await redis.zrem(indexKey(subject), key);
    },
    addClient: async (sessionId, clientId) => {
      await redis.sadd(clientsKey(sessionId), clientId);
      await redis.expire(clientsKey(sessionId), lifetimes.ttlS);
    },
    takeClients: async (sessionId) => {
      const clients = await redis.smembers(clientsKey(sessionId));
      await redis.del(clientsKey(sessionId));
      return clients;
    },
  };
}

function withoutRemaining({ remainingS: _left, ...session }: Session & { remainingS: number }): Session {
  return session;
}

function sessionKey(hash: string): string {
  return `session:{${hash}}`;
}

function indexKey(subject: string): string {
  return `account-sessions:{${subject}}`;
}

function clientsKey(sessionId: string): string {
  return `session-clients:{${sessionId}}`;
}
