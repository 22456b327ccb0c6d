import { createEventStream } from '@trellis/events';
import { connectRedis } from '@trellis/redis';
import { createLogger } from '@trellis/runtime';
import { canMirrorRedis, startMirroredRedis } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { createInvalidatingStream } from './invalidating-stream.ts';

describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked by a subgraph (needs redis-server)',
  () => {
    it('do the same on every command of the kit', async () => {
      const mirror = await startMirroredRedis();
      const redis = connectRedis({ url: mirror.url, name: 'test', onError: () => undefined });
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
      await redis.ping();
      await mirror.settled();
      redis.disconnect();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['packages/subgraph-kit'])).toEqual([]);
      await mirror.stop();
    });
  },
);
