import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { canMirrorRedis, startMirroredRedis, type MirroredRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinkStore } from '../accounts/link-store.ts';
import { createSessionStore } from '../accounts/session-store.ts';
import { createAssertionStore } from '../attempts/assertion-store.ts';
import { createAttemptStore } from '../attempts/attempt-store.ts';
import { createPushedRequestStore } from '../authorize/pushed-request-store.ts';
import { createTransactions } from '../authorize/transactions.ts';
import { createAccountGrantStore } from '../grants/account-grant-store.ts';
import { createCodeStore } from '../grants/code-store.ts';
import { createDeviceStore } from '../grants/device-store.ts';
import type { Grant } from '../grants/grant-record.ts';
import { createGrantStore } from '../grants/grant-store.ts';
import { createReplicated } from '../grants/replication.ts';
import { createSealer } from '../secrets/sealing.ts';
import { createRevocationFeed } from '../tokens/revocation-feed.ts';
import { createStaleTokenStore } from '../tokens/stale-token-store.ts';

const NOW_S = Math.floor(Date.now() / 1_000);
const sealer = createSealer([randomBytes(32)]);
const grant: Grant = {
  clientId: 'client',
  clientIncarnation: 'i',
  subject: 'ada',
  scopes: ['openid'],
  audience: 'https://api.example',
  authenticatedAt: NOW_S * 1_000,
  sessionId: 's',
  ofDevice: false,
  createdAt: NOW_S,
  expiresAt: NOW_S + 1_000,
};

