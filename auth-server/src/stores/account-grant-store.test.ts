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

describe('the grants of an account', () => {
  it('are listed until they end, and the list ends with the last of them', async () => {
    await store.add('person', 'long', NOW + 1_000, NOW);
    await store.add('person', 'short', NOW + 10, NOW);
    expect(await store.list('person', NOW)).toEqual(['short', 'long']);
    expect(await store.list('person', NOW + 11)).toEqual(['long']);
    expect(await connection.ttl('account-grants:{person}')).toBeGreaterThan(990);
  });

  it('take no room once they have ended', async () => {
    for (let index = 0; index < 50; index += 1) await store.add('busy', `code-${index}`, NOW + index, NOW);
    await store.add('busy', 'last', NOW + 1_000, NOW + 100);
    expect(await connection.zcard('account-grants:{busy}')).toBe(1);
  });

  it('move their end when a code becomes a grant', async () => {
    await store.add('mover', 'grant', NOW + 10, NOW);
    await store.add('mover', 'grant', NOW + 1_000, NOW);
    expect(await store.list('mover', NOW + 500)).toEqual(['grant']);
    await store.remove('mover', 'grant');
    expect(await store.list('mover', NOW)).toEqual([]);
  });
});
