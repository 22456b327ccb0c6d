import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { choosePassword } from '../../testing/choose-password.ts';
import {
  authorizationUrl,
  basic,
  createPkce,
  isHonoured,
  obtainTokens,
  postForm,
  submitSignIn,
} from '../../testing/flow.ts';
import { runCommand } from '../../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';
import { CALLBACK, CLIENT_SECRET } from '../../testing/test-clients.ts';

let server: TestAuthServer;
let token: string;
beforeAll(async () => {
  server = await startTestAuthServer({ ADMIN_API: 'true' });
  for (const metadata of [
    {
      client_id: 'administrator',
      client_secret: CLIENT_SECRET,
      grant_types: ['client_credentials'],
      scope: 'auth:admin read:data',
    },
    { client_id: 'console', redirect_uris: [CALLBACK], scope: 'openid auth:admin read:data' },
  ]) {
    await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
  }
  token = await adminToken();
});
afterAll(() => server.stop());

async function adminToken(changes: Record<string, string> = {}): Promise<string> {
  const form = {
    grant_type: 'client_credentials',
    scope: 'auth:admin',
    resource: `${server.issuer}/admin`,
    ...changes,
  };
  const { body } = await postForm(`${server.issuer}/token`, form, basic('administrator'));
  return String(body['access_token']);
}

