import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUsedProofs, type UsedProofs } from './used-proofs.ts';

let server: TestRedis;
let connection: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  connection = connectRedis({ url: server.url, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  connection.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await connection.config('SET', 'maxmemory', '0');
  for (const key of await connection.keys('*')) await connection.del(key);
});

function gateway(): UsedProofs {
  return createUsedProofs({ redis: { connection, isUsable: true }, lifetimeS: 120 });
}

describe('Proofs that were used', () => {
  it('are used up for all gateways', async () => {
    const [one, other] = [gateway(), gateway()];
    expect(await one.markUsed('proof')).toBe(true);
    expect(await other.markUsed('proof')).toBe(false);
  });

  it('stay used up at the gateway that has seen them when the cache Redis has evicted them', async () => {
    const own = gateway();
    expect(await own.markUsed('proof')).toBe(true);
    for (const key of await connection.keys('dpop-proof:*')) await connection.del(key);
    expect(await own.markUsed('proof')).toBe(false);
  });

  it('are forgotten when too many have come since: those of the longest ago', async () => {
    const own = createUsedProofs({ redis: undefined, lifetimeS: 120, maxRemembered: 3 });
    for (const id of ['first', 'second', 'third', 'fourth']) await own.markUsed(id);
    expect(await own.markUsed('fourth')).toBe(false);
    expect(await own.markUsed('second')).toBe(false);
    expect(await own.markUsed('first')).toBe(true);
  });

  it('stay used up there when the cache Redis is full and stores none', async () => {
    const own = gateway();
    await connection.config('SET', 'maxmemory', '1');
    await expect(connection.set('any', 'thing')).rejects.toThrow('OOM');
    expect(await own.markUsed('proof')).toBe(true);
    expect(await own.markUsed('proof')).toBe(false);
  });
});
