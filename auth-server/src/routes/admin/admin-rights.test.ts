import { randomUUID } from 'node:crypto';
import { demoAccounts } from '@trellis/demo-data';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pool } from 'pg';
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
import { createSealer } from '../../secrets/sealing.ts';
import { deriveKeys } from '../../secrets/secrets.ts';
import { describeApi } from './describe-api.ts';
import { allOperations } from './operations.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';
import { CALLBACK, CLIENT_SECRET } from '../../testing/test-clients.ts';

const [ada, ed] = demoAccounts;
const EVERYTHING = adminScopes.join(' ');

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({
    ADMIN_API: 'true',
    ADMIN_SIGN_IN_MAX_AGE_S: '60',
    GATEWAY_OPERATIONS_URLS: 'gone=http://127.0.0.1:1',
  });
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
  ['auth:grants:read', 'GET', '/accounts/none/sessions'],
  ['auth:grants:write', 'DELETE', '/accounts/none/sessions/none'],
  ['auth:clients:read', 'GET', '/clients/none/sign-in-test'],
  ['auth:mail:read', 'GET', '/mail'],
  ['auth:mail:write', 'POST', '/mail/none/retry'],
  ['auth:mail:write', 'DELETE', '/mail/none'],
  ['auth:graph:read', 'GET', '/gateways'],
  ['auth:graph:read', 'GET', '/gateways/none/field-use'],
  ['auth:graph:read', 'GET', '/gateways/none/records/none/verdict'],
];

describe('A-261: the description of the admin API', () => {
  const shapeOf = (path: string): string => path.replaceAll(/:\w+|\{\w+\}|none/g, '*');

  it('has every operation, and no other; so has the list of calls above', () => {
    const described = describeApi() as {
      paths: Record<string, Record<string, { security: [{ token: string[] }] }>>;
    };
    const inDescription = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { security }]) => `${security[0].token[0]} ${method.toUpperCase()} ${shapeOf(path)}`,
      ),
    );
    const inTable = allOperations.map(({ scope, method, path }) => `${scope} ${method} ${shapeOf(path)}`);
    const inCalls = calls.map(([scope, method, path]) => `${scope} ${method} ${shapeOf(path)}`);
    expect(inDescription.toSorted()).toEqual(inTable.toSorted());
    expect(inCalls.toSorted()).toEqual(inTable.toSorted());
    expect(new Set(allOperations.map(({ id }) => id)).size).toBe(allOperations.length);
  });

  it('is served without a token, and is the one in the documentation but for the address', async () => {
    const served = await (await fetch(`${server.issuer}/admin/openapi.json`)).text();
    expect(JSON.parse(served.replaceAll(server.issuer, 'https://id.example'))).toEqual(
      JSON.parse(JSON.stringify(describeApi())),
    );
  });

  it('says what comes back', async () => {
    const token = await tokenFor('auth:admin');
    const pathsOf: Readonly<Record<string, string>> = {
      accounts: ed?.id ?? '',
      clients: 'desk',
      gateways: 'gone',
    };
    for (const { method, path, output } of allOperations) {
      if (method !== 'GET' || output === undefined) continue;
      const [, kind = ''] = path.split('/');
      const response = await call(
        token,
        'GET',
        `${path.replace(':id', pathsOf[kind] ?? '').replace(':sequence', '1')}?field=User.name`,
      );
      expect([path, response.status]).toEqual([path, 200]);
      const parsed = output.safeParse(await response.json());
      expect([path, parsed.error?.issues ?? []]).toEqual([path, []]);
    }
  });
});

