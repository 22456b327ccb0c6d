import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../secrets/sealing.ts';
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
const session = { sessionId: 's', subject: 'user', authenticatedAt: NOW };

/** For so many seconds, but for those that have passed since. */
async function expectToLive(key: string, seconds: number): Promise<void> {
  const left = await connection.ttl(key);
  expect(left).toBeLessThanOrEqual(seconds);
  expect(left).toBeGreaterThan(seconds - 20);
}

describe('A-092: sessions', () => {
  it('idle out, are prolonged by use, and never live beyond their end', async () => {
    const cookie = await sessions.save(session);
    const key = 'session:{s}';
    await expectToLive(key, 100);
    await connection.expire(key, 5);
    expect(await sessions.touch(cookie, NOW + 1_000)).toEqual(session);
    await expectToLive(key, 100);
    await sessions.touch(cookie, NOW + 950_000);
    await expectToLive(key, 50);
    expect(await sessions.touch(cookie, NOW + 1_000_000)).toBeUndefined();
    expect(await sessions.find('s', NOW + 1_000_000)).toBeUndefined();
  });

  it('are stored with a hash of the cookie, so that the store can sign no user in', async () => {
    const cookie = await sessions.save(session);
    const keys = await connection.keys('*');
    const [, secret = ''] = cookie.split('.');
    expect(keys.join(' ')).not.toContain(secret);
    expect(await connection.get('session:{s}')).not.toContain(secret);
  });

  it('are found by their own cookie alone', async () => {
    const cookie = await sessions.save(session);
    await sessions.save({ ...session, sessionId: 'other' });
    const [, secret = ''] = cookie.split('.');
    for (const wrong of [`other.${secret}`, 's.', `s.${'A'.repeat(43)}`, secret, '', `s.${secret}.`, '}.{'])
      expect(await sessions.touch(wrong, NOW), wrong).toBeUndefined();
    expect(await sessions.touch(cookie, NOW)).toEqual(session);
  });

  it('H1: outlive the values of their cookies: after another sign-in the one before is of no use', async () => {
    const first = await sessions.save(session);
    const again = { ...session, authenticatedAt: NOW + 5_000 };
    const second = await sessions.save(again);
    expect(await sessions.touch(first, NOW + 5_000)).toBeUndefined();
    expect(await sessions.touch(second, NOW + 5_000)).toEqual(again);
    expect(await sessions.listIds('user')).toEqual(expect.arrayContaining(['s']));
  });

  it('H1: leave nothing behind when they end, and say what hung on them', async () => {
    const grant = { grantId: 'bound', clientId: 'app' };
    const cookie = await sessions.save({ ...session, subject: 'leaver', sessionId: 'left' });
    await sessions.addUse('left', { clientId: 'app', boundGrantId: 'bound' });
    await sessions.addUse('left', { clientId: 'app', boundGrantId: 'ended-before' });
    await sessions.addUse('left', { clientId: 'other', boundGrantId: undefined });
    await sessions.removeGrants('left', [{ grantId: 'ended-before', clientId: 'app' }]);
    const { clientIds, grants } = await sessions.end('leaver', 'left');
    expect([clientIds.toSorted(), grants]).toEqual([['app', 'other'], [grant]]);
    expect(await sessions.touch(cookie, NOW)).toBeUndefined();
    expect(await connection.keys('*left*')).toEqual([]);
    expect(await sessions.listIds('leaver')).toEqual([]);
    expect(await sessions.end('leaver', 'left')).toEqual({ clientIds: [], grants: [] });
  });
});