// Every script and command of the auth-server, on the records that its stores make, with each outcome that they distinguish.
describe.skipIf(!canMirrorRedis())(
  'Redis 7 and the one of this process, asked by the stores (needs redis-server)',
  () => {
    let mirror: MirroredRedis;
    let redis: RedisConnection;
    beforeAll(async () => {
      mirror = await startMirroredRedis();
      redis = connectRedis({ url: mirror.url, name: 'test', gatherWrites: true, onError: () => undefined });
    });
    afterAll(async () => {
      redis.disconnect();
      await mirror.stop();
    });

    it('do the same for codes and refresh tokens', async () => {
      const codes = createCodeStore(redis, sealer, 60);
      const grants = createGrantStore(redis, sealer, 60);
      const contents = { ...grant, redirectUri: 'https://app.example', codeChallenge: 'c', issuedAt: NOW_S };
      await codes.save('g', { secretHash: 'hash', contents }, 60);
      expect(await codes.find('g')).toBeDefined();
      const consumption = { grantId: 'g', secretHash: 'hash', grant, idleTtlS: 100, now: NOW_S };
      expect(await codes.consume({ ...consumption, secretHash: 'other' })).toBe('unknown');
      expect(await codes.consume(consumption)).toBe('consumed');
      const found = await grants.findWithGeneration('g');
      const rotation = {
        grantId: 'g',
        grant: found?.grant ?? { ...grant, isOutdated: false },
        idleTtlS: 100,
        leewayS: 10,
      };
      const generation = found?.generation ?? 0;
      expect((await grants.rotate({ ...rotation, generation, now: NOW_S + 1 })).kind).toBe('rotated');
      expect((await grants.rotate({ ...rotation, generation, now: NOW_S + 2 })).kind).toBe('repeated');
      expect((await grants.rotate({ ...rotation, generation: generation + 1, now: NOW_S + 3 })).kind).toBe(
        'rotated',
      );
      expect([...(await grants.filterLive(['g', 'none']))]).toEqual(['g']);
      expect((await grants.rotate({ ...rotation, generation, now: NOW_S + 60 })).kind).toBe('reused');
      expect((await grants.rotate({ ...rotation, generation, now: NOW_S + 60 })).kind).toBe('gone');
      expect(await grants.isRevoked('g')).toBe(true);
      expect(await codes.consume(consumption)).toBe('replayed');
      await codes.save('beside', { secretHash: 'hash', contents, grant }, 60);
      expect(await codes.consume({ ...consumption, grantId: 'beside', grant: undefined })).toBe('consumed');
      expect((await grants.findWithGeneration('beside'))?.grant).toEqual({ ...grant, isOutdated: false });
      expect(await codes.find('beside')).toMatchObject({ secretHash: 'hash', hasGrant: false });
      await grants.save('h', { ...grant, expiresAt: NOW_S + 5 }, 100);
      const late = {
        ...rotation,
        grantId: 'h',
        grant: { ...grant, expiresAt: NOW_S + 5, isOutdated: false },
      };
      expect((await grants.rotate({ ...late, generation: 1, now: NOW_S + 10 })).kind).toBe('gone');
      await grants.save('i', grant, 100);
      expect(await grants.revoke('i', 'logout')).toBe(true);
      expect(await grants.revoke('i', 'logout')).toBe(false);
    });

    it('do the same for devices', async () => {
      const devices = createDeviceStore(redis, sealer);
      const request = {
        clientId: 'client',
        clientIncarnation: 'i',
        scopes: ['openid'],
        audience: grant.audience,
      };
      const now = NOW_S * 1_000;
      for (const grantId of ['d1', 'd2'])
        await devices.save({
          grantId,
          request,
          userCode: `CODE-${grantId}`,
          secretHash: 'hash',
          now,
          lifetimeS: 100,
          intervalS: 5,
        });
      const poll = {
        grantId: 'd1',
        secretHash: 'hash',
        clientId: 'client',
        keyThumbprint: undefined,
        idleTtlS: 100,
      };
      expect((await devices.poll({ ...poll, now: now + 6_000 })).kind).toBe('pending');
      expect((await devices.poll({ ...poll, now: now + 7_000 })).kind).toBe('hasty');
      expect((await devices.poll({ ...poll, now, secretHash: 'other' })).kind).toBe('unknown');
      expect(await devices.findPending('CODE-d1')).toBeDefined();
      expect([await devices.allow('d1', grant), await devices.allow('d1', grant)]).toEqual([true, false]);
      expect((await devices.poll({ ...poll, now: now + 60_000 })).kind).toBe('allowed');
      expect((await devices.poll({ ...poll, now: now + 90_000 })).kind).toBe('unknown');
      expect([await devices.deny('d2'), await devices.deny('none')]).toEqual([true, false]);
      expect((await devices.poll({ ...poll, grantId: 'd2', now: now + 60_000 })).kind).toBe('denied');
    });

    it('do the same for accounts', async () => {
      const accountGrants = createAccountGrantStore(redis);
      for (const [index, grantId] of ['a', 'b', 'c'].entries())
        await accountGrants.add(
          'ada',
          { grantId, clientId: 'client', expiresAt: NOW_S + 100 + index },
          NOW_S,
          2,
        );
      expect(await accountGrants.list('ada', NOW_S)).toHaveLength(3);
      await accountGrants.remove('ada', [{ grantId: 'a', clientId: 'client' }]);
      await accountGrants.add(
        'ada',
        { grantId: 'd', clientId: 'other', expiresAt: NOW_S + 900 },
        NOW_S + 101,
        2,
      );

      const sessions = createSessionStore(redis, sealer, { idleTtlS: 100, ttlS: 1_000 });
      const session = { sessionId: 's', subject: 'ada', authenticatedAt: NOW_S * 1_000 };
      const cookie = await sessions.save(session);
      expect(await sessions.touch(cookie, NOW_S * 1_000)).toEqual(session);
      await sessions.addUse('s', { clientId: 'client', boundGrantId: 'a' });
      await sessions.addUse('s', { clientId: 'other', boundGrantId: 'b' });
      await sessions.removeGrants('s', [{ grantId: 'a', clientId: 'client' }]);
      expect(await sessions.listIds('ada')).toEqual(['s']);
      expect(await sessions.list('ada', NOW_S * 1_000)).toHaveLength(1);
      expect((await sessions.end('ada', 's')).grants).toHaveLength(1);
      expect((await sessions.end('ada', 's')).grants).toEqual([]);

      const links = createLinkStore(redis, sealer);
      const link = { purpose: 'invitation', email: 'a@x.example', name: 'Ada', role: 'VIEWER' } as const;
      const tokens: string[] = [];
      for (let asked = 0; asked < 18; asked += 1)
        tokens.push(await links.create({ ...link, name: `Ada ${asked}` }, 60, 'anybody'));
      expect(await links.find(tokens[0] ?? '')).toBeUndefined();
      expect(await links.find(await links.create(link, 60, 'administrator'))).toBeDefined();
      await links.end(link);
    });

    it('do the same for what must happen once, or seldom', async () => {
      const attempts = createAttemptStore(redis);
      const limit = { failures: 2, windowS: 60 };
      for (const rejected of [false, false, true])
        expect((await attempts.reserve('n', limit)) > 0).toBe(rejected);
      for (let refunds = 0; refunds < 3; refunds += 1) await attempts.refund('n');
      const assertions = createAssertionStore(redis);
      expect([await assertions.markUsed('i', '1', 9), await assertions.markUsed('i', '1', 9)]).toEqual([
        true,
        false,
      ]);
      const transactions = createTransactions({ sealer, redis, clock: Date.now, ttlS: 60 });
      const begun = await transactions.find(
        transactions.begin({ kind: 'visit', path: '/account' }, 'b'),
        'b',
      );
      if (!begun) throw new Error('It was begun.');
      expect([await transactions.end(begun), await transactions.end(begun)]).toEqual([true, false]);
      const pushed = createPushedRequestStore(redis, sealer, 60);
      const id = await pushed.save({ clientId: 'client', parameters: [['scope', 'openid']] });
      expect(await pushed.find(id)).toBeDefined();
      expect([await pushed.consume(id), await pushed.consume(id)]).toEqual([true, false]);
    });

    it('do the same for revocations, replicas and health', async () => {
      const stale = createStaleTokenStore(redis, 60);
      await stale.mark({ kind: 'user', subject: 'ada' }, NOW_S);
      expect(
        await stale.isStale({ subject: 'ada', clientId: 'client', exchangedFrom: [], issuedAt: NOW_S }),
      ).toBe(true);
      const feed = createRevocationFeed(redis, 60);
      await feed.publish(['g', 'h'], NOW_S);
      await feed.publish(['i'], NOW_S + 100);
      await feed.publishStale({ kind: 'client', clientId: 'client' }, NOW_S, NOW_S);
      await expect(createReplicated(redis, 1)(() => redis.set('written', '1'))).rejects.toThrow(
        'lost a replica',
      );
      await redis.ping();
    });

    it('have been compared on every script and command of the auth-server, and never differed', async () => {
      await mirror.settled();
      expect(mirror.differences).toEqual([]);
      expect(mirror.notCompared(['auth-server'])).toEqual([]);
    });
  },
);
