import { connectRedis } from '@trellis/redis';
import { describeTestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from './testing/browser.ts';
import {
  createPkce,
  exchange,
  isHonoured,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
} from './testing/flow.ts';
import { startRedisCluster, type TestRedisCluster } from './testing/redis-cluster.ts';
import { startTestAuthServer, type TestAuthServer } from './testing/test-auth-server.ts';

const hasRedisServer = describeTestRedis().startsWith('redis-server');
const reason = hasRedisServer ? '' : ' (skipped: there is no redis-server)';

describe.skipIf(!hasRedisServer)(`A Redis Cluster of three nodes${reason}`, () => {
  let cluster: TestRedisCluster;
  let server: TestAuthServer;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    server = await startTestAuthServer({ REDIS_URL: cluster.url });
  });
  afterAll(async () => {
    await server.stop();
    await cluster.stop();
  });

  it('A-120 A-123 A-127 carries codes, refreshes, reuse and replays', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(server.issuer, code, pkce)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
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

  it('spreads its keys over all nodes', async () => {
    for (let index = 0; index < 5; index += 1) await obtainTokens(server.issuer);
    for (const count of await cluster.keyCounts()) expect(count).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasRedisServer)(`What a refresh touches in Redis${reason}`, () => {
  let server: TestAuthServer;
  beforeAll(async () => {
    server = await startTestAuthServer();
  });
  afterAll(() => server.stop());

  it('is one key, the record of its grant', async () => {
    const tokens = await obtainTokens(server.issuer, { client_id: 'first-party' });
    const connection = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    if (!('monitor' in connection)) throw new TypeError('One server can be watched, a cluster can not.');
    const monitor = await connection.monitor();
    const commands: string[][] = [];
    monitor.on('monitor', (_time: string, args: string[]) => void commands.push(args));
    await refresh(server.issuer, tokens.refreshToken, { client_id: 'first-party' });
    // What the monitor shows comes in the order of the commands, so that after this everything has come.
    await connection.echo('the end');
    await expect.poll(() => commands.some(([name]) => name?.toLowerCase() === 'echo')).toBe(true);
    const data = commands.filter(([name]) => /^(get|set|del|expire|zadd|sadd)$/i.test(name ?? ''));
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(([, key]) => key))).toEqual(new Set([`grant:{${tokens.grantId}}`]));
    monitor.disconnect();
    connection.disconnect();
  });
});
