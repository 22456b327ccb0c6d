import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountGrantStore, type AccountGrantStore } from './account-grant-store.ts';

let redis: TestRedis;
let connection: RedisConnection;
let store: AccountGrantStore;
const NOW = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
  store = createAccountGrantStore(connection);
});
afterAll(async () => {
  connection.disconnect();
  await redis.stop();
});

const MOST = 200;

async function add(subject: string, grantId: string, expiresAt: number, now = NOW): Promise<void> {
  expect(await store.add(subject, { grantId, clientId: 'app', expiresAt }, now, MOST)).toEqual([]);
}

async function idsOf(subject: string, now: number): Promise<readonly string[]> {
  return (await store.list(subject, now)).map(({ grantId }) => grantId);
}

describe('the grants of an account', () => {
  it('are listed until they end, and the list ends with the last of them', async () => {
    await add('user', 'long', NOW + 1_000);
    await add('user', 'short', NOW + 10);
    expect(await idsOf('user', NOW)).toEqual(['short', 'long']);
    expect(await idsOf('user', NOW + 11)).toEqual(['long']);
    expect(await connection.ttl('account-grants:{user}')).toBeGreaterThan(990);
  });

  it('take no room once they have ended', async () => {
    for (let index = 0; index < 50; index += 1) await add('busy', `code-${index}`, NOW + index);
    await add('busy', 'last', NOW + 1_000, NOW + 100);
    expect(await connection.zcard('account-grants:{busy}')).toBe(1);
  });

  it('move their end', async () => {
    await add('mover', 'grant', NOW + 10);
    await add('mover', 'grant', NOW + 1_000);
    expect(await idsOf('mover', NOW + 500)).toEqual(['grant']);
    await store.remove('mover', [{ grantId: 'grant', clientId: 'app' }]);
    expect(await idsOf('mover', NOW)).toEqual([]);
  });

  it('M10: are returned, oldest first, where one client has more than it may have', async () => {
    const addTo = (
      clientId: string,
      grantId: string,
      expiresAt: number,
    ): ReturnType<AccountGrantStore['add']> =>
      store.add('collector', { grantId, clientId, expiresAt }, NOW, 3);
    for (const index of [0, 1, 2]) expect(await addTo('app', `a${index}`, NOW + 10 + index)).toEqual([]);
    for (const index of [0, 1, 2]) expect(await addTo('app2', `b${index}`, NOW + 10 + index)).toEqual([]);
    const ofClient = await addTo('app', 'a3', NOW + 100);
    expect(ofClient.map(({ grantId }) => grantId)).toEqual(['a0', 'a1', 'a2', 'a3']);
  });
});
