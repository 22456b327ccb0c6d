import { connectRedis, type RedisConnection } from '@trellis/redis';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomToken } from '../secrets/secrets.ts';
import { choosePassword } from '../testing/choose-password.ts';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  exchange,
  isHonoured,
  obtainTokens,
  refresh,
  submitSignIn,
  tokensOf,
  type Tokens,
} from '../testing/flow.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../testing/logout-receiver.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';

let server: TestAuthServer;
let redis: RedisConnection;
let receiver: LogoutReceiver;
beforeAll(async () => {
  [server, receiver] = await Promise.all([startTestAuthServer(), startLogoutReceiver(() => 200)]);
  redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  redis.disconnect();
  await receiver.close();
  await server.stop();
});

async function command(args: readonly string[], stdin = ''): Promise<string> {
  const { status, out, err } = await runCommand(server, args, stdin);
  expect(status, err).toBe(0);
  return out.trim();
}

/** A user whom no other test knows. */
async function addUser(role = 'EDITOR'): Promise<{ readonly email: string; readonly password: string }> {
  const [name, password] = [`p${randomToken(9).toLowerCase()}`, randomToken()]; // "-" would begin an option
  const email = `${name}@example.com`;
  const user = ['--email', email, '--name', name, '--role', role, '--password-stdin'];
  await command(['accounts', 'add', ...user], password);
  return { email, password };
}

