import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../sealing.ts';
import { createSessionStore, type SessionStore } from './session-store.ts';

let redis: TestRedis;
let connection: RedisConnection;
let sessions: SessionStore;

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
  sessions = createSessionStore(connection, createSealer([randomBytes(32)]), { idleTtlS: 100, ttlS: 1_000 });
});
afterAll(async () => {
  connection.disconnect();
  await redis.stop();
});

const NOW = 1_800_000_000_000;
const session = { sessionId: 's', subject: 'person', authenticatedAt: NOW };

describe('A-092: sessions', () => {
  it('idle out, are prolonged by use, and never live beyond their end', async () => {
    const cookie = await sessions.create(session);
    const [key = ''] = await connection.keys('session:*');
    expect(await connection.ttl(key)).toBe(100);
    await connection.expire(key, 5);
    expect(await sessions.touch(cookie, NOW + 1_000)).toEqual(session);
    expect(await connection.ttl(key)).toBe(100);
    await sessions.touch(cookie, NOW + 950_000);
    expect(await connection.ttl(key)).toBe(50);
    expect(await sessions.touch(cookie, NOW + 1_000_000)).toBeUndefined();
    await sessions.end(cookie);
    expect(await sessions.touch(cookie, NOW)).toBeUndefined();
  });

  it('are stored under a hash, so that the store signs nobody in', async () => {
    const cookie = await sessions.create(session);
    const keys = await connection.keys('*');
    expect(keys.join(' ')).not.toContain(cookie);
    for (const key of await connection.keys('session:*'))
      expect(await connection.get(key)).not.toContain(cookie);
  });
});
