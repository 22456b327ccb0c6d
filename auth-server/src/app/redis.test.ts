import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { connectRedis, getTogether, type RedisConnection } from '@trellis/redis';
import { describeTestRedis, startTestRedisCluster, type TestRedisCluster } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinkStore } from '../accounts/link-store.ts';
import { createDeviceStore } from '../grants/device-store.ts';
import { createSealer } from '../secrets/sealing.ts';
import {
  createPkce,
  exchange,
  isHonoured,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
  type Tokens,
} from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const hasRedisServer = describeTestRedis().startsWith('redis-server');
const reason = hasRedisServer ? '' : ' (skipped: there is no redis-server)';

describe.skipIf(!hasRedisServer)(`A Redis Cluster of three nodes${reason}`, () => {
  let cluster: TestRedisCluster;
  let server: TestAuthServer;
  beforeAll(async () => {
    cluster = await startTestRedisCluster();
    server = await startTestAuthServer({ REDIS_URL: cluster.list });
  });
  afterAll(async () => {
    await server.stop();
    await cluster.stop();
  });

  it('A-120 A-123 A-127 carries codes, refreshes, reuse and replays', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const responses = await Promise.all(Array.from({ length: 5 }, () => exchange(server.issuer, code, pkce)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const first = await obtainTokens(server.issuer);
    const second = tokensOf(await refresh(server.issuer, first.refreshToken));
    expect(await isHonoured(server.issuer, second.accessToken)).toBe(true);
    await refresh(server.issuer, first.refreshToken);
    expect(await isHonoured(server.issuer, second.accessToken)).toBe(false);
    expect((await refresh(server.issuer, second.refreshToken)).body['error']).toBe('invalid_grant');
  });

  it('A-156 A-163 A-165 A-168 carries pushed requests, devices, revocation, sessions and sign-out', async () => {
    const pushed = await postForm(`${server.issuer}/par`, {
      client_id: 'spa',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://app.example/callback',
      code_challenge: createPkce().challenge,
      code_challenge_method: 'S256',
    });
    expect(pushed.status).toBe(201);
    const device = await postForm(`${server.issuer}/device_authorization`, {
      client_id: 'television',
      scope: 'openid',
    });
    expect(device.status).toBe(200);
    const browser = new Browser();
    const tokens = await obtainTokens(server.issuer, {}, browser);
    await browser.get(`${server.issuer}/logout?id_token_hint=${tokens.idToken}`);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    const revoked = await obtainTokens(server.issuer);
    await postForm(`${server.issuer}/revoke`, { token: revoked.refreshToken, client_id: 'spa' });
    expect(await isHonoured(server.issuer, revoked.accessToken)).toBe(false);
  });

  it('carries devices that are denied, and links by mail', async () => {
    const redis = connectRedis({ url: cluster.list, name: 'test', onError: () => undefined });
    const sealer = createSealer([randomBytes(32)]);
    const devices = createDeviceStore(redis, sealer);
    const [grantId, secretHash, clientId, now] = [randomUUID(), 'hash', 'television', Date.now()];
    const request = { clientId, clientIncarnation: '1', scopes: ['openid'], audience: 'https://api.example' };
    const times = { now, lifetimeS: 60, intervalS: 1 };
    await devices.save({ grantId, userCode: 'ABCD-EFGH', secretHash, request, ...times });
    expect(await devices.deny(grantId)).toBe(true);
    const poll = { grantId, secretHash, clientId, keyThumbprint: undefined, now, idleTtlS: 60 };
    expect(await devices.poll(poll)).toEqual({ kind: 'denied' });
    const links = createLinkStore(redis, sealer);
    const link = { purpose: 'invitation', email: 'ada@example.org', name: 'Ada', role: 'VIEWER' } as const;
    const [first, second] = [
      await links.create(link, 60, 'administrator'),
      await links.create(link, 60, 'administrator'),
    ];
    expect(await links.find(first)).toBeUndefined();
    expect(await links.find(second)).toEqual(link);
    redis.disconnect();
  });

  it('has run every script of the auth-server, none of which has keys of several slots', async () => {
    const folder = new URL('../', import.meta.url);
    const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.lua'),
    );
    expect(scripts).not.toEqual([]);
    const notRun: string[] = [];
    for (const path of scripts)
      if (!(await cluster.hasRun(readFileSync(new URL(path, folder), 'utf8')))) notRun.push(path);
    expect(notRun).toEqual([]);
  });

  it('spreads its keys over all nodes', async () => {
    for (let index = 0; index < 5; index += 1) await obtainTokens(server.issuer);
    for (const count of await cluster.keyCounts()) expect(count).toBeGreaterThan(0);
  });
});

