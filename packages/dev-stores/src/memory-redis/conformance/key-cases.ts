import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, type RunningServer } from './servers.ts';

/** Keys in time, under transactions, in masses. */
export function describeKeys(server: () => RunningServer): void {
  let redis: Redis;
  let other: Redis;
  beforeAll(async () => {
    redis = await connect(server());
    other = await connect(server());
  });
  beforeEach(() => redis.flushall());
  afterAll(() => [redis, other].forEach((client) => client.disconnect()));

  describe('expiry', () => {
    it('takes a key out of every answer', async () => {
      await redis.set('soon', 'x', 'PX', 60);
      await redis.hset('hash', 'a', '1');
      await redis.pexpire('hash', 60);
      expect(await redis.exists('soon', 'hash')).toBe(2);
      await delay(90);
      expect(await redis.get('soon')).toBeNull();
      expect(await redis.exists('soon', 'hash')).toBe(0);
      expect(await redis.type('hash')).toBe('none');
      expect(await redis.keys('*')).toEqual([]);
      expect(await redis.scan(0)).toEqual(['0', []]);
      expect(await redis.ttl('soon')).toBe(-2);
    });

    it('comes also to keys that nobody asks for', async () => {
      for (let index = 0; index < 200; index += 1) await redis.set(`k:${index}`, 'x', 'PX', 30);
      await redis.set('stays', 'x');
      await expect.poll(() => redis.dbsize(), { timeout: 5_000 }).toBe(1);
    });

    it('is told in what remains', async () => {
      await redis.set('k', 'x', 'PX', 5_000);
      expect(await redis.pttl('k')).toBeGreaterThan(4_500);
      expect(await redis.pttl('k')).toBeLessThanOrEqual(5_000);
      expect(await redis.ttl('k')).toBe(5);
      const at = Number(await redis.call('PEXPIRETIME', 'k'));
      expect(Math.abs(at - Date.now() - 5_000)).toBeLessThan(500);
    });

    it('begins anew with what is put in the place of the old', async () => {
      await redis.set('k', 'old', 'PX', 40);
      await redis.set('k', 'new');
      await delay(60);
      expect(await redis.get('k')).toBe('new');
    });
  });

  describe('WATCH', () => {
    it('breaks a transaction whose key another client changed, deleted or let expire', async () => {
      for (const change of [
        () => other.set('w', 'changed'),
        () => other.del('w'),
        () => other.expire('w', 100),
        () => other.flushall(),
        () => other.pexpire('w', 5).then(() => delay(20)),
        () => other.eval("redis.call('APPEND', KEYS[1], 'x')", 1, 'w'),
      ]) {
        await redis.set('w', '1');
        await redis.watch('w');
        await change();
        expect(await redis.multi().set('w', 'mine').exec()).toBeNull();
      }
    });

    it('does not mind a change of nothing', async () => {
      await redis.set('w', '1');
      await redis.watch('w', 'missing');
      await other.del('missing');
      await other.srem('missing', 'x');
      await other.get('w');
      expect(await redis.multi().get('w').exec()).toEqual([[null, '1']]);
    });

    it('makes optimistic updates safe', async () => {
      const clients = await Promise.all(Array.from({ length: 5 }, () => connect(server())));
      await Promise.all(clients.map((client) => incrementTimes(client, 20)));
      clients.forEach((client) => client.disconnect());
      expect(await redis.get('sum')).toBe('100');
    });
  });

  describe('MULTI', () => {
    it('lets nobody in between', async () => {
      const transactions = [redis, other].map(async (client, index) => {
        for (let round = 0; round < 50; round += 1) {
          const replies = await client.multi().set('m', `${index}:${round}`).get('m').exec();
          expect(replies).toEqual([
            [null, 'OK'],
            [null, `${index}:${round}`],
          ]);
        }
      });
      await Promise.all(transactions);
    });

    it('goes on after a command that fails', async () => {
      const replies = await redis.multi().set('s', 'x').lpush('s', 'y').get('s').exec();
      expect(replies?.[1]?.[0]?.message).toBe(
        'WRONGTYPE Operation against a key holding the wrong kind of value',
      );
      expect(replies?.[2]).toEqual([null, 'x']);
    });
  });

  describe('SCAN', () => {
    it('finds every key that is there all the time, while others come and go', async () => {
      const stable = Array.from({ length: 1_000 }, (_, index) => `stable:${index}`);
      await redis.mset(stable.flatMap((key) => [key, '1']));
      await redis.mset(Array.from({ length: 1_000 }, (_, index) => [`leaving:${index}`, '1']).flat());
      const found = new Set<string>();
      let cursor = '0';
      let page = 0;
      do {
        const [next, keys] = await redis.scan(cursor, 'COUNT', 37);
        keys.forEach((key) => found.add(key));
        cursor = next;
        await redis.unlink(Array.from({ length: 20 }, (_, index) => `leaving:${page * 20 + index}`));
        await redis.set(`coming:${page}`, '1');
        page += 1;
      } while (cursor !== '0');
      expect(page).toBeGreaterThan(10);
      expect(stable.filter((key) => !found.has(key))).toEqual([]);
    });

    it('filters by pattern and type, page by page', async () => {
      await redis.mset(Array.from({ length: 300 }, (_, index) => [`a:${index}`, '1']).flat());
      for (let index = 0; index < 20; index += 1) await redis.sadd(`b:${index}`, 'x');
      const stream = redis.scanStream({ match: 'b:*', type: 'set', count: 25 });
      const found = new Set<string>();
      for await (const keys of stream as AsyncIterable<string[]>) keys.forEach((key) => found.add(key));
      expect([...found].toSorted()).toEqual(
        Array.from({ length: 20 }, (_, index) => `b:${index}`).toSorted(),
      );
    });

    it('reaches all of a large collection', async () => {
      const names = Array.from({ length: 2_000 }, (_, index) => `n${index}`);
      await redis.hset('h', ...names.flatMap((name) => [name, name]));
      await redis.sadd('s', ...names);
      await redis.zadd('z', ...names.flatMap((name, index) => [String(index), name]));
      const fields = await collect((cursor) => redis.hscan('h', cursor));
      const members = await collect((cursor) => redis.sscan('s', cursor));
      const scored = await collect((cursor) => redis.zscan('z', cursor));
      expect(fields.filter((_, index) => index % 2 === 0).toSorted()).toEqual(names.toSorted());
      expect(members.toSorted()).toEqual(names.toSorted());
      expect(scored.filter((_, index) => index % 2 === 0).toSorted()).toEqual(names.toSorted());
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
      for (const [rank, [member]] of order.entries())
        if (rank % 50 === 0) expect(await redis.zrank('z', member)).toBe(rank);
    });

    it('come through one pipeline in order', async () => {
      const pipeline = redis.pipeline();
      for (let index = 0; index < 10_000; index += 1) pipeline.rpush('q', index);
      const replies = await pipeline.exec();
      expect(replies?.map(([, length]) => length)).toEqual(
        Array.from({ length: 10_000 }, (_, index) => index + 1),
      );
      expect(await redis.lrange('q', -2, -1)).toEqual(['9998', '9999']);
    });

    it('of arguments fit in one command', async () => {
      const items = Array.from({ length: 100_000 }, (_, index) => String(index));
      expect(await redis.call('LPUSH', ['l', ...items])).toBe(items.length);
      expect(await redis.lrange('l', 0, 2)).toEqual(['99999', '99998', '99997']);
      expect(await redis.call('SADD', ['s', ...items])).toBe(items.length);
    });

    it('of bytes make one value', async () => {
      const bytes = Buffer.alloc(5_000_000, Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
      await redis.set('big', bytes);
      expect((await redis.getBuffer('big'))?.equals(bytes)).toBe(true);
      expect(await redis.strlen('big')).toBe(bytes.length);
    });

    it('leave a stream trimmed about as asked, and exactly when told', async () => {
      const pipeline = redis.pipeline();
      for (let index = 1; index <= 1_500; index += 1)
        pipeline.xadd('x', 'MAXLEN', '~', 1_000, `${index}-0`, 'n', String(index));
      await pipeline.exec();
      const length = await redis.xlen('x');
      expect(length).toBeGreaterThanOrEqual(1_000);
      expect(length).toBeLessThan(1_500);
      expect(await redis.xtrim('x', 'MAXLEN', 1_000)).toBe(length - 1_000);
      expect((await redis.xrange('x', '-', '+', 'COUNT', 1))[0]?.[0]).toBe('501-0');
    });
  });
}

async function incrementTimes(client: Redis, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    await client.watch('sum');
    const current = Number(await client.get('sum'));
    const replies = await client
      .multi()
      .set('sum', current + 1)
      .exec();
    if (replies !== null) done += 1;
  }
}

async function collect(page: (cursor: string) => Promise<[string, string[]]>): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, items] = await page(cursor);
    found.push(...items);
    cursor = next;
  } while (cursor !== '0');
  return found;
}