/** A client whom no other test knows. */
async function addClient(
  clientId = `c-${randomToken(9)}`,
  more: Record<string, unknown> = {},
): Promise<string> {
  const metadata = { client_id: clientId, redirect_uris: [CALLBACK], ...more };
  await command(['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
  return clientId;
}

async function obtain(
  browser: Browser,
  { email, password }: { readonly email: string; readonly password: string },
  changes: Record<string, string | undefined> = {},
): Promise<Tokens> {
  return obtainTokens(server.issuer, changes, browser, email, password);
}

function sidOf({ idToken }: Tokens): unknown {
  return decodeJwt(idToken)['sid'];
}

function subjectOf({ accessToken }: Tokens): string {
  return String(decodeJwt(accessToken).sub);
}

describe('H1: a session outlives the sign-ins of its user', () => {
  it('H1: signing out ends what an earlier sign-in in the same browser began', async () => {
    const user = await addUser();
    const client_id = await addClient(undefined, { backchannel_logout_uri: receiver.url });
    const browser = new Browser();
    const first = await obtain(browser, user, { client_id });
    const second = await obtain(browser, user, { client_id, prompt: 'login' });
    expect(sidOf(second)).toBe(sidOf(first));
    expect(decodeJwt(second.idToken)['auth_time']).toBeGreaterThanOrEqual(
      Number(decodeJwt(first.idToken)['auth_time']),
    );
    await browser.get(`${server.issuer}/logout?id_token_hint=${second.idToken}`);
    for (const { accessToken, refreshToken } of [first, second]) {
      expect((await refresh(server.issuer, refreshToken, { client_id })).body['error']).toBe('invalid_grant');
      expect(await isHonoured(server.issuer, accessToken)).toBe(false);
    }
    await expect
      .poll(() => receiver.tokens.filter((token) => decodeJwt(token)['sid'] === sidOf(first)))
      .toHaveLength(1);
  });

  it('H1: another user who signs in ends the session of the one before whole', async () => {
    const [ada, ed] = [await addUser(), await addUser()];
    const client_id = await addClient(undefined, { backchannel_logout_uri: receiver.url });
    const browser = new Browser();
    const first = await obtain(browser, ada, { client_id });
    const second = await obtain(browser, ed, { client_id, prompt: 'login' });
    expect(sidOf(second)).not.toBe(sidOf(first));
    expect((await refresh(server.issuer, first.refreshToken, { client_id })).status).toBe(400);
    expect(await isHonoured(server.issuer, first.accessToken)).toBe(false);
    await expect
      .poll(() => receiver.tokens.some((token) => decodeJwt(token)['sid'] === sidOf(first)))
      .toBe(true);
    const { out } = await runCommand(server, [
      'audit',
      'list',
      '--email',
      ada.email,
      '--event',
      'signed_out',
    ]);
    expect(out.trim().split('\n')).toHaveLength(1);
    tokensOf(await refresh(server.issuer, second.refreshToken, { client_id }));
  });

  it('H1: a session that has ended is in no list', async () => {
    const user = await addUser();
    const browser = new Browser();
    const tokens = await obtain(browser, user);
    const index = `account-sessions:{${subjectOf(tokens)}}`;
    expect(await redis.zcard(index)).toBe(1);
    await obtain(browser, user, { prompt: 'login' });
    expect(await redis.zcard(index)).toBe(1);
    await browser.get(`${server.issuer}/logout?id_token_hint=${tokens.idToken}`);
    expect(await redis.exists(index)).toBe(0);
  });

  it('a password that was changed while the old one was being checked does not let it in', async () => {
    const user = await addUser();
    const browser = new Browser();
    const page = await browser.follow(
      await browser.get(authorizationUrl(server.issuer, createPkce())),
      server.issuer,
    );
    const link = await command(['accounts', 'reset', '--email', user.email]);
    // Both hash at the same time, whichever comes first: once both are done, the old password has begun nothing that counts.
    await Promise.all([
      submitSignIn(browser, page, user.email, user.password),
      choosePassword(link, randomToken()),
    ]);
    const account = await browser.get(`${server.issuer}/account`);
    expect(account.headers.get('location') ?? '').toContain('/login');
  });
});

describe('M1: one-time links', () => {
  const statusOf = async (link: string): Promise<number> => (await new Browser().get(link)).status;

  it('M1: of two links to reset a password the second alone is of use, and neither when it was used', async () => {
    const { email } = await addUser();
    const first = await command(['accounts', 'reset', '--email', email]);
    const second = await command(['accounts', 'reset', '--email', email]);
    expect([await statusOf(first), await statusOf(second)]).toEqual([403, 200]);
    await choosePassword(second, randomToken());
    expect([await statusOf(first), await statusOf(second)]).toEqual([403, 403]);
  });

  it('M1: a link to reset a password is void once the owner has changed it, also at the last moment', async () => {
    const user = await addUser();
    const link = await command(['accounts', 'reset', '--email', user.email]);
    const visitor = new Browser();
    const page = await visitor.get(link);
    const { action, fields } = readForm(await page.text(), page.url);

    const browser = new Browser();
    await obtain(browser, user);
    const html = await (await browser.get(`${server.issuer}/account`)).text();
    const form = html.split('<form ').find((text) => text.includes('account/password')) ?? '';
    const own = readForm(`<form ${form}`, `${server.issuer}/`);
    const chosen = { password: user.password, new_password: randomToken() };
    expect((await browser.post(own.action, { ...own.fields, ...chosen })).status).toBe(303);

    expect((await visitor.post(action, { ...fields, new_password: randomToken() })).status).toBe(403);
    tokensOf(await refreshOf(user.email, chosen.new_password));
  });

  const refreshOf = async (email: string, password: string): Promise<Awaited<ReturnType<typeof refresh>>> =>
    refresh(server.issuer, (await obtain(new Browser(), { email, password })).refreshToken);

  it('M1: of many who use one link at the same time one succeeds', async () => {
    const { email } = await addUser();
    const link = await command(['accounts', 'reset', '--email', email]);
    const passwords = Array.from({ length: 6 }, () => randomToken());
    const use = async (new_password: string): Promise<number> => {
      const browser = new Browser();
      const page = await browser.get(link);
      const { action, fields } = readForm(await page.text(), page.url);
      return (await browser.post(action, { ...fields, new_password })).status;
    };
    const statuses = await Promise.all(passwords.map(use));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403, 403, 403]);
    tokensOf(await refreshOf(email, passwords[statuses.indexOf(200)] ?? ''));
  });

  it('M7: a link that could not be used is not used up', async () => {
    const link = await command([
      'accounts',
      'invite',
      '--email',
      'later@example.com',
      '--name',
      'L',
      '--role',
      'VIEWER',
    ]);
    const browser = new Browser();
    const page = await browser.get(link);
    const { action, fields } = readForm(await page.text(), page.url);
    expect((await browser.post(action, { ...fields, new_password: 'short' })).status).toBe(400);
    expect(await statusOf(link)).toBe(200);
    await choosePassword(link, randomToken());
    expect(await statusOf(link)).toBe(403);
  });
});

