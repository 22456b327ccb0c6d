import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@trellis/runtime';
import type { Background } from '@trellis/events';
import { createActivityStream, type UserContext } from '@trellis/subgraph-protocol';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildServer } from '../server.ts';
import { followActivity } from './follow-activity.ts';
import { createPresenceSet, readPresenceChange } from './presence-set.ts';

const WINDOW_MS = 60_000;

const user = (name: string): UserContext => ({
  user: { id: createId(), roles: ['VIEWER'], tokenIssuedAt: 1, name },
  clientId: 'cli',
  scopes: ['read:data'],
});
const [ada, vi_] = [user('Ada'), user('Vi')];
const idOf = ({ user: one }: UserContext): string => one?.id ?? '';

let redis: TestRedis;
let connection: RedisConnection;
let users: TestSubgraph;

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  users = await startTestSubgraph({
    service: 'users',
    migrations: new URL('../../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, presenceWindowMs: WINDOW_MS }),
    redisUrl: redis.url,
  });
  for (const as of [ada, vi_]) await users.ask({ query: '{ me { id } }', as });
});
beforeEach(() => connection.del('trellis:{events:presence}:seen'));
afterAll(async () => {
  await users.close();
  connection.disconnect();
  await redis.stop();
});

const ago = (milliseconds: number): Date => new Date(Date.now() - milliseconds);
const presence = (windowMs = WINDOW_MS) => createPresenceSet(connection, windowMs);

/** The changes published after a place of the stream. */
async function changesAfter(place: string) {
  const entries = await connection.xrange('trellis:{events:presence}:stream', `(${place}`, '+');
  return entries.map(([, fields]) =>
    readPresenceChange(JSON.parse(fields[fields.indexOf('payload') + 1] ?? '')),
  );
}

async function end(): Promise<string> {
  const [newest] = await connection.xrevrange('trellis:{events:presence}:stream', '+', '-', 'COUNT', 1);
  return newest?.[0] ?? '0-0';
}

const eventually = (assertion: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 10 });

describe('the set of online users', () => {
  it('publishes once that a user has come online, and once that they have gone offline, however many notice it', async () => {
    const place = await end();
    const ids = Array.from({ length: 1_200 }, createId);
    const seen = ago(10);
    await Promise.all([
      presence().record(ids, seen),
      presence().record(ids, seen),
      presence().record(ids, seen),
    ]);
    await pause(20); // past a window of 5 ms
    const sweepers = [presence(5), presence(5), presence(5)];
    await Promise.all(
      sweepers.map(async (sweeper) => {
        while ((await sweeper.sweep(100)) === 100);
      }),
    );
    const changes = await changesAfter(place);
    expect(changes).toHaveLength(2_400);
    for (const online of [true, false]) {
      const published = changes.filter((change) => change.online === online);
      expect(published.map(({ userId }) => userId).toSorted()).toEqual(ids.toSorted());
      expect(new Set(published.map(({ lastSeen }) => lastSeen.getTime()))).toEqual(new Set([seen.getTime()]));
    }
  });

  it('moves the time of users already online, forward only, and publishes nothing', async () => {
    await presence().record([idOf(ada)], ago(5_000));
    const place = await end();
    const later = ago(1_000);
    expect(await presence().record([idOf(ada)], later)).toBe(0);
    expect(await presence().record([idOf(ada)], ago(3_000))).toBe(0);
    expect(await presence().list(10)).toEqual([{ userId: idOf(ada), lastSeen: later }]);
    expect(await changesAfter(place)).toEqual([]);
  });

  it('takes no notice of what is older than its window', async () => {
    expect(await presence().record([idOf(ada)], ago(WINDOW_MS + 1))).toBe(0);
    expect(await presence().list(10)).toEqual([]);
  });

  it('F-05 numbers its changes upwards even when Redis has forgotten them', async () => {
    await presence().record([idOf(ada)], new Date());
    const place = await end();
    await connection.flushall();
    await presence().record([idOf(ada)], new Date());
    expect(Number.parseInt(await end(), 10)).toBeGreaterThan(Number.parseInt(place, 10));
  });
});

describe('Query.onlineUsers', () => {
  it('shows who is online, last seen first, by name, also without a profile', async () => {
    const [unknown, gone] = [createId(), createId()];
    await presence().record([gone], ago(WINDOW_MS - 1));
    await presence().record([unknown], ago(3_000));
    await presence().record([idOf(vi_)], ago(2_000));
    await presence().record([idOf(ada)], ago(1_000));
    await pause(2);
    const { data } = await users.ask({ query: '{ onlineUsers { id name lastSeen } }', as: ada });
    expect(data).toEqual({
      onlineUsers: [
        { id: idOf(ada), name: 'Ada', lastSeen: expect.any(String) },
        { id: idOf(vi_), name: 'Vi', lastSeen: expect.any(String) },
        { id: unknown, name: `User ${unknown.slice(-6)}`, lastSeen: expect.any(String) },
      ],
    });
  });
});

describe('Subscription.userStatusChanged', () => {
  const STATUS =
    'subscription ($userId: ID!) { userStatusChanged(userId: $userId) { userId online lastSeen user { name email } } }';
  const subscribe = (userId: string) => users.subscribe({ query: STATUS, variables: { userId }, as: ada });

  it('delivers changes of its user, and of no other', async () => {
    const subscription = await subscribe(idOf(vi_));
    const seen = ago(10);
    await presence().record([idOf(ada), idOf(vi_)], seen);
    await presence(5).sweep(10);
    await eventually(() => expect(subscription.results).toHaveLength(2));
    const status = { userId: idOf(vi_), lastSeen: seen.toISOString(), user: { name: 'Vi', email: null } };
    expect(subscription.results.map(({ data }) => data)).toEqual([
      { userStatusChanged: { ...status, online: true } },
      { userStatusChanged: { ...status, online: false } },
    ]);
    await subscription.close();
  });

  it.each([
    ['an unknown user', createId()],
    ['no id', 'x'],
  ])('is rejected for %s', async (_what, userId) => {
    const { rejection, close } = await subscribe(userId);
    expect(rejection).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', field: 'userId', invalidValue: userId } },
    ]);
    await close();
  });
});

describe('what gateways publish', () => {
  let following: Background;
  afterAll(() => following.close());

  it('is noted, from the window before the start on, and is nothing where it is no id', async () => {
    const stream = createActivityStream(connection);
    await stream.add([idOf(ada), "x' OR 1=1", '"}']);
    following = followActivity({
      pool: users.pool,
      connection: connectRedis({ url: redis.url, name: 'follow', onError: () => {} }),
      presence: presence(),
      windowMs: WINDOW_MS,
      logger: createLogger({ service: 'users', level: 'silent' }),
    });
    const there = async () => (await presence().list(10)).map(({ userId }) => userId).toSorted();
    await eventually(async () => expect(await there()).toEqual([idOf(ada)]));
    await stream.add([idOf(vi_)]);
    await eventually(async () => expect(await there()).toEqual([idOf(ada), idOf(vi_)].toSorted()));
  });
});
