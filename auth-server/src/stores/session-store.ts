import type { RedisConnection } from '@trellis/redis';
import { randomToken, sha256 } from '../secrets.ts';

/** A browser in which somebody has signed in. */
export interface Session {
  /** Public name of the session (`sid`); not the cookie. */
  readonly sessionId: string;
  /** The account's id. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly authenticatedAt: number;
}

/** Sessions, found by what the browser's cookie holds. */
export interface SessionStore {
  /** @returns the value for the cookie, which is always a new one (session fixation) */
  create(session: Session): Promise<string>;
  /** Finds a live session and prolongs it. */
  touch(cookie: string, now: number): Promise<Session | undefined>;
  end(cookie: string): Promise<void>;
}

/** How long sessions live, seconds. */
export interface SessionLifetimes {
  readonly idleTtlS: number;
  readonly ttlS: number;
}

/** Sessions in Redis under the hash of the cookie, so that the store's contents sign nobody in. */
export function createSessionStore(redis: RedisConnection, lifetimes: SessionLifetimes): SessionStore {
  return {
    create: async (session) => {
      const cookie = randomToken();
      await redis.set(keyOf(cookie), JSON.stringify(session), 'EX', lifetimes.idleTtlS);
      return cookie;
    },
    touch: async (cookie, now) => {
      const text = await redis.get(keyOf(cookie));
      if (text === null) return undefined;
      const session = JSON.parse(text) as Session; // written by create above
      const remainingS = lifetimes.ttlS - Math.floor((now - session.authenticatedAt) / 1000);
      if (remainingS <= 0) return undefined;
      await redis.expire(keyOf(cookie), Math.min(lifetimes.idleTtlS, remainingS));
      return session;
    },
    end: async (cookie) => {
      await redis.del(keyOf(cookie));
    },
  };
}

function keyOf(cookie: string): string {
  return `session:{${sha256(cookie)}}`;
}
