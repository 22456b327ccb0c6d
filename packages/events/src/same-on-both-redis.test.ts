import { connectRedis } from '@trellis/redis';
import { canMirrorRedis, startMirroredRedis } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import type { SequencedEvent } from './domain-event.ts';
import { createEventStream } from './event-stream.ts';

function eventOf(seq: number): SequencedEvent {
  const id = '01941f29-7c00-7a00-8000-000000000001';
  return {
    seq,
    id,
    type: 'note.saved',
    subject: id,
    payload: { text: 'x'.repeat(seq) },
    occurredAt: new Date(),
  };
}

describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked for events (needs redis-server)',
  () => {
    it('do the same on every command of streams', async () => {
      const mirror = await startMirroredRedis();
      const redis = connectRedis({ url: mirror.url, name: 'test', onError: () => undefined });
      const stream = createEventStream({ redis, service: 'notes', maxLength: 3 });
      expect([await stream.first(), await stream.last()]).toEqual([0, 0]);
      await stream.add([1, 2, 3].map(eventOf));
      await stream.add([2, 3, 4].map(eventOf)); // it has two of them
      expect([await stream.first(), await stream.last()]).toEqual([1, 4]);
      expect(await stream.readRange(1, 2)).toHaveLength(2);
      expect(await stream.readAfter(redis, 2, 10, 10)).toHaveLength(2);
      expect(await stream.readAfter(redis, 4, 10, 10)).toEqual([]);
      await stream.clear();
      await mirror.settled();
      redis.disconnect();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['packages/events'])).toEqual([]);
      await mirror.stop();
    });
  },
);