describe('A-262: what operators do', () => {
  it('is in the audit log with who did it, whatever it is', async () => {
    const token = await tokenFor('auth:admin');
    const done = allOperations.filter(({ method }) => method !== 'GET').map(({ id }) => id);
    const id = ed?.id ?? '';
    const invited = { email: 'audited@example.com', name: 'A', role: 'VIEWER' };
    const metadata = { redirect_uris: ['https://audited.example/'], scope: 'openid' };
    await obtainTokens(server.issuer, {}, new Browser(), 'ed@example.com');
    const { sessions } = (await (await call(token, 'GET', `/accounts/${id}/sessions`)).json()) as {
      sessions: { session_id: string }[];
    };
    const { grants } = (await (await call(token, 'GET', `/accounts/${id}/grants`)).json()) as {
      grants: { grant_id: string }[];
    };
    const pool = new Pool({ connectionString: server.environment['DATABASE_URL'] });
    const sealer = createSealer(deriveKeys([server.environment['KEY_ENCRYPTION_SECRET'] ?? ''], 'mail'));
    const mail = [randomUUID(), randomUUID()];
    for (const message of mail) {
      const text = sealer.seal(JSON.stringify({ to: 'x@example.com', subject: 'S', text: 'T' }), message);
      await pool.query(
        `INSERT INTO auth.mail_message (id, sealed, next_attempt_at, expires_at) VALUES ($1, $2, now(), now() + '1 h')`,
        [message, text],
      );
    }
    await pool.end();
    const bodies: Readonly<Record<string, readonly [path: string, body?: unknown]>> = {
      inviteAccount: ['/accounts', invited],
      changeAccount: [`/accounts/${id}`, { name: 'Eddie' }],
      resetAccount: [`/accounts/${id}/reset`],
      revokeGrant: [`/grants/${grants[0]?.grant_id ?? ''}`],
      endSessionOfAccount: [`/accounts/${id}/sessions/${sessions[0]?.session_id ?? ''}`],
      signOutAccount: [`/accounts/${id}/sign-out`],
      registerClient: ['/clients', { client_id: 'audited', ...metadata }],
      replaceClient: ['/clients/audited', metadata],
      rotateClientSecret: ['/clients/audited/secret', {}],
      removeClient: ['/clients/audited'],
      rotateKeys: ['/keys/rotate'],
      retryMail: [`/mail/${mail[0] ?? ''}/retry`],
      removeMail: [`/mail/${mail[1] ?? ''}`],
    };
    expect(Object.keys(bodies).toSorted()).toEqual(done.toSorted());
    for (const [operation, [path, body]] of Object.entries(bodies)) {
      const method = allOperations.find((one) => one.id === operation)?.method ?? '';
      const { status } = await call(token, method, path, body);
      expect([operation, status < 300]).toEqual([operation, true]);
    }
    const recorded = async (): Promise<readonly string[]> => {
      const response = await call(token, 'GET', '/audit-events?event=administered&limit=1000');
      const { events } = (await response.json()) as {
        events: { details: { operation: string; by: string } }[];
      };
      return events
        .filter(({ details }) => details.by === 'client machine-room')
        .map(({ details }) => details.operation);
    };
    await expect.poll(async () => new Set(await recorded())).toEqual(new Set(done));
  });

  it('A-263: finds accounts by a part of name or address, as a text and not as a pattern', async () => {
    const token = await tokenFor('auth:accounts:read');
    const emails = async (q: string): Promise<readonly string[]> => {
      const response = await call(token, 'GET', `/accounts?q=${encodeURIComponent(q)}`);
      return ((await response.json()) as { accounts: { email: string }[] }).accounts.map(
        ({ email }) => email,
      );
    };
    expect(await emails('ADA@')).toEqual(['ada@example.com']);
    expect(await emails('marlow')).toEqual(['ada@example.com']);
    expect(await emails('%')).toEqual([]);
    expect(await emails('a_a')).toEqual([]);
  });

  it('A-264: tests a sign-in as the authorization endpoint would treat it', async () => {
    const token = await tokenFor('auth:clients:read');
    const test = async (query: Record<string, string>, id = 'desk'): Promise<Record<string, unknown>> => {
      const text = new URLSearchParams(query).toString();
      const response = await call(token, 'GET', `/clients/${id}/sign-in-test?${text}`);
      return (await response.json()) as Record<string, unknown>;
    };
    const good = await test({ redirect_uri: CALLBACK, scope: 'openid' });
    expect(good['works']).toBe(true);
    const page = await new Browser().get(String(good['authorization_url']));
    expect(page.headers.get('location')).toContain('/login?');
    expect(await test({ redirect_uri: 'https://evil.example/', scope: 'openid' })).toMatchObject({
      works: false,
      error: 'invalid_request',
    });
    expect(await test({ redirect_uri: CALLBACK, scope: 'nonsense' })).toMatchObject({
      error: 'invalid_scope',
    });
    expect(await test({}, 'unknown')).toMatchObject({ works: false, error: 'invalid_client' });
  });
});

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
