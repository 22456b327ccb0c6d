import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealer } from '../secrets/sealing.ts';
import { sampleGrant } from '../testing/sample-grant.ts';
import { newGrantId } from '../tokens/grant-code.ts';
import { createGrantStore, type GrantStore, type RotateRequest } from './grant-store.ts';
import type { FoundGrant } from './grant-record.ts';

let redis: TestRedis;
let connection: RedisConnection;
let grants: GrantStore;

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
  grants = createGrantStore(connection, createSealer([randomBytes(32)]), 960);
});
afterAll(async () => {
  connection.disconnect();
  await redis.stop();
});

const NOW = 1_800_000_000;
const grant: FoundGrant = { ...sampleGrant(NOW), isOutdated: false };

async function begin(): Promise<(changes?: Partial<RotateRequest>) => ReturnType<GrantStore['rotate']>> {
  const grantId = newGrantId();
  await grants.save(grantId, grant, 500);
  expect(await grants.find(grantId)).toEqual(grant);
  const request = { grantId, generation: 1, grant, now: NOW, idleTtlS: 500, leewayS: 0 };
  return (changes = {}) => grants.rotate({ ...request, ...changes });
}

describe('rotate-refresh-tokens-2-each.lua, for all tokens of one turn', () => {
  let gathering: RedisConnection;
  let together: GrantStore;
  beforeAll(() => {
    gathering = connectRedis({ url: redis.url, name: 'test', gatherWrites: true, onError: () => undefined });
    together = createGrantStore(gathering, createSealer([randomBytes(32)]), 960);
  });
  afterAll(() => gathering.disconnect());

  const calls = async (): Promise<number> =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await connection.info('commandstats'))?.[1] ?? 0);

  async function beginMany(count: number): Promise<readonly RotateRequest[]> {
    const requests = Array.from({ length: count }, () => ({
      grantId: newGrantId(),
      generation: 1,
      grant,
      now: NOW,
      idleTtlS: 500,
      leewayS: 0,
    }));
    await Promise.all(requests.map(({ grantId }) => together.save(grantId, grant, 500)));
    return requests;
  }

  it('is one call for them, of 50 at most, and each has an outcome of its own', async () => {
    const requests = await beginMany(60);
    for (const request of requests.slice(0, 1)) await together.rotate(request);
    const before = await calls();
    const outcomes = await Promise.all(requests.map((request) => together.rotate(request)));
    expect((await calls()) - before).toBe(2);
    expect(outcomes[0]).toEqual({ kind: 'reused' });
    expect(outcomes.slice(1)).toEqual(Array.from({ length: 59 }, () => ({ kind: 'rotated', generation: 2 })));
  });

  it('A-130 rotates a token once that comes twice in one turn: the second time it is reuse', async () => {
    const [request, other] = (await beginMany(2)) as [RotateRequest, RotateRequest];
    const outcomes = await Promise.all([request, other, request, request].map((one) => together.rotate(one)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rotated', 'rotated', 'reused', 'gone']);
    expect(await together.isRevoked(request.grantId)).toBe(true);
    expect(await together.isRevoked(other.grantId)).toBe(false);
  });

  it('a record that is none of ours is gone, and no other token is the worse for it', async () => {
    const [foreign, own] = (await beginMany(2)) as [RotateRequest, RotateRequest];
    await connection.set(`grant:{${foreign.grantId}}`, 'first\nsecond');
    const outcomes = await Promise.all([foreign, own].map((one) => together.rotate(one)));
    expect(outcomes).toEqual([{ kind: 'gone' }, { kind: 'rotated', generation: 2 }]);
  });

  it('fails for all of them when the call fails', async () => {
    const requests = await beginMany(2);
    const lost = connectRedis({ url: redis.url, name: 'test', gatherWrites: true, onError: () => undefined });
    const grants = createGrantStore(lost, createSealer([randomBytes(32)]), 960);
    await lost.ping();
    const rotations = requests.map((request) => grants.rotate(request));
    lost.disconnect();
    const outcomes = await Promise.allSettled(rotations);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('rotate-refresh-tokens-2-each.lua', () => {
  it('moves on by one generation each time', async () => {
    const rotate = await begin();
    expect(await rotate()).toEqual({ kind: 'rotated', generation: 2 });
    expect(await rotate({ generation: 2 })).toEqual({ kind: 'rotated', generation: 3 });
  });

  it('ends the grant on reuse', async () => {
    const rotate = await begin();
    await rotate();
    expect(await rotate()).toEqual({ kind: 'reused' });
    expect(await rotate({ generation: 2 })).toEqual({ kind: 'gone' });
  });

  it('A-137 never lives beyond the end of the grant', async () => {
    const grantId = newGrantId();
    await grants.save(grantId, grant, 500);
    const request = { grantId, generation: 1, grant, idleTtlS: 500, leewayS: 0 };
    await grants.rotate({ ...request, now: NOW + 900 });
    expect(await connection.ttl(`grant:{${grantId}}`)).toBeLessThanOrEqual(100);
    expect(await grants.rotate({ ...request, generation: 2, now: NOW + 1_000 })).toEqual({ kind: 'gone' });
  });

  it('moves on from a generation ahead of the store, which has lost its last writes; older ones are reuse', async () => {
    const rotate = await begin();
    expect(await rotate({ generation: 7 })).toEqual({ kind: 'rotated', generation: 8 });
    expect(await rotate({ generation: 6 })).toEqual({ kind: 'reused' });
  });

  it('A-141 repeats the same successor within the leeway, while it is unused', async () => {
    const rotate = await begin();
    await rotate();
    expect(await rotate({ leewayS: 10, now: NOW + 10 })).toEqual({ kind: 'repeated', generation: 2 });
    expect(await rotate({ leewayS: 10, now: NOW + 11 })).toEqual({ kind: 'reused' });
  });

  it('leaves what is sealed under the newest key, and seals the rest again', async () => {
    const [olderKey, newerKey] = [randomBytes(32), randomBytes(32)];
    const older = createGrantStore(connection, createSealer([olderKey]), 960);
    const both = createGrantStore(connection, createSealer([newerKey, olderKey]), 960);
    const newer = createGrantStore(connection, createSealer([newerKey]), 960);
    const grantId = newGrantId();
    await older.save(grantId, grant, 500);
    const found = await both.find(grantId);
    if (found === undefined) throw new Error('The grant was not found.');
    expect(found.isOutdated).toBe(true);
    expect(await newer.find(grantId)).toBeUndefined();
    const request = { grantId, now: NOW, idleTtlS: 500, leewayS: 0 };
    await both.rotate({ ...request, generation: 1, grant: found });
    const sealed = async (): Promise<string | undefined> =>
      (await connection.get(`grant:{${grantId}}`))?.split('\n')[2];
    const before = await sealed();
    expect(await newer.find(grantId)).toEqual(grant);
    await newer.rotate({ ...request, generation: 2, grant });
    expect(await sealed()).toBe(before);
  });

  it('keeps a grant in constant space', async () => {
    const grantId = newGrantId();
    await grants.save(grantId, grant, 500);
    const before = await connection.strlen(`grant:{${grantId}}`);
    const keys = await connection.dbsize();
    for (let generation = 1; generation <= 50; generation += 1) {
      await grants.rotate({
        grantId,
        generation,
        grant,
        now: NOW,
        idleTtlS: 500,
        leewayS: 0,
      });
    }
    const after = await connection.strlen(`grant:{${grantId}}`);
    expect(Math.abs(after - before)).toBeLessThanOrEqual(16);
    expect(await connection.dbsize()).toBe(keys);
  });
});