describe('M2: what was given to a client ends with it', () => {
  it('M2: a narrowed client gets no more than it is registered for, and its old access tokens end', async () => {
    const user = await addUser();
    const client_id = await addClient();
    const tokens = await obtain(new Browser(), user, { client_id, scope: 'openid read:data write:data' });
    await addClient(client_id, { scope: 'openid' });
    const { body } = await refresh(server.issuer, tokens.refreshToken, { client_id });
    expect(body['scope']).toBe('openid');
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
  });

  it('M2: a client that is registered again gets nothing of the one before: no token, no code without consent', async () => {
    const user = await addUser();
    const client_id = await addClient();
    const browser = new Browser();
    const tokens = await obtain(browser, user, { client_id });
    await command(['clients', 'remove', '--client-id', client_id]);
    expect((await refresh(server.issuer, tokens.refreshToken, { client_id })).status).not.toBe(200);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    await addClient(client_id, { redirect_uris: ['https://evil.example/cb'] });
    expect(
      (await refresh(server.issuer, tokens.refreshToken, { client_id })).body['error'],
    ).not.toBeUndefined();
    const request = { client_id, redirect_uri: 'https://evil.example/cb', prompt: 'none' };
    await expect
      .poll(async () => {
        const response = await browser.get(authorizationUrl(server.issuer, createPkce(), request));
        return response.headers.get('location') ?? '';
      })
      .toContain('error=consent_required');
  });

  it('M2: a page that waits for a client that is replaced by another gives it no tokens', async () => {
    const user = await addUser();
    const client_id = await addClient();
    const browser = new Browser();
    const pkce = createPkce();
    const first = await browser.get(authorizationUrl(server.issuer, pkce, { client_id }));
    const page = await browser.follow(first, server.issuer);
    await command(['clients', 'remove', '--client-id', client_id]);
    await addClient(client_id);
    const signedIn = await submitSignIn(browser, page, user.email, user.password);
    const response = await completePages(browser, signedIn, server.issuer, user.email, user.password);
    // Within the seconds in which the old registration is remembered there may be a code, which is of no use.
    const code = new URL(response.headers.get('location') ?? CALLBACK).searchParams.get('code') ?? 'none';
    const { status, body } = await exchange(server.issuer, code, pkce, { client_id });
    expect([status, body['access_token']]).toEqual([400, undefined]);
  });
});

describe('M3: fewer rights', () => {
  it('M3: a demoted administrator is none any more, and the grant goes on with the role of now', async () => {
    const user = await addUser('ADMIN');
    const tokens = await obtain(new Browser(), user);
    await command(['accounts', 'update', '--email', user.email, '--role', 'VIEWER']);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    const refreshed = tokensOf(await refresh(server.issuer, tokens.refreshToken));
    expect(decodeJwt(refreshed.accessToken)['roles']).toEqual(['VIEWER']);
  });

  it('M3: claims that change end the access tokens that were issued with those before', async () => {
    const user = await addUser();
    const update = ['accounts', 'update', '--email', user.email, '--claims-stdin'];
    const tokens = await obtain(new Browser(), user);
    await command(update, '{}');
    expect(await isHonoured(server.issuer, tokens.accessToken), 'the same claims').toBe(true);
    await command(update, JSON.stringify({ address: { country: 'PT' } }));
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    tokensOf(await refresh(server.issuer, tokens.refreshToken));
  });

  it('M3: a reset link from before a promotion takes over no administrator', async () => {
    const user = await addUser('EDITOR');
    const link = await command(['accounts', 'reset', '--email', user.email]);
    expect((await fetch(link)).status).toBe(200);
    await command(['accounts', 'update', '--email', user.email, '--role', 'ADMIN']);
    expect((await fetch(link)).status).toBe(403);
    await command(['accounts', 'update', '--email', user.email, '--role', 'EDITOR']);
  });

  it('M3: a reset link that is stored behind a promotion, as when both happen at once, takes over no administrator', async () => {
    const user = await addUser('EDITOR');
    const link = await command(['accounts', 'reset', '--email', user.email]);
    const stored = new Map<string, string>();
    for (const key of await redis.keys('*link*')) stored.set(key, (await redis.get(key)) ?? '');
    const storeAgain = () => Promise.all([...stored].map(([key, value]) => redis.set(key, value)));
    await command(['accounts', 'update', '--email', user.email, '--role', 'ADMIN']);
    await storeAgain();
    expect((await fetch(link)).status).toBe(403);
    await command(['accounts', 'update', '--email', user.email, '--role', 'EDITOR']);
    await storeAgain();
    expect((await fetch(link)).status).toBe(200);
  });

  it('M3: more rights, or another name, end nothing', async () => {
    const user = await addUser('VIEWER');
    const tokens = await obtain(new Browser(), user);
    await command(['accounts', 'update', '--email', user.email, '--role', 'EDITOR', '--name', 'Else']);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
  });
});

