import { Browser } from '@trellis/testkit/sign-in';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, isHonoured, obtainTokens, postForm, refresh } from '../testing/flow.ts';
import { registerByCommand } from '../testing/signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';

const REGISTRATION_TOKEN = 'q3Zt7LkX9vB2nM5cR8wY1sD4fG6hJ0pA';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({ REGISTRATION_TOKEN });
});
afterAll(() => server.stop());

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function send(method: string, url: string, token: string, body?: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, body: parsed };
}

/** A client that has registered itself. */
interface Own {
  readonly id: string;
  readonly uri: string;
  readonly token: string;
  readonly secret: string;
}

const METADATA = {
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
  scope: 'openid read:data write:data',
};

async function register(changes: object = {}): Promise<Own> {
  const { status, body } = await send('POST', `${server.issuer}/register`, REGISTRATION_TOKEN, {
    ...METADATA,
    ...changes,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return {
    id: String(body['client_id']),
    uri: String(body['registration_client_uri']),
    token: String(body['registration_access_token']),
    secret: (body['client_secret'] as string | undefined) ?? '', // of public clients there is none
  };
}

const read = ({ uri, token }: Own): Promise<Reply> => send('GET', uri, token);
const replace = ({ id, uri, token }: Own, changes: object = {}): Promise<Reply> =>
  send('PUT', uri, token, { client_id: id, ...METADATA, ...changes });
const tokenOf = ({ body }: Reply): string => String(body['registration_access_token']);

async function query<Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  const connection = new pg.Client({ connectionString: server.environment['DATABASE_URL'] });
  await connection.connect();
  const { rows }: pg.QueryResult<Row> = await connection.query(text, values);
  await connection.end();
  return rows;
}

describe('RFC 7592: a client that has registered itself', () => {
  it('A-178 learns at registration where and by what it manages it; the token is stored as a hash', async () => {
    const own = await register();
    expect(own.uri).toBe(`${server.issuer}/register/${own.id}`);
    expect(Buffer.from(own.token, 'base64url')).toHaveLength(32);
    const [row] = await query<{ record: string }>(
      'SELECT row_to_json(client)::text AS record FROM auth.client WHERE client_id = $1',
      [own.id],
    );
    expect(row?.record).not.toContain(own.token);
  });

  it('A-178 reads its registration: 200', async () => {
    const own = await register({ client_name: 'Reader' });
    const { status, headers, body } = await read(own);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      client_id: own.id,
      client_name: 'Reader',
      redirect_uris: [CALLBACK],
      registration_client_uri: own.uri,
      registration_access_token: own.token,
    });
    expect(body).not.toHaveProperty('client_secret');
  });

  it('A-179 replaces it: 200, what is left out or null is removed, and a fresh token takes the place of the old one', async () => {
    const own = await register({ client_name: 'Before', default_max_age: 5 });
    const changed = await replace(own, { client_name: null, redirect_uris: ['https://new.example/cb'] });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      client_name: own.id,
      redirect_uris: ['https://new.example/cb'],
      client_id: own.id,
    });
    expect(changed.body).not.toHaveProperty('default_max_age');
    const token = tokenOf(changed);
    expect(token).not.toBe(own.token);
    // The response may have been lost: the old one works until the new one has been used.
    expect((await read(own)).status).toBe(200);
    expect((await read({ ...own, token })).status).toBe(200);
    expect((await read(own)).status).toBe(401);
    expect((await replace(own)).status).toBe(401);
  });

  it('A-179 whose response was lost replaces it again by the old token', async () => {
    const own = await register();
    const lost = await replace(own, { client_name: 'Lost' });
    const again = await replace(own, { client_name: 'Again' });
    expect(again.status).toBe(200);
    expect((await read({ ...own, token: tokenOf(lost) })).status).toBe(401);
    expect((await read({ ...own, token: tokenOf(again) })).body['client_name']).toBe('Again');
  });

  it('A-179 has its token replaced once by many requests at the same time', async () => {
    const own = await register();
    const replies = await Promise.all(Array.from({ length: 8 }, () => replace(own)));
    expect(replies.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(
      true,
    );
    const tokens = replies.filter(({ status }) => status === 200).map(tokenOf);
    const good: string[] = [];
    for (const token of tokens) if ((await read({ ...own, token })).status === 200) good.push(token);
    expect(good).toHaveLength(1);
  });

  it('A-179 gets a secret once, which an update neither shows nor changes', async () => {
    const own = await register({ token_endpoint_auth_method: 'client_secret_basic' });
    const authenticates = async (): Promise<unknown> => {
      const form = { grant_type: 'refresh_token', refresh_token: 'x' };
      return (await postForm(`${server.issuer}/token`, form, basic(own.id, own.secret))).body['error'];
    };
    const method = { token_endpoint_auth_method: 'client_secret_basic' };
    const changed = await replace(own, { ...method, client_secret: own.secret });
    expect(changed.status).toBe(200);
    expect(changed.body).not.toHaveProperty('client_secret');
    expect(await authenticates()).toBe('invalid_grant');
    const token = tokenOf(changed);
    const chosen = await replace({ ...own, token }, { ...method, client_secret: 'x9-Lq27_vTfPw0aZ8rNdK3' });
    expect(chosen).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect(await authenticates()).toBe('invalid_grant');
    const fresh = await replace({ ...(await register()), secret: '' }, method);
    expect(fresh.body).toMatchObject({ client_secret: expect.any(String), client_secret_expires_at: 0 });
  });

  it.each<[string, object, string]>([
    ['another client_id', { client_id: 'spa' }, 'invalid_client_metadata'],
    ['no client_id', { client_id: null }, 'invalid_client_metadata'],
    ['a redirect URI that can not be', { redirect_uris: ['http://evil.example/'] }, 'invalid_redirect_uri'],
    ['a scope of administration', { scope: 'auth:admin' }, 'invalid_client_metadata'],
    ['client_credentials', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['a token of its own', { registration_access_token: 'x' }, 'invalid_client_metadata'],
    [
      'an address of its own',
      { registration_client_uri: 'https://evil.example/' },
      'invalid_client_metadata',
    ],
    ['a time of issue', { client_id_issued_at: 1 }, 'invalid_client_metadata'],
    ['an end of its secret', { client_secret_expires_at: 1 }, 'invalid_client_metadata'],
    [
      'both jwks and jwks_uri',
      { jwks: { keys: [{ kty: 'EC' }] }, jwks_uri: 'https://a.example/' },
      'invalid_client_metadata',
    ],
  ])('A-180 changes nothing by an update with %s: 400', async (_what, changes, error) => {
    const own = await register({ client_name: 'Same' });
    expect(await replace(own, changes)).toMatchObject({ status: 400, body: { error } });
    expect((await read(own)).body).toMatchObject({ client_name: 'Same', redirect_uris: [CALLBACK] });
  });

  it.each([[[]], ['text'], [1], [null]])('A-180 changes nothing by the body %j: 400', async (body) => {
    const own = await register();
    expect((await send('PUT', own.uri, own.token, body)).status).toBe(400);
  });

  it('A-180 gives itself nothing that is not its own to ask for', async () => {
    const own = await register();
    const { body } = await replace(own, {
      first_party: true,
      unvetted: false,
      pkce_exempt: true,
      refresh_reuse_leeway_seconds: 60,
    });
    expect(body).toMatchObject({
      first_party: false,
      unvetted: true,
      pkce_exempt: false,
      refresh_reuse_leeway_seconds: 0,
    });
  });

  it('A-181 is not known by another token, nor another client by its token: 401, as for one that does not exist', async () => {
    const [own, other] = await Promise.all([register(), register()]);
    const urls = [
      other.uri,
      `${server.issuer}/register/spa`,
      `${server.issuer}/register/unknown`,
      `${server.issuer}/register/a%00b`,
    ];
    for (const method of ['GET', 'PUT', 'DELETE'])
      for (const url of urls) {
        const { status, headers, body } = await send(
          method,
          url,
          own.token,
          method === 'PUT' ? {} : undefined,
        );
        expect([status, body['error']], `${method} ${url}`).toEqual([401, 'invalid_token']);
        expect(headers.get('www-authenticate')).toContain('Bearer error="invalid_token"');
      }
    expect((await send('GET', own.uri, REGISTRATION_TOKEN)).status).toBe(401);
    expect((await send('GET', own.uri, `${own.token}x`)).status).toBe(401);
    expect((await fetch(own.uri)).status).toBe(401);
    expect((await fetch(own.uri, { headers: { authorization: `DPoP ${own.token}` } })).status).toBe(401);
    expect((await read(own)).status).toBe(200);
  });

  it('A-181 that an administrator has given more reads and removes itself, and changes nothing: 403', async () => {
    const own = await register();
    const grant = `UPDATE auth.client SET metadata = metadata || '{"first_party": true, "unvetted": false}' WHERE client_id = $1`;
    await query(grant, [own.id]);
    expect((await read(own)).status).toBe(200);
    expect(await replace(own)).toMatchObject({ status: 403, body: { error: 'access_denied' } });
    expect((await send('DELETE', own.uri, own.token)).status).toBe(204);
  });

  it('A-181 whose id a command has registered again is not managed by its token any more: 401', async () => {
    const own = await register();
    expect(await registerByCommand(server, { ...METADATA, client_id: own.id })).toBe('');
    expect((await read(own)).status).toBe(401);
  });

  it('A-181 meets other methods with 405', async () => {
    const own = await register();
    const { status, headers } = await send('POST', own.uri, own.token, {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE']);
  });

  it('A-182 removes itself: 204, with all that it was given', async () => {
    const own = await register();
    const tokens = await obtainTokens(
      server.issuer,
      { client_id: own.id, scope: 'openid read:data' },
      new Browser(),
    );
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    expect((await send('DELETE', own.uri, own.token)).status).toBe(204);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await refresh(server.issuer, tokens.refreshToken, { client_id: own.id })).body['error']).toBe(
      'invalid_client',
    );
    expect((await read(own)).status).toBe(401);
    expect((await send('DELETE', own.uri, own.token)).status).toBe(401);
  });

  it('A-182 that narrows itself loses the access tokens that say more', async () => {
    const own = await register();
    const tokens = await obtainTokens(
      server.issuer,
      { client_id: own.id, scope: 'openid read:data write:data' },
      new Browser(),
    );
    expect((await replace(own, { scope: 'openid read:data' })).status).toBe(200);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    const refreshed = await refresh(server.issuer, tokens.refreshToken, { client_id: own.id });
    expect(refreshed.body['scope']).toBe('openid read:data');
  });

  it('A-182 is named in the audit log', async () => {
    const own = await register();
    await replace(own);
    await send('DELETE', own.uri, own.token);
    const events = server.log.filter((line) => line.includes(`client ${own.id}`)).join('');
    expect(events).toContain('client_changed');
    expect(events).toContain('client_removed');
    expect(server.log.join('')).not.toContain(own.token);
  });
});
