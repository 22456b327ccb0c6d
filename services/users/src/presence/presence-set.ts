import { defineScript, type RedisConnection } from '@trellis/redis';
import { eventKey, eventStreamName } from '@trellis/subgraph-protocol/redis-names';
import { z } from 'zod';

/** A user who is online. */
export interface Presence {
  readonly userId: string;
  readonly lastSeen: Date;
}

/** A user who has come online or gone offline. */
export interface PresenceChange extends Presence {
  readonly online: boolean;
}

/** The users online, in Redis, by when they were last seen. Each change is published once, whichever process notices it. */
export interface PresenceSet {
  /**
   * Notes that users have shown themselves. What is older than the window counts for nothing.
   *
   * @param userIds UUIDs
   * @returns how many were offline before
   */
  record(userIds: readonly string[], at: Date): Promise<number>;
  /** Forgets those who have not been seen within the window. @returns how many, at most `limit` */
  sweep(limit: number): Promise<number>;
  /** Who was seen within the window, the last one seen first. */
  list(limit: number): Promise<readonly Presence[]>;
}

/** The name by which the changes of presence are a stream of events. */
export const PRESENCE_STREAM = 'presence';

const KEYS = [eventKey(PRESENCE_STREAM, 'seen'), eventStreamName(PRESENCE_STREAM)] as const;
/** About how many changes can be gone back to. */
const MAX_CHANGES = 10_000;
/** Users in one call of a script, which nothing else runs beside. */
const BATCH = 500;

const recordActivity = defineScript(new URL('../../src/presence/record-activity-2.lua', import.meta.url));
const sweepGone = defineScript(new URL('../../src/presence/sweep-2.lua', import.meta.url));

const status = z.object({ userId: z.uuid(), online: z.boolean(), lastSeenMs: z.number() });

/** Parses a change from the stream. */
export function readPresenceChange(payload: unknown): PresenceChange {
  const { userId, online, lastSeenMs } = status.parse(payload);
  return { userId, online, lastSeen: new Date(lastSeenMs) };
}

/** @param windowMs milliseconds for which a user is online after having been seen */
export function createPresenceSet(redis: RedisConnection, windowMs: number): PresenceSet {
  return {
    record: async (userIds, at) => {
      let come = 0;
      for (let start = 0; start < userIds.length; start += BATCH) {
        const batch = userIds.slice(start, start + BATCH);
        come += Number(
          await recordActivity(redis, KEYS, [
            at.getTime(),
            windowMs,
            MAX_CHANGES,
            at.toISOString(),
            ...batch,
          ]),
        );
      }
      return come;
    },
    sweep: async (limit) =>
      Number(await sweepGone(redis, KEYS, [windowMs, MAX_CHANGES, new Date().toISOString(), limit])),
    list: async (limit) => {
      const from = Date.now() - windowMs;
      const pairs = await redis.zrevrangebyscore(
        KEYS[0],
        '+inf',
        `(${from}`,
        'WITHSCORES',
        'LIMIT',
        0,
        limit,
      );
      return pairs.flatMap((userId, index) =>
        index % 2 === 0 ? [{ userId, lastSeen: new Date(Number(pairs[index + 1])) }] : [],
      );
    },
  };
}
