import { createEventStream } from '@trellis/events';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createLogger } from '@trellis/runtime';
import { canMirrorRedis, startMirroredRedis } from '@trellis/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createRecentWriters } from '../recent-writers.ts';
import { createInvalidatingStream } from './invalidating-stream.ts';

describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked by a subgraph (needs redis-server)',
  () => {
    it('do the same on every command of the kit', async () => {
      const mirror = await startMirroredRedis();
      const connections: RedisConnection[] = [];
      const connect = (): RedisConnection => {
        const connection = connectRedis({ url: mirror.url, name: 'test', onError: () => undefined });
        connections.push(connection);
        return connection;
      };
      const redis = connect();
      const logger = createLogger({ service: 'test', level: 'silent' });
      const changesOf = () => [{ type: 'Note', id: '1' }];
      const stream = createInvalidatingStream(createEventStream({ redis, service: 'notes' }), {
        redis,
        changesOf,
        logger,
      });
      const id = '01941f29-7c00-7a00-8000-000000000001';
      await stream.add([
        { seq: 1, id, type: 'note.saved', subject: id, payload: {}, occurredAt: new Date() },
      ]);
      const writers = createRecentWriters({ service: 'notes', connectRedis: connect, windowMs: 1 });
      await vi.waitFor(async () => expect(await writers.mayHaveWritten(null)).toBe(false), 10_000);
      await writers.wrote('ada');
      await redis.ping();
      await mirror.settled();
      for (const connection of connections) connection.disconnect();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['packages/subgraph-kit'])).toEqual([]);
      await mirror.stop();
    });
  },
);