function sessionKeyOf({ idToken }: Tokens): string {
  return `session:{${String(decodeJwt(idToken)['sid'])}}`;
}

describe.skipIf(!hasRedisServer)(`What a request touches in Redis${reason}`, () => {
  let server: TestAuthServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    server = await startTestAuthServer();
    connection = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
  });
  afterAll(async () => {
    connection.disconnect();
    await server.stop();
  });

  /** Keys of the commands on data, those of scripts too, that are done meanwhile. */
  async function keysTouchedBy(act: () => Promise<unknown>): Promise<ReadonlySet<string | undefined>> {
    if (!('monitor' in connection)) throw new TypeError('One server can be watched, a cluster can not.');
    const monitor = await connection.monitor();
    const commands: string[][] = [];
    monitor.on('monitor', (_time: string, args: string[]) => void commands.push(args));
    await act();
    // What the monitor shows comes in the order of the commands, so that after this everything has come.
    await connection.echo('the end');
    await expect.poll(() => commands.some(([name]) => name?.toLowerCase() === 'echo')).toBe(true);
    monitor.disconnect();
    const data = commands.filter(([name]) => /^(m?get|set|del|expire|pttl|z\w+|s\w+)$/i.test(name ?? ''));
    return new Set(data.flatMap(([name, ...keys]) => (name?.toLowerCase() === 'mget' ? keys : keys[0])));
  }

  async function keysOfRefresh({ refreshToken }: Tokens): Promise<ReadonlySet<string | undefined>> {
    return keysTouchedBy(() => refresh(server.issuer, refreshToken, { client_id: 'first-party' }));
  }

  it('is one key for a refresh, the record of its grant; without offline_access that of the session, too', async () => {
    const client = { client_id: 'first-party' };
    const offline = await obtainTokens(server.issuer, { ...client, scope: 'openid offline_access' });
    expect(await keysOfRefresh(offline)).toEqual(new Set([`grant:{${offline.grantId}}`]));
    const bound = await obtainTokens(server.issuer, client);
    expect(await keysOfRefresh(bound)).toEqual(new Set([`grant:{${bound.grantId}}`, sessionKeyOf(bound)]));
  });

  it('is the code, the grant that it begins and the session for an exchange', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const exchanged: Tokens[] = [];
    const keys = await keysTouchedBy(async () => {
      exchanged.push(tokensOf(await exchange(server.issuer, code, pkce)));
    });
    const [tokens] = exchanged;
    if (!tokens) throw new TypeError('The code was exchanged.');
    const { grantId } = tokens;
    expect(keys).toEqual(new Set([`code:{${grantId}}`, `grant:{${grantId}}`, sessionKeyOf(tokens)]));
  });

  it('is asked for in one go by all requests of one turn', async () => {
    const gathering = connectRedis({
      url: server.redis.url,
      name: 'test',
      gatherWrites: true,
      onError: () => undefined,
    });
    const readsSoFar = async (): Promise<number> =>
      Number(/total_reads_processed:(\d+)/.exec(await connection.info('stats'))?.[1]);
    await gathering.ping();
    const before = await readsSoFar();
    await Promise.all(Array.from({ length: 100 }, (_, index) => gathering.get(`none:${index}`)));
    expect((await readsSoFar()) - before).toBeLessThan(20);
    gathering.disconnect();
  });

  it('is read by one command for all who ask in one turn of the event loop, after what is written in it', async () => {
    const gathering = connectRedis({
      url: server.redis.url,
      name: 'test',
      gatherWrites: true,
      onError: () => undefined,
    });
    const callsOf = async (command: string): Promise<number> =>
      Number(
        new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await connection.info('commandstats'))?.[1] ?? 0,
      );
    const before = { get: await callsOf('get'), mget: await callsOf('mget') };
    const names = Array.from({ length: 250 }, (_, index) => `together:${index % 240}`);
    const early = getTogether(gathering, 'together:0');
    await gathering.mset(names.flatMap((name) => [name, `value of ${name}`]));
    expect(await early).toBe('value of together:0');
    const values = await Promise.all(
      [...names, 'none'].map((name) => getTogether(gathering, name)), // 251: three commands of 100 keys at most
    );
    expect(values).toEqual([...names.map((name) => `value of ${name}`), null]);
    expect(await callsOf('get')).toBe(before.get);
    expect((await callsOf('mget')) - before.mget).toBe(4);
    gathering.disconnect();
    await expect(getTogether(gathering, 'none')).rejects.toThrow('closed');
  });
});
