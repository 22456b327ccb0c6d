import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRevocationFeed, type RevocationFeed } from './revocation-feed.ts';

let server: TestRedis;
let redis: RedisConnection;
let feed: RevocationFeed;
let errors: Error[];
let nowS: number;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

beforeEach(async () => {
  errors = [];
  nowS = Math.floor(Date.now() / 1_000);
  redis = connectRedis({ url: server.url, name: 'test', onError: (error) => errors.push(error) });
  await redis.flushall();
});
afterEach(async () => {
  await feed.close();
  redis.disconnect();
});

async function start(pollMs = 60_000): Promise<void> {
  feed = await startRevocationFeed({
    redis,
    subscriber: connectRedis({ url: server.url, name: 'test', onError: (error) => errors.push(error) }),
    pollMs,
    nowS: () => nowS,
    onError: (error) => errors.push(error),
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('It did not come true within 10 s.');
    await sleep(10);
  }
}

describe('The feed of revoked grants', () => {
  it('knows at once what was revoked before it started, and forgets what is over', async () => {
    await redis.zadd('revocations', nowS + 900, 'alive', nowS - 1, 'over');
    await start();
    expect([feed.has('alive'), feed.has('over'), feed.has('other')]).toEqual([true, false, false]);
  });

  it('hears of a revocation within a second, and tells who listens', async () => {
    await start();
    const heard: string[] = [];
    const stop = feed.onRevoked((grantId) => heard.push(grantId));
    const publishedAt = performance.now();
    await redis.publish('revocations', 'grant-9');
    await until(() => feed.has('grant-9'));
    expect(performance.now() - publishedAt).toBeLessThan(1_000);
    expect(heard).toEqual(['grant-9']);
    stop();
    await redis.publish('revocations', 'grant-10');
    await until(() => feed.has('grant-10'));
    expect(heard).toEqual(['grant-9']);
  });

  it('makes up for messages it missed, and forgets in time', async () => {
    await start(20);
    await redis.zadd('revocations', nowS + 900, 'missed');
    await until(() => feed.has('missed'));
    nowS += 901;
    await until(() => !feed.has('missed'));
  });

  it('F-07 keeps what it knows while Redis is away, and catches up afterwards', async () => {
    await redis.zadd('revocations', nowS + 900, 'before');
    await start(50);
    const restarting = server.restart();
    await until(() => redis.status !== 'ready');
    expect(feed.has('before')).toBe(true);
    await restarting;
    const deadline = Date.now() + 10_000;
    while (!feed.has('after') && Date.now() < deadline) {
      await redis.publish('revocations', 'after').catch(() => undefined);
      await sleep(50);
    }
    expect([feed.has('before'), feed.has('after')]).toEqual([true, true]);
  });
});
