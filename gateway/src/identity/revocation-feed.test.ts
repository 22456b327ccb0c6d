import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { latencyBudgetMs, startTestRedis, type TestRedis, until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRevocationFeed, type RevocationFeed } from './revocation-feed.ts';
import type { TokenHolder } from './revocation.ts';

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

async function start(pollMs = 60_000, issuer?: string): Promise<void> {
  feed = await startRevocationFeed({
    redis,
    subscriber: connectRedis({ url: server.url, name: 'test', onError: (error) => errors.push(error) }),
    pollMs,
    issuer,
    nowS: () => nowS,
    onError: (error) => errors.push(error),
  });
}

function tokenOf(claims: Readonly<Record<string, unknown>>): TokenHolder {
  const grantId = claims['gid'];
  return { claims, grantId: typeof grantId === 'string' ? grantId : undefined };
}

function hasGrant(grantId: string): boolean {
  return feed.has(tokenOf({ gid: grantId }));
}

describe('The feed of revoked grants', () => {
  it('knows at once what was revoked before it started, and forgets what is over', async () => {
    await redis.zadd('revocations', nowS + 900, 'alive', nowS - 1, 'over');
    await start();
    expect([hasGrant('alive'), hasGrant('over'), hasGrant('other')]).toEqual([true, false, false]);
  });

  it('hears of a revocation within a second, and notifies its listeners', async () => {
    await start();
    const heard: string[] = [];
    const stop = feed.onRevoked((concerns) => {
      for (const grantId of ['grant-9', 'grant-10'])
        if (concerns(tokenOf({ gid: grantId }))) heard.push(grantId);
    });
    const publishedAt = performance.now();
    await redis.publish('revocations', 'grant-9');
    await until(() => hasGrant('grant-9'));
    expect(performance.now() - publishedAt).toBeLessThan(latencyBudgetMs(1_000));
    expect(heard).toEqual(['grant-9']);
    stop();
    await redis.publish('revocations', 'grant-10');
    await until(() => hasGrant('grant-10'));
    expect(heard).toEqual(['grant-9']);
  });

  it('makes up for messages it missed, and forgets in time', async () => {
    await start(20);
    await redis.zadd('revocations', nowS + 900, 'missed');
    await until(() => hasGrant('missed'));
    nowS += 901;
    await until(() => !hasGrant('missed'));
  });

  it('F-07 keeps what it knows while Redis is unavailable, and catches up afterwards', async () => {
    await redis.zadd('revocations', nowS + 900, 'before');
    await start(50);
    const restarting = server.restart();
    await until(() => redis.status !== 'ready');
    expect(hasGrant('before')).toBe(true);
    await restarting;
    const deadline = Date.now() + 90_000;
    while (!hasGrant('after') && Date.now() < deadline) {
      await redis.publish('revocations', 'after').catch(() => undefined);
      await sleep(50);
    }
    expect([hasGrant('before'), hasGrant('after')]).toEqual([true, true]);
  });
});

describe('M3: tokens that were issued before their user or client got fewer rights', () => {
  const SECOND = 1_800_000_000;
  const token = { iss: 'ours', sub: 'ada', client_id: 'app', gid: 'g', iat: SECOND };

  it('are revoked up to the second that is published, whichever grant they are of; others are not', async () => {
    await start();
    await redis.publish('revocations', `revoked-before:user:ada:${SECOND}`);
    await until(() => feed.has(tokenOf(token)));
    expect(feed.has(tokenOf({ ...token, gid: 'another', iat: SECOND - 900 }))).toBe(true);
    expect(feed.has(tokenOf({ ...token, iat: SECOND + 1 }))).toBe(false);
    expect(feed.has(tokenOf({ ...token, sub: 'alan' }))).toBe(false);
    expect(feed.has(tokenOf({ sub: 'ada', client_id: 'ada', iat: SECOND })), 'a client of that name').toBe(
      false,
    );
  });

  it('are those of a client for all of its people, and its own', async () => {
    await redis.zadd('revocations', nowS + 900, `revoked-before:client:app:with:colons:${SECOND}`);
    await start();
    const client = { client_id: 'app:with:colons' };
    expect(feed.has(tokenOf({ ...token, ...client }))).toBe(true);
    expect(feed.has(tokenOf({ ...token, ...client, sub: 'app:with:colons' }))).toBe(true);
    expect(feed.has(tokenOf(token))).toBe(false);
  });

  it('are of the issuer that publishes it, and of no other', async () => {
    await redis.zadd('revocations', nowS + 900, `revoked-before:user:ada:${SECOND}`);
    await start(60_000, 'ours');
    expect(feed.has(tokenOf(token))).toBe(true);
    expect(feed.has(tokenOf({ ...token, iss: 'theirs' }))).toBe(false);
  });

  it('are passed to listeners, and forgotten in time; the latest moment counts', async () => {
    await start(20);
    const heard: boolean[] = [];
    feed.onRevoked((concerns) =>
      heard.push(concerns(tokenOf(token)), concerns(tokenOf({ ...token, sub: 'alan' }))),
    );
    await redis.zadd('revocations', nowS + 900, `revoked-before:user:ada:${SECOND}`);
    await until(() => feed.has(tokenOf(token)));
    expect(heard).toEqual([true, false]);
    await redis.zadd('revocations', nowS + 950, `revoked-before:user:ada:${SECOND + 9}`);
    await until(() => feed.has(tokenOf({ ...token, iat: SECOND + 9 })));
    nowS += 901;
    await redis.zadd('revocations', nowS + 900, 'turn');
    await until(() => hasGrant('turn'));
    expect(feed.has(tokenOf(token)), 'the later moment still counts').toBe(true);
    nowS += 901;
    await until(() => !feed.has(tokenOf(token)));
  });
});
