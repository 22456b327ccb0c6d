import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis } from '@trellis/redis';
import { Browser } from '@trellis/testkit/sign-in';
import { decodeJwt } from 'jose';
import { createPkce, exchange, isHonoured, obtainCode, obtainTokens, refresh } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { choosePassword } from '../testing/choose-password.ts';
import { runCommand, type CommandOutcome } from '../testing/run-command.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({
    LOG_LEVEL: 'error',
    KEY_PUBLICATION_LEAD_S: '10',
    KEY_RELOAD_INTERVAL_S: '1',
  });
});
afterAll(() => server.stop());

const run = (args: string[], stdin = ''): Promise<CommandOutcome> => runCommand(server, args, stdin);

const NEW_ACCOUNT = [
  'accounts',
  'add',
  '--email',
  'new@example.com',
  '--name',
  'New',
  '--role',
  'EDITOR',
  '--password-stdin',
];

describe('the command line', () => {
  it('lists its commands when it is called wrongly', async () => {
    for (const args of [['accounts'], ['nothing', 'known'], ['__proto__', 'x']]) {
      const { status, err } = await run(args);
      expect(status).toBe(64);
      expect(err).toContain('accounts add');
    }
    expect((await run(['accounts', 'add', '--unknown'])).status).toBe(64);
    expect((await run(['grants', 'revoke'])).status).toBe(64);
  });

  it('adds an account that can sign in, once', async () => {
    const { status, out, err } = await run(NEW_ACCOUNT, 'a long password\n');
    expect(status, err).toBe(0);
    expect(out).toContain('new@example.com');
    const again = await run(NEW_ACCOUNT, 'a long password\n');
    expect(again.status).toBe(1);
    expect(again.err).toContain('already');
    expect((await run(NEW_ACCOUNT, 'short')).status).toBe(64);
    expect((await run(NEW_ACCOUNT.slice(0, -1), 'a long password')).status).toBe(64);
  });

  it('reports everything that is wrong with a new account at once', async () => {
    const { status, err } = await run(['accounts', 'add', '--email', 'no-address', '--role', 'KING']);
    expect(status).toBe(64);
    for (const problem of [
      '--email: no-address is no address',
      '--name is needed',
      '--role: must be',
      '--password-stdin',
    ])
      expect(err).toContain(problem);
  });

  it('invites a user by a link that makes an account, once', async () => {
    const invite = [
      'accounts',
      'invite',
      '--email',
      'guest@example.com',
      '--name',
      'Guest',
      '--role',
      'EDITOR',
    ];
    const { status, out, err } = await run(invite);
    expect(status, err).toBe(0);
    await choosePassword(out.trim(), 'a password of the guest');
    const tokens = await obtainTokens(
      server.issuer,
      {},
      new Browser(),
      'guest@example.com',
      'a password of the guest',
    );
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ roles: ['EDITOR'], name: 'Guest' });
    expect((await fetch(out.trim())).status).toBe(403);
    expect((await run(invite)).err).toContain('already');
  });

  it('A-139 resets a password by a link, and ends what began under the old one', async () => {
    await run(NEW_ACCOUNT.with(3, 'forgetful@example.com'), 'the first password');
    const before = await obtainTokens(
      server.issuer,
      {},
      new Browser(),
      'forgetful@example.com',
      'the first password',
    );
    const { out } = await run(['accounts', 'reset', '--email', 'forgetful@example.com']);
    expect(await isHonoured(server.issuer, before.accessToken)).toBe(true);
    await choosePassword(out.trim(), 'the second password');
    expect(await isHonoured(server.issuer, before.accessToken)).toBe(false);
    expect((await refresh(server.issuer, before.refreshToken)).body['error']).toBe('invalid_grant');
    await obtainTokens(server.issuer, {}, new Browser(), 'forgetful@example.com', 'the second password');
  });

  it('A-149 stores further claims of an account, which userinfo returns by scope', async () => {
    const claims = {
      given_name: 'Vi',
      birthdate: '1990-02-01',
      address: { locality: 'Lyon', country: 'France' },
      phone_number: '+33 1 23 45 67 89',
    };
    const update = ['accounts', 'update', '--email', 'ada@example.com', '--claims-stdin'];
    expect(await run(update, JSON.stringify(claims))).toMatchObject({ status: 0 });
    // Access tokens of the second in which the claims changed may say those before, and are not honoured.
    await pause(1_000 - (Date.now() % 1_000));
    const scope = 'openid profile address phone';
    const tokens = await obtainTokens(server.issuer, { scope }, new Browser(), 'ada@example.com');
    const headers = { authorization: `Bearer ${tokens.accessToken}` };
    const userinfo = await (await fetch(`${server.issuer}/userinfo`, { headers })).json();
    expect(userinfo).toMatchObject(claims);
    const bad = await run(update, JSON.stringify({ birthdate: 'soon', email: 'x@example.com' }));
    expect(bad.status).toBe(1);
    expect(bad.err).toContain('birthdate');
    expect(bad.err).toContain('email');
    expect((await run(['accounts', 'show', '--email', 'ada@example.com'])).out).not.toContain('argon2');
  });

  it('A-139 disables an account and ends its grants', async () => {
    const tokens = await obtainTokens(server.issuer, {}, new Browser(), 'ed@example.com');
    expect(await run(['accounts', 'disable', '--email', 'ed@example.com'])).toMatchObject({ status: 0 });
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
    await expect(obtainTokens(server.issuer, {}, new Browser(), 'ed@example.com')).rejects.toThrow(
      'expected 403 to be 303',
    );
    expect((await run(['accounts', 'disable', '--email', 'unknown@example.com'])).status).toBe(1);
    expect(await run(['accounts', 'enable', '--email', 'ed@example.com'])).toMatchObject({ status: 0 });
    await obtainTokens(server.issuer, {}, new Browser(), 'ed@example.com');
  });

  it('revokes grants by id and by account, with their codes, and publishes it', async () => {
    const subscriber = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    const published: string[] = [];
    subscriber.on('message', (_channel: string, grantId: string) => void published.push(grantId));
    await subscriber.subscribe('revocations');
    const [one, two, other] = [
      await obtainTokens(server.issuer, {}, new Browser(), 'vi@example.com'),
      await obtainTokens(server.issuer, {}, new Browser(), 'vi@example.com'),
      await obtainTokens(server.issuer),
    ];
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, {}, new Browser(), 'vi@example.com');
    expect(await run(['grants', 'revoke', `--grant=${one.grantId}`])).toMatchObject({ status: 0 });
    expect(await isHonoured(server.issuer, one.accessToken)).toBe(false);
    expect(await isHonoured(server.issuer, two.accessToken)).toBe(true);
    expect((await run(['grants', 'revoke', '--email', 'vi@example.com'])).out).toContain('Ended 2 grants');
    expect(await isHonoured(server.issuer, two.accessToken)).toBe(false);
    expect((await exchange(server.issuer, code, pkce)).body['error']).toBe('invalid_grant');
    expect(await isHonoured(server.issuer, other.accessToken)).toBe(true);
    await expect.poll(() => published).toEqual(expect.arrayContaining([one.grantId, two.grantId]));
    subscriber.disconnect();
    const reader = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    expect(await reader.zscore('revocations', one.grantId)).not.toBeNull();
    expect(await reader.get(`revoked:{${one.grantId}}`)).toBe('operator');
    expect(await reader.ttl(`revoked:{${one.grantId}}`)).toBeGreaterThanOrEqual(900);
    reader.disconnect();
  });

  it('A-027 rotates keys as soon as the next ones have been published long enough, without being asked again', async () => {
    const kidsOf = async (): Promise<string[]> => {
      const { keys } = (await (await fetch(`${server.issuer}/jwks.json`)).json()) as {
        keys: { kid: string }[];
      };
      return keys.map(({ kid }) => kid);
    };
    let before = await kidsOf();
    const tokens = await obtainTokens(server.issuer);
    let early = await run(['keys', 'rotate']);
    if (!early.out.includes('sign from')) {
      // On a busy machine the next ones have been published long enough by now. Those that were made for it have not.
      await expect.poll(kidsOf).toHaveLength(before.length + 2);
      before = await kidsOf();
      early = await run(['keys', 'rotate']);
    }
    expect(early, early.err).toMatchObject({ status: 0 });
    expect(early.out).toContain('sign from');
    await expect.poll(kidsOf).toHaveLength(before.length + 2);
    expect(await kidsOf()).toEqual(expect.arrayContaining(before));
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
  });

  it('replaces keys that got into wrong hands, with everything that they signed', async () => {
    const tokens = await obtainTokens(server.issuer);
    const before = (await run(['keys', 'list'])).out;
    expect(before).toContain('"state":"active"');
    const replaced = await run(['keys', 'replace']);
    expect(replaced.status, replaced.err).toBe(0);
    await expect.poll(() => isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    const fresh = await refresh(server.issuer, tokens.refreshToken);
    expect(await isHonoured(server.issuer, String(fresh.body['access_token']))).toBe(true);
    expect((await run(['keys', 'list'])).out.trim().split('\n')).toHaveLength(4);
  });

  it('adds, lists and removes clients', async () => {
    const metadata = {
      client_id: 'by-command',
      client_secret: 'not to be listed: L9pW4vQz71',
      redirect_uris: ['https://x.example/cb'],
    };
    expect((await run(['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata))).status).toBe(0);
    const listed = await run(['clients', 'list']);
    expect(listed.out).toContain('"client_id":"by-command"');
    expect(listed.out).not.toContain('not to be listed: L9pW4vQz71');
    const bad = await run(
      ['clients', 'add', '--metadata-stdin'],
      JSON.stringify({ client_id: 'x', redirect_uris: ['*'] }),
    );
    expect(bad.status).toBe(1);
    expect(bad.err).toContain('redirect_uris');
    expect((await run(['clients', 'remove', '--client-id', 'by-command'])).status).toBe(0);
    expect((await run(['clients', 'remove', '--client-id', 'by-command'])).status).toBe(1);
  });
});