describe('M4: without offline_access', () => {
  it('M4: a grant ends when its session is over; with offline_access it does not', async () => {
    const user = await addUser();
    const browser = new Browser();
    const bound = await obtain(browser, user, { scope: 'openid read:data' });
    const offline = await obtain(browser, user, { scope: 'openid read:data offline_access' });
    const again = tokensOf(await refresh(server.issuer, bound.refreshToken));
    await redis.del(`session:{${String(sidOf(bound))}}`); // what its time does
    expect((await refresh(server.issuer, again.refreshToken)).body['error']).toBe('invalid_grant');
    tokensOf(await refresh(server.issuer, offline.refreshToken));
  });
});

describe('M10: many sessions and grants', () => {
  /** What one user got first, and 106 browsers in which the same user signed in later. */
  let user: Awaited<ReturnType<typeof addUser>>;
  let first: Tokens;
  const others: Browser[] = [];
  beforeAll(async () => {
    user = await addUser();
    first = await obtain(new Browser(), user, { client_id: 'first-party' });
    while (others.length < 106) others.push(...(await Promise.all([signIn(user), signIn(user)])));
  });

  it('M10: an account has 50 sessions at most; the oldest goes, with its grants', async () => {
    expect(await redis.zcard(`account-sessions:{${subjectOf(first)}}`)).toBe(50);
    const response = await refresh(server.issuer, first.refreshToken, { client_id: 'first-party' });
    expect(response.body['error']).toBe('invalid_grant');
  });

  it('M10: signing out everywhere else leaves this browser alone, however many there are', async () => {
    const browser = await signIn(user);
    const html = await (await browser.get(`${server.issuer}/account`)).text();
    const form = html.split('<form ').find((text) => text.includes('name="others"')) ?? '';
    const { action, fields } = readForm(`<form ${form}`, `${server.issuer}/`);
    await browser.post(action, { ...fields, others: '1' });
    for (const other of others) expect((await other.get(`${server.issuer}/account`)).status).toBe(303);
    expect((await browser.get(`${server.issuer}/account`)).status).toBe(200);
  });

  async function signIn(user: { readonly email: string; readonly password: string }): Promise<Browser> {
    const browser = new Browser();
    const page = await browser.follow(await browser.get(`${server.issuer}/account`), server.issuer);
    expect((await submitSignIn(browser, page, user.email, user.password)).status).toBe(303);
    return browser;
  }

  it('M10: a client has 200 grants of an account at most; what has ended goes first, then the oldest', async () => {
    const user = await addUser();
    const browser = new Browser();
    const client_id = 'first-party';
    const tokens = await obtain(browser, user, { client_id });
    const index = `account-grants:{${subjectOf(tokens)}}`;
    const silently = async (): Promise<void> => {
      const url = authorizationUrl(server.issuer, createPkce(), { client_id, prompt: 'none' });
      expect(responseOf(await browser.get(url)).get('code')).not.toBeNull();
    };
    for (let count = 1; count < 200; count += 1) await silently();
    expect(await redis.zcard(index)).toBe(200);
    const [, second = ''] = await redis.zrange(index, '0', '-1');
    await redis.pexpire(`code:{${second.split(' ')[0]}}`, 1); // one that ends by itself
    await silently();
    const after = await redis.zrange(index, '0', '-1');
    expect(after).toHaveLength(200);
    expect(after).not.toContain(second);
    await silently();
    expect(await redis.zcard(index)).toBe(200);
    const response = await refresh(server.issuer, tokens.refreshToken, { client_id });
    expect(response.body['error'], 'the oldest had to go').toBe('invalid_grant');
  }, 120_000);

  it('M10: ending a session costs what hangs on it, and nothing for the other grants of the account', async () => {
    const client_id = 'first-party';
    const costOfLeaving = async (others: number): Promise<number> => {
      const user = await addUser();
      const elsewhere = await signIn(user);
      const request = { client_id, prompt: 'none', scope: 'openid offline_access' };
      for (let count = 0; count < others; count += 1)
        await elsewhere.get(authorizationUrl(server.issuer, createPkce(), request));
      const browser = new Browser();
      const { idToken } = await obtain(browser, user, { client_id });
      const commands = async (): Promise<number> =>
        Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
      const before = await commands();
      await browser.get(`${server.issuer}/logout?id_token_hint=${idToken}`);
      return (await commands()) - before;
    };
    expect(await costOfLeaving(60)).toBeLessThan((await costOfLeaving(0)) + 20);
  });
});
