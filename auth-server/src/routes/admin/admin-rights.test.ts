import { demoAccounts } from '@trellis/demo-data';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminScopes } from '../../clients/scopes.ts';
import {
  authorizationUrl,
  basic,
  createPkce,
  obtainTokens,
  postForm,
  submitSignIn,
} from '../../testing/flow.ts';
import { reissue } from '../../testing/reissue.ts';
import { runCommand } from '../../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';
import { CALLBACK, CLIENT_SECRET } from '../../testing/test-clients.ts';

const [ada, ed] = demoAccounts;
const EVERYTHING = adminScopes.join(' ');

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({ ADMIN_API: 'true', ADMIN_SIGN_IN_MAX_AGE_S: '60' });
  await addClient({
    client_id: 'machine-room',
    client_secret: CLIENT_SECRET,
    grant_types: ['client_credentials'],
    scope: EVERYTHING,
  });
  await addClient({ client_id: 'desk', redirect_uris: [CALLBACK], scope: `openid ${EVERYTHING}` });
});
afterAll(() => server.stop());

/** Every call of the API, and the one narrow scope that allows it. Ids are of nothing that exists. */
const calls: readonly (readonly [scope: string, method: string, path: string, body?: unknown])[] = [
  ['auth:clients:read', 'GET', '/clients'],
  ['auth:clients:read', 'GET', '/clients/none'],
  ['auth:clients:write', 'POST', '/clients', {}],
  ['auth:clients:write', 'PUT', '/clients/none', {}],
  ['auth:clients:write', 'DELETE', '/clients/none'],
  ['auth:clients:write', 'POST', '/clients/none/secret'],
  ['auth:accounts:read', 'GET', '/accounts'],
  ['auth:accounts:read', 'GET', '/accounts/none'],
  ['auth:accounts:write', 'POST', '/accounts', {}],
  ['auth:accounts:write', 'PATCH', '/accounts/none', {}],
  ['auth:accounts:write', 'POST', '/accounts/none/reset'],
  ['auth:grants:write', 'POST', '/accounts/none/sign-out'],
  ['auth:grants:read', 'GET', '/accounts/none/grants'],
  ['auth:grants:write', 'DELETE', '/grants/none'],
  ['auth:keys:read', 'GET', '/keys'],
  ['auth:keys:write', 'POST', '/keys/rotate'],
  ['auth:audit:read', 'GET', '/audit-events'],
];

describe('L5: the scopes of the admin API', () => {
  it('allow their own calls and no others; auth:admin allows all', async () => {
    for (const scope of adminScopes) {
      const token = await tokenFor(scope);
      for (const [needed, method, path, body] of calls) {
        const isAllowed = scope === needed || scope === 'auth:admin';
        const { status } = await call(token, method, path, body);
        expect([scope, method, path, status === 403]).toEqual([scope, method, path, !isAllowed]);
      }
    }
  });

  it('say in the challenge which one is needed', async () => {
    const { headers } = await call(await tokenFor('auth:audit:read'), 'GET', '/accounts');
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(headers.get('www-authenticate')).toContain('scope="auth:accounts:read"');
  });

  it('of clients make no client that may do more, nor take over one', async () => {
    const token = await tokenFor('auth:clients:read auth:clients:write');
    const machine = { grant_types: ['client_credentials'] };
    for (const scope of ['auth:admin', 'auth:keys:write', 'read:data auth:accounts:write'])
      expect((await call(token, 'POST', '/clients', { ...machine, scope })).status).toBe(403);
    expect((await call(token, 'POST', '/clients', { ...machine, scope: 'auth:clients:read' })).status).toBe(
      201,
    );
    expect((await call(token, 'POST', '/clients/machine-room/secret')).status).toBe(403);
    expect((await call(token, 'DELETE', '/clients/desk')).status).toBe(403);
    expect(
      (await call(token, 'PUT', '/clients/desk', { redirect_uris: ['https://x.example/'] })).status,
    ).toBe(403);
    const plain = { client_id: 'plain', ...machine, scope: 'read:data' };
    expect((await call(token, 'POST', '/clients', plain)).status).toBe(201);
    expect((await call(token, 'PUT', '/clients/plain', { ...plain, scope: 'auth:admin' })).status).toBe(403);
  });

  it('of accounts make no administrator, nor take over one', async () => {
    const token = await tokenFor('auth:accounts:read auth:accounts:write');
    const user = { email: 'new@example.com', name: 'New', role: 'ADMIN' };
    expect((await call(token, 'POST', '/accounts', user)).status).toBe(403);
    expect((await call(token, 'PATCH', `/accounts/${ed?.id}`, { role: 'ADMIN' })).status).toBe(403);
    expect((await call(token, 'PATCH', `/accounts/${ada?.id}`, { disabled: true })).status).toBe(403);
    expect((await call(token, 'POST', `/accounts/${ada?.id}/reset`)).status).toBe(403);
    expect((await call(token, 'POST', '/accounts', { ...user, role: 'EDITOR' })).status).toBe(201);
    expect((await call(token, 'PATCH', `/accounts/${ed?.id}`, { name: 'Edgar' })).status).toBe(200);
  });

  it('are worded on the consent page, in every language', async () => {
    for (const [locale, words] of [
      ['en', 'read the log of security events'],
      ['de', 'das Protokoll sicherheitsrelevanter Ereignisse lesen'],
      ['zh', '阅读安全事件日志'],
    ] as const) {
      const page = await consentPage({ scope: `openid ${EVERYTHING}`, ui_locales: locale });
      expect(page).toContain(words);
      expect(page).not.toContain('auth:');
    }
  });
});

