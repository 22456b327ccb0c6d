import { createActivityStream, type ActivityBatch, type ActivityStream } from '@trellis/subgraph-protocol';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANONYMOUS_ONLY } from './authenticator.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { observeActivity } from './observe-activity.ts';
import { startActivityPublisher, type ActivityPublisher } from './activity-publisher.ts';

let redis: TestRedis;
let connection: RedisConnection;
let stream: ActivityStream;
let publisher: ActivityPublisher;
const onError = vi.fn<(error: Error) => void>();

const start = (intervalMs: number): void => {
  publisher = startActivityPublisher({ stream, intervalMs, flushMs: 20, onError });
};

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  stream = createActivityStream(connection);
});
beforeEach(async () => {
  await connection.flushall();
  onError.mockClear();
});
afterEach(() => publisher.close());
afterAll(async () => {
  connection.disconnect();
  await redis.stop();
});

const published = (): Promise<readonly ActivityBatch[]> => stream.readAfter(connection, '0', 1);
const usersPublished = async (): Promise<readonly string[]> =>
  (await published()).flatMap(({ userIds }) => userIds);
const eventually = (assertion: () => Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 10 });

describe('the publisher of activity', () => {
  it('writes once for many requests of many users', async () => {
    start(60_000);
    for (let request = 0; request < 1_000; request += 1) publisher.touch(`user-${request % 50}`);
    await eventually(async () => expect(await published()).toHaveLength(1));
    expect((await usersPublished()).toSorted()).toEqual(
      Array.from({ length: 50 }, (_, index) => `user-${index}`).toSorted(),
    );
    publisher.touch('user-1');
    publisher.touch('new');
    await eventually(async () => expect(await published()).toHaveLength(2));
    expect((await published())[1]?.userIds).toEqual(['new']);
  });

  it('publishes a user again who has a connection open, and once more when it closes', async () => {
    start(60);
    const releases = [publisher.hold('ada'), publisher.hold('ada')];
    await eventually(async () => expect((await usersPublished()).length).toBeGreaterThan(3));
    releases[0]?.();
    releases[0]?.();
    const before = (await usersPublished()).length;
    await eventually(async () => expect((await usersPublished()).length).toBeGreaterThan(before + 2));
    releases[1]?.();
    await publisher.close();
    expect(new Set(await usersPublished())).toEqual(new Set(['ada']));
  });

  it('publishes at the end what is still waiting', async () => {
    publisher = startActivityPublisher({ stream, intervalMs: 60_000, flushMs: 60_000, onError });
    publisher.touch('late');
    await publisher.close();
    expect(await usersPublished()).toEqual(['late']);
  });

  it('F-05 goes on without Redis, and publishes who shows themselves once it is back', async () => {
    let failing = true;
    const add = (userIds: readonly string[]): Promise<void> =>
      failing ? Promise.reject(new Error('Redis is unavailable')) : stream.add(userIds);
    publisher = startActivityPublisher({ stream: { add }, intervalMs: 60_000, flushMs: 10, onError });
    publisher.touch('ada');
    await eventually(async () => expect(onError).toHaveBeenCalledTimes(1));
    failing = false;
    publisher.touch('ada');
    await eventually(async () => expect(await usersPublished()).toEqual(['ada']));
  });
});

describe('what is taken for a sign of a user', () => {
  const caller: Caller = {
    ...ANONYMOUS,
    authenticated: true,
    context: { user: { id: 'ada', roles: [], tokenIssuedAt: 1 }, scopes: [] },
  };

  it.each([
    ['a token that was verified before', () => caller, ['ada']],
    ['a token that is verified first', () => Promise.resolve(caller), ['ada']],
    ['no token', () => ANONYMOUS, []],
    [
      'a token of a client that acts for itself',
      () => ({ ...caller, context: { clientId: 'c', scopes: [] } }),
      [],
    ],
    ['a token that is rejected', () => Promise.reject(new Error('expired')), []],
  ])('%s', async (_what, authenticate, expected) => {
    start(60_000);
    await Promise.resolve(
      observeActivity(
        { authenticate, isKnown: () => true, keys: ANONYMOUS_ONLY.keys },
        publisher,
      ).authenticate('Bearer x'),
    ).catch(() => undefined);
    await publisher.close();
    expect(await usersPublished()).toEqual(expected);
  });
});
