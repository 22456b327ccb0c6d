import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { addClient } from '../testing/add-client.ts';
import { basic, obtainTokens, postForm, refresh } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const userinfo = (headers: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.issuer}/userinfo`, { ...init, headers });

async function machineToken(): Promise<string> {
  const result = await postForm(
    `${server.issuer}/token`,
    { grant_type: 'client_credentials' },
    basic('machine'),
  );
  return String(result.body['access_token']);
}

describe('RFC 9068 §2: access tokens', () => {
  it('A-142 A-143 A-144 carry what resource servers need, for 15 minutes, for one audience', async () => {
    const { accessToken } = await obtainTokens(server.issuer);
    expect(decodeProtectedHeader(accessToken)).toMatchObject({
      typ: 'at+jwt',
      alg: 'ES256',
      kid: expect.any(String),
    });
    const claims = decodeJwt(accessToken);
    expect(claims).toMatchObject({
      iss: server.issuer,
      sub: '01941f29-7c00-7a00-8000-0000000000ad',
      aud: 'https://api.example/graphql',
      client_id: 'spa',
      scope: 'openid profile email read:data read:profile write:data',
      roles: ['ADMIN'],
      name: 'Ada Marlow',
      email: 'ada@example.com',
      jti: expect.any(String),
      gid: expect.any(String),
      auth_time: expect.any(Number),
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
  });

  it('A-145 have an id of their own', async () => {
    const first = await obtainTokens(server.issuer);
    const second = await refresh(server.issuer, first.refreshToken);
    expect(decodeJwt(String(second.body['access_token'])).jti).not.toBe(decodeJwt(first.accessToken).jti);
  });

  it('return name and e-mail address only for their scopes', async () => {
    const { accessToken } = await obtainTokens(server.issuer, { scope: 'openid read:data' });
    expect(decodeJwt(accessToken)).not.toHaveProperty('name');
    expect(decodeJwt(accessToken)).not.toHaveProperty('email');
  });
});

describe('OpenID Connect Core §2: id_tokens', () => {
  it('A-147 A-148 say who signed in, for the client alone, and bind the access token', async () => {
    const tokens = await obtainTokens(server.issuer, { nonce: 'n' });
    const claims = decodeJwt(tokens.idToken);
    expect(claims).toMatchObject({
      iss: server.issuer,
      aud: 'spa',
      nonce: 'n',
      auth_time: expect.any(Number),
      amr: ['pwd'],
    });
    expect(claims.sub).toBe(decodeJwt(tokens.accessToken).sub);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
    const half = createHash('sha256')
      .update(tokens.accessToken)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
    expect(claims['at_hash']).toBe(half);
  });
});

describe('OpenID Connect Core §5.3: userinfo', () => {
  it('A-149 A-003 returns the claims of the granted scopes and no others', async () => {
    const full = await obtainTokens(server.issuer);
    const response = await userinfo(bearer(full.accessToken));
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      sub: '01941f29-7c00-7a00-8000-0000000000ad',
      name: 'Ada Marlow',
      updated_at: expect.any(Number),
      email: 'ada@example.com',
      email_verified: true,
    });
    const narrow = await obtainTokens(server.issuer, { scope: 'openid email' });
    expect(Object.keys((await (await userinfo(bearer(narrow.accessToken))).json()) as object)).toEqual([
      'sub',
      'email',
      'email_verified',
    ]);
  });

  it('A-150 takes POST, a token in the form, and any spelling of the scheme; not two tokens at once', async () => {
    const { accessToken } = await obtainTokens(server.issuer);
    expect((await userinfo(bearer(accessToken), { method: 'POST' })).status).toBe(200);
    expect((await userinfo({ authorization: `bEaReR ${accessToken}` })).status).toBe(200);
    const body = new URLSearchParams({ access_token: accessToken });
    expect((await userinfo({}, { method: 'POST', body })).status).toBe(200);
    const both = await userinfo(bearer(accessToken), { method: 'POST', body });
    expect(both.status).toBe(400);
    expect(both.headers.get('www-authenticate')).toContain('error="invalid_request"');
  });

  it('A-151 challenges without an error when there is no token, and with one when it is bad', async () => {
    const none = await userinfo({});
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer, DPoP algs="ES256 /);
    const bad = await userinfo(bearer('x.y.z'));
    expect(bad.status).toBe(401);
    expect(bad.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const { accessToken } = await obtainTokens(server.issuer, { scope: 'read:data' });
    const narrow = await userinfo(bearer(accessToken));
    expect(narrow.status).toBe(403);
    expect(narrow.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('A-152 does not look for a token in the query', async () => {
    const { accessToken } = await obtainTokens(server.issuer);
    expect((await fetch(`${server.issuer}/userinfo?access_token=${accessToken}`)).status).toBe(401);
  });

  it("A-153 rejects a machine's token", async () => {
    expect((await userinfo(bearer(await machineToken()))).status).toBe(403);
  });

  it('A-136 rejects tokens of another kind, key or server', async () => {
    const tokens = await obtainTokens(server.issuer);
    const foreign = await generateKeyPair('ES256');
    const forged = await new SignJWT(decodeJwt(tokens.accessToken))
      .setProtectedHeader({ ...decodeProtectedHeader(tokens.accessToken), alg: 'ES256' })
      .sign(foreign.privateKey);
    for (const token of [tokens.idToken, tokens.refreshToken, forged]) {
      expect((await userinfo(bearer(token))).status).toBe(401);
    }
  });
});

describe('RFC 6749 §4.4: client_credentials', () => {
  it('A-167 gives a token for the client itself, without refresh token or id_token', async () => {
    const form = { grant_type: 'client_credentials', scope: 'read:data' };
    const { body } = await postForm(`${server.issuer}/token`, form, basic('machine'));
    expect(Object.keys(body).toSorted()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({ sub: 'machine', client_id: 'machine', scope: 'read:data' });
    expect(claims).not.toHaveProperty('roles');
    expect(claims).not.toHaveProperty('auth_time');
  });

  it('A-167 is denied to other clients, and for scopes that are not registered or about people', async () => {
    const ask = async (
      form: Record<string, string>,
      headers: Record<string, string> = {},
    ): Promise<unknown> =>
      (await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials', ...form }, headers)).body[
        'error'
      ];
    expect(await ask({ client_id: 'spa' })).toBe('unauthorized_client');
    expect(await ask({}, basic('basic'))).toBe('unauthorized_client');
    expect(await ask({ scope: 'read:profile' }, basic('machine'))).toBe('invalid_scope');
    expect(await ask({ scope: 'openid' }, basic('machine'))).toBe('invalid_scope');
    expect(await ask({ resource: 'https://unknown.example' }, basic('machine'))).toBe('invalid_target');
  });

  it('RFC 6749 §3.3: has the default scope where the request names none, and any registered one otherwise', async () => {
    const grants = { grant_types: ['client_credentials'], scope: 'read:data write:data' };
    await addClient(server, { client_id: 'reader', ...grants, default_scope: 'read:data' });
    const scopeOf = async (form: Record<string, string>, clientId = 'reader'): Promise<unknown> => {
      const asked = { grant_type: 'client_credentials', ...form };
      const { body } = await postForm(`${server.issuer}/token`, asked, basic(clientId));
      return [body['scope'], decodeJwt(String(body['access_token']))['scope']];
    };
    expect(await scopeOf({})).toEqual(['read:data', 'read:data']);
    expect(await scopeOf({ scope: 'write:data' })).toEqual(['write:data', 'write:data']);
    expect(await scopeOf({}, 'machine')).toEqual(['read:data write:data', 'read:data write:data']);
  });

  it('can be revoked before it expires', async () => {
    const token = await machineToken();
    const introspect = async (): Promise<unknown> =>
      (await postForm(`${server.issuer}/introspect`, { token }, basic('machine'))).body['active'];
    expect(await introspect()).toBe(true);
    expect((await postForm(`${server.issuer}/revoke`, { token }, basic('machine'))).status).toBe(200);
    expect(await introspect()).toBe(false);
  });
});

describe('RFC 7662: introspection', () => {
  const introspect = (token: string, headers = basic('basic'), form: Record<string, string> = {}) =>
    postForm(`${server.issuer}/introspect`, { token, ...form }, headers);

  it('A-154 describes access tokens, whatever the hint, and says nothing of anything else', async () => {
    const tokens = await obtainTokens(server.issuer);
    for (const hint of ['access_token', 'refresh_token', 'x']) {
      const { body, headers } = await introspect(tokens.accessToken, basic('basic'), {
        token_type_hint: hint,
      });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toMatchObject({
        active: true,
        client_id: 'spa',
        sub: '01941f29-7c00-7a00-8000-0000000000ad',
        scope: 'openid profile email read:data read:profile write:data',
        token_type: 'Bearer',
        aud: 'https://api.example/graphql',
        iss: server.issuer,
        exp: expect.any(Number),
        iat: expect.any(Number),
      });
    }
    for (const token of ['x', tokens.idToken, tokens.refreshToken]) {
      expect((await introspect(token)).body).toEqual({ active: false });
    }
  });

  it('A-155 is for confidential clients that authenticate, by POST', async () => {
    const { accessToken } = await obtainTokens(server.issuer);
    const byPublic = await postForm(`${server.issuer}/introspect`, { token: accessToken, client_id: 'spa' });
    expect(byPublic.body['error']).toBe('invalid_client');
    expect((await introspect(accessToken, basic('basic', 'wrong'))).status).toBe(401);
    const get = await fetch(`${server.issuer}/introspect?token=${accessToken}`, { headers: basic('basic') });
    expect(get.status).toBe(405);
    expect((await introspect('')).body['error']).toBe('invalid_request');
  });
});

describe('RFC 7009: revocation', () => {
  const revoke = (
    token: string,
    form: Record<string, string> = { client_id: 'spa' },
    headers: Record<string, string> = {},
  ) => postForm(`${server.issuer}/revoke`, { token, ...form }, headers);

  it('A-156 a refresh token ends its grant, access tokens included', async () => {
    const tokens = await obtainTokens(server.issuer);
    expect((await revoke(tokens.refreshToken)).status).toBe(200);
    expect((await userinfo(bearer(tokens.accessToken))).status).toBe(401);
    expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
  });

  it('A-157 leaves unknown tokens and those of others alone, and does not reveal it', async () => {
    const tokens = await obtainTokens(server.issuer, {}, new Browser());
    expect((await revoke('garbage')).status).toBe(200);
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      expect((await revoke(token, { client_id: 'other-spa' })).status).toBe(200);
    }
    expect((await revoke(tokens.refreshToken, { client_id: 'basic' })).body['error']).toBe('invalid_client');
    expect((await userinfo(bearer(tokens.accessToken))).status).toBe(200);
  });

  it('A-158 takes access tokens, whatever the hint, and wants a token', async () => {
    const tokens = await obtainTokens(server.issuer);
    const form = { client_id: 'spa', token_type_hint: 'refresh_token' };
    expect((await revoke(tokens.accessToken, form)).status).toBe(200);
    expect((await userinfo(bearer(tokens.accessToken))).status).toBe(401);
    expect((await revoke('')).body['error']).toBe('invalid_request');
    expect((await fetch(`${server.issuer}/revoke`)).status).toBe(405);
  });
});