describe('L5: an administrator', () => {
  it('signs in again to change something, and reads without', async () => {
    const resource = `${server.issuer}/admin`;
    const { accessToken } = await obtainTokens(server.issuer, {
      client_id: 'desk',
      scope: 'openid auth:admin',
      resource,
    });
    const change = (token: string) => call(token, 'PATCH', `/accounts/${ed?.id}`, { name: 'Ed' });
    expect((await change(accessToken)).status).toBe(200);
    const stale = await reissue(server, accessToken, { auth_time: Math.floor(Date.now() / 1000) - 61 });
    const rejected = await change(stale);
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toMatch(
      /error="insufficient_user_authentication".*max_age="60"/,
    );
    expect((await call(stale, 'GET', '/accounts')).status).toBe(200);
  });

  it('who is the last one can neither be demoted nor disabled, by whatever way', async () => {
    const token = await tokenFor('auth:admin');
    const path = `/accounts/${ada?.id}`;
    for (const change of [{ role: 'VIEWER' }, { disabled: true }]) {
      const response = await call(token, 'PATCH', path, change);
      expect([response.status, await response.json()]).toEqual([
        409,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
    }
    const commands = [
      ['accounts', 'disable'],
      ['accounts', 'update', '--role', 'EDITOR'],
    ];
    for (const command of commands) {
      const { status, err } = await runCommand(server, [...command, '--email', 'ada@example.com']);
      expect([status === 0, err]).toEqual([false, expect.stringContaining('the last administrator')]);
    }
    expect(await (await call(token, 'GET', path)).json()).toMatchObject({ role: 'ADMIN', disabled: false });
  });

  it('and another one can not step down at the same time', async () => {
    const token = await tokenFor('auth:admin');
    const paths = [`/accounts/${ada?.id}`, `/accounts/${ed?.id}`];
    await call(token, 'PATCH', paths[1] ?? '', { role: 'ADMIN' });
    const responses = await Promise.all(paths.map((path) => call(token, 'PATCH', path, { role: 'EDITOR' })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const left = responses[0]?.status === 409 ? 0 : 1;
    expect(await (await call(token, 'GET', paths[left] ?? '')).json()).toMatchObject({ role: 'ADMIN' });
  });
});

async function addClient(metadata: object): Promise<void> {
  const { status, err } = await runCommand(
    server,
    ['clients', 'add', '--metadata-stdin'],
    JSON.stringify(metadata),
  );
  expect([status, err]).toEqual([0, expect.anything()]);
}

async function tokenFor(scope: string): Promise<string> {
  const form = { grant_type: 'client_credentials', scope, resource: `${server.issuer}/admin` };
  const { body } = await postForm(`${server.issuer}/token`, form, basic('machine-room'));
  return String(body['access_token']);
}

function call(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.issuer}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function consentPage(changes: Record<string, string>): Promise<string> {
  const browser = new Browser();
  const parameters = { client_id: 'desk', resource: `${server.issuer}/admin`, ...changes };
  const url = authorizationUrl(server.issuer, createPkce(), parameters);
  const signIn = await browser.follow(await browser.get(url), server.issuer);
  return (await browser.follow(await submitSignIn(browser, signIn), server.issuer)).text();
}
