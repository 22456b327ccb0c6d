import { createHash, randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSealer } from '../secrets/sealing.ts';
import { createPkce, obtainCode } from '../testing/flow.ts';
import { sampleGrant } from '../testing/sample-grant.ts';
import { startTestAuthServer } from '../testing/test-auth-server.ts';
import { newGrantId } from '../tokens/grant-code.ts';
import { createCodeStore, type CodeStore, type ConsumeRequest } from './code-store.ts';
import { createGrantStore } from './grant-store.ts';

describe('What is stored of an authorization code', () => {
  it('A-053 A-119 is the hash of its secret, for 600 s', async () => {
    const server = await startTestAuthServer();
    const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    try {
      const code = await obtainCode(server.issuer, createPkce());
      const secret = code.slice(-43);
      const [key = ''] = await redis.keys('code:*');
      const record = await redis.get(key);
      expect(record).toContain(createHash('sha256').update(secret).digest('base64url'));
      expect(`${key} ${record}`).not.toContain(secret);
      expect(await redis.ttl(key)).toBeGreaterThan(500);
      expect(await redis.ttl(key)).toBeLessThanOrEqual(600);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});

const NOW = 1_800_000_000;
const grant = sampleGrant(NOW);
const contents = { ...grant, redirectUri: 'https://app.example', codeChallenge: 'c', issuedAt: NOW };

describe('Codes of one turn', () => {
  const sealer = createSealer([randomBytes(32)]);
  let redis: TestRedis;
  let gathering: RedisConnection;
  let plain: RedisConnection;
  let codes: CodeStore;
  beforeAll(async () => {
    redis = await startTestRedis();
    const connection = { url: redis.url, name: 'test', onError: () => undefined };
    gathering = connectRedis({ ...connection, gatherWrites: true });
    plain = connectRedis(connection);
    codes = createCodeStore(gathering, sealer, 960);
  });
  afterAll(async () => {
    gathering.disconnect();
    plain.disconnect();
    await redis.stop();
  });

  const calls = async (): Promise<number> =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await plain.info('commandstats'))?.[1] ?? 0);

  async function issue(count: number): Promise<readonly ConsumeRequest[]> {
    const ids = Array.from({ length: count }, newGrantId);
    await Promise.all(ids.map((id) => codes.save(id, { secretHash: `hash of ${id}`, contents, grant }, 60)));
    return ids.map((grantId) => ({
      grantId,
      secretHash: `hash of ${grantId}`,
      grant: undefined,
      idleTtlS: 500,
      now: NOW,
    }));
  }
  const consumeAll = (requests: readonly ConsumeRequest[]): Promise<readonly string[]> =>
    Promise.all(requests.map((request) => codes.consume(request)));

  it('are one call, of 50 at most, and each begins its own grant', async () => {
    const [first, ...others] = (await issue(60)) as [ConsumeRequest, ...ConsumeRequest[]];
    await codes.consume(first);
    const before = await calls();
    expect(await consumeAll([first, ...others])).toEqual(['replayed', ...others.map(() => 'consumed')]);
    expect((await calls()) - before).toBe(2);
    const grants = createGrantStore(plain, sealer, 960);
    expect(await grants.find(first.grantId)).toBeUndefined();
    for (const { grantId } of others)
      expect(await grants.find(grantId)).toEqual({ ...grant, isOutdated: false });
  });

  it('A-120 A-123 are consumed once where one comes twice, and a wrong secret or a foreign record harms no other', async () => {
    const [twice, wrong, foreign] = (await issue(3)) as [ConsumeRequest, ConsumeRequest, ConsumeRequest];
    await plain.set(`code:{${foreign.grantId}}`, 'none of ours');
    const requests = [foreign, twice, { ...wrong, secretHash: 'other' }, twice, wrong];
    expect(await consumeAll(requests)).toEqual(['unknown', 'consumed', 'unknown', 'replayed', 'consumed']);
  });
});

describe('A code that is found where it was issued', () => {
  it('is not opened, and is what Redis has: absent when it is gone, and when its seal was changed', async () => {
    const redis = await startTestRedis();
    const connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    try {
      const sealer = createSealer([randomBytes(32)]);
      const open = vi.spyOn(sealer, 'open');
      const codes = createCodeStore(connection, sealer, 960);
      await codes.save('g', { secretHash: 'hash', contents }, 60);
      const found = { secretHash: 'hash', contents, hasGrant: false };
      expect(await codes.find('g')).toEqual(found);
      expect(open).not.toHaveBeenCalled();
      const record = (await connection.get('code:{g}')) ?? expect.fail('it lies there');
      await connection.set('code:{g}', `${record.slice(0, -4)}AAAA`);
      expect(await codes.find('g')).toBeUndefined();
      expect(open).toHaveBeenCalledTimes(1);
      await connection.del('code:{g}');
      expect(await codes.find('g')).toBeUndefined();
      await connection.set('code:{g}', record);
      expect(await codes.find('g')).toEqual(found);
      expect(open).toHaveBeenCalledTimes(2); // it had been forgotten
    } finally {
      connection.disconnect();
      await redis.stop();
    }
  });
});