interface AdminResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, bearer = token): Promise<AdminResponse> {
  const response = await fetch(`${server.issuer}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** Replaces a client that was read before something happened to it, as the version that was read. */
async function replacedAsRead(metadata: unknown, meanwhile: () => Promise<unknown>): Promise<number> {
  const url = `${server.issuer}/admin/clients/managed`;
  const authorization = `Bearer ${token}`;
  const read = await fetch(url, { headers: { authorization } });
  await meanwhile();
  const headers = {
    authorization,
    'content-type': 'application/json',
    'if-match': read.headers.get('etag') ?? '',
  };
  return (await fetch(url, { method: 'PUT', headers, body: JSON.stringify(metadata) })).status;
}

describe('the admin API', () => {
  it('accepts only tokens for it with its scope, of clients or of administrators', async () => {
    const elsewhere = await adminToken({ resource: 'https://api.example/graphql' });
    const without = await adminToken({ scope: 'read:data' });
    const console = { client_id: 'console', scope: 'openid auth:admin', resource: `${server.issuer}/admin` };
    const viewer = await obtainTokens(server.issuer, console, new Browser(), 'vi@example.com');
    const ada = await obtainTokens(server.issuer, console);
    expect((await call('GET', '/clients', undefined, elsewhere)).status).toBe(401);
    expect((await call('GET', '/clients', undefined, 'garbage')).status).toBe(401);
    expect((await fetch(`${server.issuer}/admin/clients`)).status).toBe(401);
    expect((await call('GET', '/clients', undefined, without)).status).toBe(403);
    expect((await call('GET', '/clients', undefined, viewer.accessToken)).status).toBe(403);
    expect((await call('GET', '/clients', undefined, ada.accessToken)).status).toBe(200);
    await runCommand(server, ['grants', 'revoke', `--grant=${ada.grantId}`]);
    expect((await call('GET', '/clients', undefined, ada.accessToken)).status).toBe(401);
  });

  it('does not exist by default, and its scope is no default scope of clients', async () => {
    const { out } = await runCommand(server, ['clients', 'list']);
    const spa = out.split('\n').find((line) => line.includes('"client_id":"spa"')) ?? '';
    expect(spa).not.toContain('auth:admin');
    const plain = await startTestAuthServer();
    try {
      expect((await fetch(`${plain.issuer}/admin/clients`)).status).toBe(404);
      expect((await fetch(`${plain.issuer}/register`, { method: 'POST' })).status).toBe(404);
    } finally {
      await plain.stop();
    }
  });

  it('A-110 registers, shows, replaces and removes clients, and shows a secret once', async () => {
    const metadata = { client_id: 'managed', grant_types: ['client_credentials'], scope: 'read:data' };
    const made = await call('POST', '/clients', metadata);
    expect(made.status).toBe(201);
    const secret = String(made.body['client_secret']);
    expect((await call('POST', '/clients', metadata)).status).toBe(409);
    expect(JSON.stringify((await call('GET', '/clients/managed')).body)).not.toContain(secret);
    const authenticate = async (text: string): Promise<number> =>
      (await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials' }, basic('managed', text)))
        .status;
    expect(await authenticate(secret)).toBe(200);
    const renamed = await call('PUT', '/clients/managed', { ...metadata, client_name: 'Managed' });
    expect(renamed.body).toMatchObject({ client_name: 'Managed' });
    expect(renamed.body).not.toHaveProperty('client_secret');
    expect(await authenticate(secret)).toBe(200);
    const rotated = await call('POST', '/clients/managed/secret', { grace_seconds: 60 });
    expect(await authenticate(secret)).toBe(200);
    expect(await authenticate(String(rotated.body['client_secret']))).toBe(200);
    await call('POST', '/clients/managed/secret');
    expect(await authenticate(String(rotated.body['client_secret']))).toBe(401);
    expect(await replacedAsRead(metadata, async () => undefined)).toBe(200);
    expect(await replacedAsRead(metadata, () => call('POST', '/clients/managed/secret'))).toBe(412);
    expect((await call('DELETE', '/clients/managed')).status).toBe(204);
    expect((await call('GET', '/clients/managed')).status).toBe(404);
  });

  it('reports what is wrong with metadata, and leaves clients of the file to the file', async () => {
    const bad = await call('POST', '/clients', { redirect_uris: ['https://*.example/cb'] });
    expect(bad).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    const unknown = await call('POST', '/clients', { grant_types: ['password'] });
    expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect((await call('POST', '/clients', '{broken')).body).toMatchObject({ error: 'invalid_request' });
    expect((await call('DELETE', '/clients/spa')).status).toBe(409);
    expect((await call('POST', '/clients/machine/secret', {})).status).toBe(409);
  });

  it('invites, finds, changes, disables and enables accounts', async () => {
    const invited = await call('POST', '/accounts', { email: 'in@example.com', name: 'In', role: 'VIEWER' });
    expect(invited.status).toBe(201);
    await choosePassword(String(invited.body['link']), 'a password for in');
    const found = await call('GET', '/accounts?email=in@example.com');
    const [account] = found.body['accounts'] as { id: string }[];
    const path = `/accounts/${account?.id}`;
    expect(JSON.stringify(found.body)).not.toContain('argon2');
    const changed = await call('PATCH', path, { role: 'EDITOR', claims: { nickname: 'inn' } });
    expect(changed.body).toMatchObject({ role: 'EDITOR', claims: { nickname: 'inn' }, name: 'In' });
    expect((await call('PATCH', path, { role: 'KING' })).status).toBe(400);
    expect((await call('PATCH', path, { passwordHash: 'x' })).status).toBe(400);
    const sign = (): ReturnType<typeof obtainTokens> =>
      obtainTokens(server.issuer, {}, new Browser(), 'in@example.com', 'a password for in');
    const tokens = await sign();
    const { body } = await call('GET', `${path}/grants`);
    expect(body['grants']).toMatchObject([{ grant_id: tokens.grantId, client_id: 'spa' }]);
    await call('PATCH', path, { disabled: true });
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    await call('PATCH', path, { disabled: false });
    const again = await sign();
    expect((await call('POST', `${path}/sign-out`)).status).toBe(204);
    expect(await isHonoured(server.issuer, again.accessToken)).toBe(false);
    const reset = await call('POST', `${path}/reset`);
    await choosePassword(String(reset.body['link']), 'another password for in');
    expect((await call('GET', '/accounts/unknown')).status).toBe(404);
    expect((await call('GET', '/accounts')).body['accounts']).not.toHaveLength(0);
  });

  it('ends grants, shows and rotates keys, and reads the audit log, in which all of it is found', async () => {
    const tokens = await obtainTokens(server.issuer);
    expect((await call('DELETE', `/grants/${tokens.grantId}`)).status).toBe(204);
    expect((await call('DELETE', `/grants/${tokens.grantId}`)).status).toBe(404);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await call('GET', '/keys')).body['keys']).toHaveLength(4);
    const rotated = await call('POST', '/keys/rotate');
    expect(rotated).toMatchObject({ status: 202, body: { activated: [] } });
    await call('POST', '/clients', { client_id: 'audited', redirect_uris: ['https://x.example/cb'] });
    await expect
      .poll(async () => (await call('GET', '/audit-events?client_id=audited&limit=5')).body['events'])
      .toMatchObject([
        { event: 'client_changed', details: { by: 'client administrator', address: expect.any(String) } },
      ]);
  });
});

describe('RFC 7591: clients that register themselves', () => {
  const initial = 'an-initial-access-token-of-32-chars-or-more';
  let open: TestAuthServer;
  beforeAll(async () => {
    open = await startTestAuthServer({ REGISTRATION_TOKEN: initial, ADMIN_API: 'true' });
  });
  afterAll(() => open.stop());

  async function register(body: unknown, bearer = initial): Promise<AdminResponse> {
    const response = await fetch(`${open.issuer}/register`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('A-022 A-039 get an id and a secret for good metadata, and are advertised', async () => {
    const discovery = (await (
      await fetch(`${open.issuer}/.well-known/openid-configuration`)
    ).json()) as object;
    expect(discovery).toMatchObject({ registration_endpoint: `${open.issuer}/register` });
    const made = await register({ redirect_uris: [CALLBACK], client_name: 'Mine', first_party: true });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      client_name: 'Mine',
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: expect.any(String),
      client_secret_expires_at: 0,
      client_id_issued_at: expect.any(Number),
      first_party: false,
    });
    expect(String(made.body['scope'])).not.toContain('auth:admin');
    const spa = await register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
    expect(spa.body).not.toHaveProperty('client_secret');
    await obtainTokens(open.issuer, { client_id: String(spa.body['client_id']), scope: 'openid' });
  });

  it('A-060 are unvetted, whatever they say', async () => {
    const { body } = await register({ redirect_uris: [CALLBACK], unvetted: false });
    expect(body['unvetted']).toBe(true);
  });

  it('M8: get nothing without the consent of a user: no client_credentials', async () => {
    const { status, body } = await register({ grant_types: ['client_credentials'] });
    expect([status, body['error']]).toEqual([400, 'invalid_client_metadata']);
  });

  it('M8: are shown as what they are: unverified, and where the response goes', async () => {
    const redirect_uri = 'https://evil.example/callback';
    const made = await register({
      redirect_uris: [redirect_uri],
      client_name: 'Trellis explorer',
      token_endpoint_auth_method: 'none',
    });
    const client_id = String(made.body['client_id']);
    const browser = new Browser();
    const url = authorizationUrl(open.issuer, createPkce(), { client_id, redirect_uri });
    const page = await browser.follow(await browser.get(url), open.issuer);
    const consent = await browser.follow(await submitSignIn(browser, page), open.issuer);
    const html = await consent.text();
    expect(html).toContain('Its name has not been verified.');
    expect(html).toContain('Your response goes to evil.example.');
  });

  it('are rejected without the token, with bad metadata, and for administration', async () => {
    expect((await register({ redirect_uris: [CALLBACK] }, 'wrong')).status).toBe(401);
    expect((await fetch(`${open.issuer}/register`, { method: 'POST' })).status).toBe(401);
    expect((await register({ redirect_uris: ['http://x.example/'] })).body['error']).toBe(
      'invalid_redirect_uri',
    );
    const scope = 'openid auth:admin';
    const greedy = await register({ redirect_uris: [CALLBACK], scope });
    expect(greedy.body['error']).toBe('invalid_client_metadata');
    for (const body of [[], 'x', null, { __proto__: null }]) {
      expect((await register(body)).status).toBe(400);
    }
  });
});
