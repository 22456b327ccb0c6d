import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { createRecentWriters, writersChannel, type RecentWriters } from './recent-writers.ts';

const WINDOW_MS = 300;
const ADA = 'ada';
const WITHIN = { timeout: 10_000, interval: 10 };

let redis: TestRedis;
let operator: RedisConnection;
let connections: RedisConnection[] = [];
let own: RecentWriters;
let other: RecentWriters;

function startProcess(mostUsers?: number): RecentWriters {
  return createRecentWriters({
    service: 'notes',
    windowMs: WINDOW_MS,
    ...(mostUsers !== undefined && { mostUsers }),
    connectRedis: () => {
      const connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
      connections.push(connection);
      return connection;
    },
  });
}
const listens = (writers: RecentWriters): Promise<void> =>
  vi.waitFor(async () => expect(await writers.mayHaveWritten(null)).toBe(false), WITHIN);

beforeAll(async () => {
  redis = await startTestRedis();
  operator = connectRedis({ url: redis.url, name: 'operator', onError: () => undefined });
});
afterAll(async () => {
  operator.disconnect();
  await redis.stop();
});
beforeEach(() => {
  own = startProcess();
  other = startProcess();
});
afterEach(() => {
  for (const connection of connections) connection.disconnect();
  connections = [];
});

describe('Users who have just changed something', () => {
  it('are known to every process when the mutation responds, and others are not taken for them', async () => {
    await Promise.all([listens(own), listens(other)]);
    for (let round = 0; round < 50; round += 1) {
      const user = `${ADA} ${round}`;
      await own.wrote(user);
      expect(await own.mayHaveWritten(user)).toBe(true);
      expect(await other.mayHaveWritten(user)).toBe(true);
    }
    expect(await other.mayHaveWritten('bob')).toBe(false);
  });

  it('count for the window, and for the whole of it after the last change', async () => {
    await Promise.all([listens(own), listens(other)]);
    await own.wrote('ada');
    const writtenAt = performance.now();
    await vi.waitFor(async () => expect(await other.mayHaveWritten('ada')).toBe(false), WITHIN);
    expect(performance.now() - writtenAt).toBeGreaterThanOrEqual(WINDOW_MS - 5);
  });

  it('may be anybody while a process does not listen, and for the window after it has begun', async () => {
    expect(await own.mayHaveWritten(null)).toBe(true);
    await listens(own);
    const [listening] = connections;
    listening?.disconnect(true); // it connects again
    await vi.waitFor(async () => expect(await own.mayHaveWritten(null)).toBe(true), WITHIN);
    await listens(own);
  });

  it('wait for the window where the others cannot be notified', async () => {
    await Promise.all([listens(own), listens(other)]);
    for (const connection of connections) connection.disconnect();
    const committedAt = performance.now();
    await own.wrote('ada');
    expect(performance.now() - committedAt).toBeGreaterThanOrEqual(WINDOW_MS - 5);
    expect(await own.mayHaveWritten('bob')).toBe(true);
  });

  it('count all for the window, and are forgotten, where they are too many to remember', async () => {
    const small = startProcess(2);
    await listens(small);
    await Promise.all(['ada', 'bob'].map(small.wrote));
    expect(await small.mayHaveWritten('eve')).toBe(false);
    const written = Promise.all(['ada', 'bob', 'carol'].map(small.wrote));
    expect(await small.mayHaveWritten('eve')).toBe(true);
    expect(await small.mayHaveWritten(null)).toBe(true);
    await written;
    await listens(small);
    await small.wrote('dave');
    expect(await small.mayHaveWritten('dave')).toBe(true);
    expect(await small.mayHaveWritten('eve')).toBe(false);
  });

  it('are named on a channel of the service', async () => {
    await listens(own);
    await operator.publish(writersChannel('notes'), 'eve');
    await operator.ping(); // the message has been sent to all who listen
    expect(await own.mayHaveWritten('eve')).toBe(true);
    await operator.publish(writersChannel('others'), 'mallory');
    expect(await own.mayHaveWritten('mallory')).toBe(false);
  });
});
