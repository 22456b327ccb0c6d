import type { RedisConnection } from '@trellis/redis';
import { redisNames } from './redis-names.ts';

/** Users who have been active, published as one batch. */
export interface ActivityBatch {
  /** The place in the stream. */
  readonly id: string;
  /** When it was published, by the clock of Redis, milliseconds since 1970. */
  readonly atMs: number;
  /** As the tokens name them. */
  readonly userIds: readonly string[];
}

/** A stream in Redis to which every gateway adds, and from which the users service reads. Allowed to be lost. */
export interface ActivityStream {
  /** One write, however many they are. */
  add(userIds: readonly string[]): Promise<void>;
  /**
   * Reads on behind a place, or from a moment on; waits at most `waitMs` for the first batch.
   *
   * @param connection one that no one else uses: it is blocked while it waits
   * @param after the id of a batch, or milliseconds since 1970
   */
  readAfter(
    connection: RedisConnection,
    after: string | number,
    waitMs: number,
  ): Promise<readonly ActivityBatch[]>;
}

const KEY = redisNames.activity;
/** Batches that are stored; the users service reads them within moments. */
const MAX_BATCHES = 10_000;
const PAGE = 100;

type Entry = readonly [id: string, fields: readonly string[]];

/** @param redis for adding; may be shared with others */
export function createActivityStream(redis: RedisConnection): ActivityStream {
  return {
    add: async (userIds) => {
      await redis.xadd(KEY, 'MAXLEN', '~', MAX_BATCHES, '*', 'users', JSON.stringify(userIds));
    },
    readAfter: async (connection, after, waitMs) => {
      const from = typeof after === 'number' ? `${after}-0` : after;
      const response = (await connection.xread('COUNT', PAGE, 'BLOCK', waitMs, 'STREAMS', KEY, from)) as
        [[string, Entry[]]] | null; // one key was asked for
      return (response?.[0][1] ?? []).map(batchOf);
    },
  };
}

function batchOf([id, [, users = '[]']]: Entry): ActivityBatch {
  return { id, atMs: Number(id.split('-')[0]), userIds: JSON.parse(users) as string[] }; // written by add
}
