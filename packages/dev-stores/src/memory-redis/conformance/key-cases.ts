import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, type RunningServer } from './servers.ts';

/** Keys in time and in masses. */
export function describeKeys(server: () => RunningServer): void {
  let redis: Redis;
  beforeAll(async () => {
    redis = await connect(server());
  });
  beforeEach(() => redis.flushall());
  afterAll(() => redis.disconnect());

  describe('expiry', () => {
    it('takes a key out of every response', async () => {
      await redis.set('soon', 'x', 'PX', 60);
      await redis.sadd('set', 'a');
      await redis.pexpire('set', 60);
      expect(await redis.exists('soon', 'set')).toBe(2);
      await delay(90);
      expect(await redis.get('soon')).toBeNull();
      expect(await redis.exists('soon', 'set')).toBe(0);
      expect(await redis.keys('*')).toEqual([]);
      expect(await redis.ttl('soon')).toBe(-2);
    });

    it('comes also to keys that are not read', async () => {
      for (let index = 0; index < 200; index += 1) await redis.set(`k:${index}`, 'x', 'PX', 30);
      await redis.set('stays', 'x');
      await expect.poll(() => redis.dbsize()).toBe(1);
    });

    it('is returned as the time that remains', async () => {
      await redis.set('k', 'x', 'PX', 5_000);
      expect(await redis.pttl('k')).toBeGreaterThan(4_500);
      expect(await redis.pttl('k')).toBeLessThanOrEqual(5_000);
      expect(await redis.ttl('k')).toBe(5);
    });

    it('starts over with a value that replaces the old', async () => {
      await redis.set('k', 'old', 'PX', 40);
      await redis.set('k', 'new');
      await delay(60);
      expect(await redis.get('k')).toBe('new');
    });
  });

  describe('masses', () => {
    it('keep a sorted set in order under every kind of change', async () => {
      const expected = new Map<string, number>();
      const pipeline = redis.pipeline();
      for (let step = 0; step < 2_000; step += 1) {
        const member = `m${(step * 7_919) % 500}`;
        const score = ((step * 104_729) % 1_000) - 500;
        if (step % 5 === 4) {
          pipeline.zrem('z', member);
          expected.delete(member);
        } else {
          pipeline.zadd('z', score, member);
          expected.set(member, score);
        }
      }
      await pipeline.exec();
      const order = [...expected].toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
      expect(await redis.zrange('z', '0', '-1', 'WITHSCORES')).toEqual(
        order.flatMap(([m, s]) => [m, String(s)]),
      );
    });

    it('come through one pipeline in order', async () => {
      const pipeline = redis.pipeline();
      for (let index = 0; index < 10_000; index += 1) pipeline.incr('q');
      const replies = await pipeline.exec();
      expect(replies?.map(([, length]) => length)).toEqual(
        Array.from({ length: 10_000 }, (_, index) => index + 1),
      );
    });

    it('of arguments fit in one command', async () => {
      const items = Array.from({ length: 100_000 }, (_, index) => String(index));
      expect(await redis.call('SADD', ['s', ...items])).toBe(items.length);
    });

    it('of bytes make one value', async () => {
      const bytes = Buffer.alloc(5_000_000, Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
      await redis.set('big', bytes);
      expect((await redis.getBuffer('big'))?.equals(bytes)).toBe(true);
      expect(await redis.strlen('big')).toBe(bytes.length);
    });

    it('leave a stream trimmed about as asked, and exactly on request', async () => {
      const pipeline = redis.pipeline();
      for (let index = 1; index <= 1_500; index += 1)
        pipeline.xadd('x', 'MAXLEN', '~', 1_000, `${index}-0`, 'n', String(index));
      await pipeline.exec();
      const { length } = await redis.xrange('x', '-', '+');
      expect(length).toBeGreaterThanOrEqual(1_000);
      expect(length).toBeLessThan(1_500);
      expect(await redis.xtrim('x', 'MAXLEN', 1_000)).toBe(length - 1_000);
      expect((await redis.xrange('x', '-', '+', 'COUNT', 1))[0]?.[0]).toBe('501-0');
    });
  });
}
