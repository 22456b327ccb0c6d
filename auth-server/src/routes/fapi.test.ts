import { createHash } from 'node:crypto';
import { connectRedis } from '@trellis/redis';
import { Browser } from '@trellis/testkit/sign-in';
import { decodeJwt, exportJWK, importJWK, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantKeys } from '../grants/grant-keys.ts';
import {
  authorizationUrl,
  basic,
  createPkce,
  isHonoured,
  postForm,
  type JsonResponse,
  type Pkce,
} from '../testing/flow.ts';
import { createClientKey, type ClientKey } from '../testing/key-set-server.ts';
import {
  systemNowS,
  obtainPushedCode,
  push,
  registerByCommand,
  registerGood,
  signingClient,
  visit,
  type Changes,
  type SigningClient,
} from '../testing/signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK, CLIENT_SECRET } from '../testing/test-clients.ts';
import { parseGrantCode } from '../tokens/grant-code.ts';

let server: TestAuthServer;
let key: ClientKey;
let proofKey: ClientKey;
let ps256: ClientKey;
let rs256: ClientKey;
let bank: SigningClient;
const browser = new Browser();
beforeAll(async () => {
  [server, key, proofKey, ps256, rs256] = await Promise.all([
    startTestAuthServer({ ADMIN_API: 'true' }),
    createClientKey('key'),
    createClientKey('proof'),
    createClientKey('ps256', 'PS256'),
    createClientKey('rs256', 'RS256'),
  ]);
  bank = signingClient(server.issuer, 'bank', key);
  await registerGood(server, metadata());
});
afterAll(() => server.stop());

function metadata(changes: object = {}): object {
  return {
    client_id: 'bank',
    client_name: 'The Bank',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    jwks: { keys: [key.publicJwk, ps256.publicJwk, rs256.publicJwk] },
    security_profile: 'fapi2',
    ...changes,
  };
}

async function send(
  form: Record<string, string>,
  proof: Changes = {},
  assertion: Changes = {},
): Promise<JsonResponse> {
  const headers = { dpop: await bank.proof('/token', { by: proofKey, ...proof }) };
  return postForm(`${server.issuer}/token`, { ...(await bank.assertion(assertion)), ...form }, headers);
}

const codeForm = (code: string, { verifier }: Pkce): Record<string, string> => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
});

async function obtain(): Promise<Record<string, string>> {
  const { code, pkce } = await obtainPushedCode(server.issuer, bank, browser);
  const { status, body } = await send(codeForm(code, pkce));
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Record<string, string>; // texts, but for expires_in
}

const MACHINE = { grant_type: 'client_credentials', scope: 'read:data' };

/** A good pushed request, some of it changed. */
function request(changes: Record<string, string | undefined> = {}): Record<string, string> {
  const url = new URL(
    authorizationUrl(server.issuer, createPkce(), {
      client_id: 'bank',
      scope: 'openid read:data',
      ...changes,
    }),
  );
  return Object.fromEntries(url.searchParams);
}

describe('FAPI 2.0 Security Profile §5.3.2.1: general', () => {
  it('A-183 finds all endpoints in both metadata documents', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const document = await (await fetch(`${server.issuer}/.well-known/${name}`)).json();
      expect(document).toMatchObject({
        issuer: server.issuer,
        authorization_endpoint: expect.any(String),
        token_endpoint: expect.any(String),
        pushed_authorization_request_endpoint: expect.any(String),
        jwks_uri: expect.any(String),
        token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
        dpop_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
      });
    }
  });

  it('A-184 is not served the password grant', async () => {
    const { body } = await send({ grant_type: 'password', username: 'ada@example.com', password: 'x' });
    expect(body['error']).toBe('unsupported_grant_type');
  });

  it.each<[string, object]>([
    ['is public', { jwks: undefined, token_endpoint_auth_method: 'none' }],
    ['has a secret', { jwks: undefined, client_secret: CLIENT_SECRET }],
    [
      'has a secret in the form',
      { client_secret: CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_post' },
    ],
  ])('A-185 is not registered where it %s', async (_what, changes) => {
    expect(await registerByCommand(server, metadata({ client_id: 'bad', ...changes }))).toContain(
      'token_endpoint_auth_method: must be private_key_jwt, tls_client_auth or self_signed_tls_client_auth with security_profile fapi2',
    );
  });

  it('A-186 gets tokens that are bound to a key alone, whatever the grant', async () => {
    const tokens = await obtain();
    expect(tokens['token_type']).toBe('DPoP');
    expect(decodeJwt(tokens['access_token'] ?? '')['cnf']).toEqual({ jkt: expect.any(String) });
    const { code, pkce } = await obtainPushedCode(server.issuer, bank, browser);
    const refreshing = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' };
    for (const form of [codeForm(code, pkce), refreshing, MACHINE]) {
      const unbound = await postForm(`${server.issuer}/token`, { ...(await bank.assertion()), ...form });
      expect(unbound, form['grant_type']).toMatchObject({
        status: 400,
        body: { error: 'invalid_dpop_proof' },
      });
    }
    expect((await send(MACHINE)).body['token_type']).toBe('DPoP');
  });

  it('A-186 loses its bearer tokens when it is put under the profile', async () => {
    const before = {
      client_id: 'switched',
      redirect_uris: [CALLBACK],
      client_secret: CLIENT_SECRET,
      first_party: true,
    };
    expect(await registerByCommand(server, before)).toBe('');
    const pkce = createPkce();
    const first = await visit(
      server.issuer,
      browser,
      Object.fromEntries(
        new URL(authorizationUrl(server.issuer, pkce, { client_id: 'switched' })).searchParams,
      ),
    );
    const form = codeForm(first.get('code') ?? '', pkce);
    const { body } = await postForm(`${server.issuer}/token`, form, basic('switched'));
    const token = String(body['access_token']);
    expect(await isHonoured(server.issuer, token)).toBe(true);
    expect(await registerByCommand(server, metadata({ client_id: 'switched' }))).toBe('');
    await expect.poll(() => isHonoured(server.issuer, token)).toBe(false);
  });

  it('A-187 is no open redirector', async () => {
    const outer = new URLSearchParams({ ...request(), redirect_uri: 'https://evil.example/' });
    const response = await fetch(`${server.issuer}/authorize?${outer}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it('A-188 is authenticated by assertions whose aud is the issuer, as a string', async () => {
    const audiences: unknown[] = [
      [server.issuer],
      `${server.issuer}/token`,
      `${server.issuer}/par`,
      [server.issuer, 'https://other.example'],
      `${server.issuer}/`,
    ];
    for (const aud of audiences)
      expect((await send(MACHINE, {}, { claims: { aud } })).body['error'], JSON.stringify(aud)).toBe(
        'invalid_client',
      );
    expect((await send(MACHINE, {}, { claims: { aud: server.issuer } })).status).toBe(200);
  });

  it('A-189 has one refresh token for the whole grant, which is not rotated', async () => {
    const { refresh_token: refreshToken = '' } = await obtain();
    const refreshing = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(refreshing)));
    expect(replies.map(({ status, body }) => [status, body['refresh_token']])).toEqual(
      Array.from({ length: 8 }, () => [200, refreshToken]),
    );
    const stolen = await postForm(`${server.issuer}/token`, { ...refreshing, client_id: 'spa' });
    expect(stolen.body['error']).toBe('invalid_grant');
    expect((await send(refreshing)).status).toBe(200);
  });

  it('A-190 is served nonces for its proofs', async () => {
    const stale = await send(MACHINE, { claims: { iat: systemNowS() - 3_600 } });
    expect(stale).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
    const nonce = stale.headers.get('dpop-nonce');
    expect((await send(MACHINE, { claims: { iat: systemNowS() - 3_600, nonce } })).status).toBe(200);
  });

  it('A-191 gets codes that live for 60 s at most', async () => {
    const { code } = await obtainPushedCode(server.issuer, bank, browser);
    const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
    const ttlS = await redis.ttl(grantKeys.code(parseGrantCode('ac', code)?.grantId ?? ''));
    redis.disconnect();
    expect(ttlS).toBeGreaterThan(50);
    expect(ttlS).toBeLessThanOrEqual(60);
  });

  it('A-192 may bind a code to its key, by dpop_jkt or a proof at /par', async () => {
    for (const changes of [{}, { dpop_jkt: 'A'.repeat(43) }]) {
      const pkce = createPkce();
      const dpop = await bank.proof('/par', { by: key });
      const parameters = { ...request(), code_challenge: pkce.challenge, ...changes };
      const { status, body } = await push(
        server.issuer,
        bank,
        parameters,
        'dpop_jkt' in changes ? {} : { dpop },
      );
      expect(status).toBe(201);
      const response = await visit(server.issuer, browser, {
        client_id: 'bank',
        request_uri: String(body['request_uri']),
      });
      const form = codeForm(response.get('code') ?? '', pkce);
      expect((await send(form)).body['error']).toBe('invalid_grant');
      if (!('dpop_jkt' in changes)) expect((await send(form, { by: key })).status).toBe(200);
    }
  });

  it('A-193 may be 10 s ahead in its assertions and proofs, and not more than 60', async () => {
    for (const claim of ['iat', 'nbf']) {
      const ahead = (s: number): Changes => ({
        claims: { [claim]: systemNowS() + s, exp: systemNowS() + 120 },
      });
      expect((await send(MACHINE, {}, ahead(10))).status, claim).toBe(200);
      expect((await send(MACHINE, {}, ahead(65))).body['error'], claim).toBe('invalid_client');
      if (claim === 'iat') expect((await send(MACHINE, ahead(10))).status).toBe(200);
    }
    const rejected = await send(MACHINE, { claims: { iat: systemNowS() + 70 } });
    expect(rejected.body['error']).toBe('use_dpop_nonce');
    const nonce = rejected.headers.get('dpop-nonce');
    const late = await send(MACHINE, { claims: { iat: systemNowS() + 70, nonce } });
    expect(late.body['error']).toBe('invalid_dpop_proof');
  });
});

describe('FAPI 2.0 Security Profile §5.3.2.2: the authorization endpoint', () => {
  it('A-194 is asked for a code alone', async () => {
    for (const response_type of ['token', 'id_token', 'code id_token', 'none'])
      expect((await push(server.issuer, bank, request({ response_type }))).body['error']).toBe(
        'unsupported_response_type',
      );
    for (const response_mode of ['fragment', 'web_message', 'jwt'])
      expect((await push(server.issuer, bank, request({ response_mode }))).body['error']).toBe(
        'invalid_request',
      );
  });

  it('A-195 gets no request that was not pushed, and pushes none without authenticating', async () => {
    const response = await fetch(
      authorizationUrl(server.issuer, createPkce(), { client_id: 'bank', scope: 'openid' }),
      {
        redirect: 'manual',
      },
    );
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(searchParams.get('error_description')).toBe('The client has to push its authorization requests.');
    const signed = new URLSearchParams({
      client_id: 'bank',
      request: await bank.requestObject(createPkce()),
    });
    const unpushed = await fetch(`${server.issuer}/authorize?${signed}`, { redirect: 'manual' });
    expect(unpushed.headers.get('location')).toContain('error=invalid_request');
    expect((await postForm(`${server.issuer}/par`, request())).body['error']).toBe('invalid_client');
    expect((await push(server.issuer, bank, request())).status).toBe(201);
  });

  it('A-196 needs PKCE with S256', async () => {
    for (const changes of [
      { code_challenge: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
    ])
      expect((await push(server.issuer, bank, request({ ...changes, nonce: 'n' }))).body['error']).toBe(
        'invalid_request',
      );
  });

  it('A-197 names its redirect_uri in what it pushes, although it has but one', async () => {
    const { status, body } = await push(server.issuer, bank, request({ redirect_uri: undefined }));
    expect([status, body['error_description']]).toEqual([400, 'The parameter redirect_uri is missing.']);
    const object = await bank.requestObject(createPkce(), { claims: { redirect_uri: undefined } });
    expect((await push(server.issuer, bank, { request: object, redirect_uri: CALLBACK })).status).toBe(400);
  });

  it('A-198 gets the issuer with each response', async () => {
    const { body } = await push(server.issuer, bank, request());
    const pushed = { client_id: 'bank', request_uri: String(body['request_uri']) };
    const response = await visit(server.issuer, browser, pushed);
    expect([response.get('iss'), response.has('code')]).toEqual([server.issuer, true]);
    const again = await visit(server.issuer, browser, { client_id: 'bank', ...request() });
    expect([again.get('iss'), again.has('error')]).toEqual([server.issuer, true]);
  });

  it('A-199 has no redirect URIs of http, but for loopback addresses of native clients', async () => {
    const redirect_uris = ['http://127.0.0.1/callback'];
    const web = metadata({ client_id: 'plain', redirect_uris });
    expect(await registerByCommand(server, web)).toContain(
      'redirect_uris: must be https with security_profile fapi2',
    );
    const native = metadata({ client_id: 'native-bank', redirect_uris, application_type: 'native' });
    expect(await registerByCommand(server, native)).toBe('');
  });

  it('A-200 uses a code once', async () => {
    const { code, pkce } = await obtainPushedCode(server.issuer, bank, browser);
    expect((await send(codeForm(code, pkce))).status).toBe(200);
    expect((await send(codeForm(code, pkce))).body['error']).toBe('invalid_grant');
  });

  it('A-201 is never sent credentials by a 307: every redirect is 303', async () => {
    const { body } = await push(server.issuer, bank, request({ prompt: 'login' }));
    const parameters = new URLSearchParams({ client_id: 'bank', request_uri: String(body['request_uri']) });
    const response = await fetch(`${server.issuer}/authorize?${parameters}`, { redirect: 'manual' });
    expect(response.status).toBe(303);
  });

  it('A-202 visits a pushed request within less than 600 s', async () => {
    const { body } = await push(server.issuer, bank, request());
    expect(body['expires_in']).toBeLessThan(600);
  });

  it('A-203 is shown to the user with its name and scopes; its nonce comes back with 64 characters', async () => {
    const nonce = 'n'.repeat(64);
    const { code, pkce } = await obtainPushedCode(server.issuer, bank, browser, { nonce });
    const { body } = await send(codeForm(code, pkce));
    expect(decodeJwt(String(body['id_token']))['nonce']).toBe(nonce);
    const asked = await push(server.issuer, bank, request({ prompt: 'consent' }));
    const page = await browser.follow(
      await browser.get(
        `${server.issuer}/authorize?${new URLSearchParams({ client_id: 'bank', request_uri: String(asked.body['request_uri']) })}`,
      ),
      server.issuer,
    );
    const html = await page.text();
    expect(html).toContain('The Bank');
    expect(html).toContain('read users, posts and comments');
  });
});

describe('FAPI 2.0 Security Profile §5.2, §5.3.4, §5.4: network, resources, cryptography', () => {
  it('A-204 signs by PS256, ES256 or EdDSA', async () => {
    expect((await send(MACHINE, {}, { by: ps256 })).status).toBe(200);
    expect((await send(MACHINE, {}, { by: rs256 })).body['error']).toBe('invalid_client');
    expect((await send(MACHINE, { by: ps256 })).status).toBe(200);
    expect((await send(MACHINE, { by: rs256 })).body['error']).toBe('invalid_dpop_proof');
    const object = await bank.requestObject(createPkce(), { by: rs256 });
    expect((await push(server.issuer, bank, { request: object })).body['error']).toBe(
      'invalid_request_object',
    );
    for (const name of [
      'token_endpoint_auth_signing_alg',
      'request_object_signing_alg',
      'id_token_signed_response_alg',
    ])
      expect(
        await registerByCommand(server, metadata({ client_id: 'bad', [name]: 'RS256' })),
        name,
      ).toContain('signing algorithms: must be PS256, ES256 or EdDSA');
  });

  it('A-205 gets credentials with 128 random bits or more', async () => {
    const { code } = await obtainPushedCode(server.issuer, bank, browser);
    const { body } = await push(server.issuer, bank, request());
    const tokens = await obtain();
    const [requestId = ''] = String(body['request_uri']).split(':').slice(-1);
    const bitsOf = (text: string): number =>
      Buffer.from(text.replace(/^(ac|rt)_/, ''), 'base64url').length * 8;
    for (const text of [code, requestId, tokens['refresh_token'] ?? ''])
      expect(bitsOf(text), text).toBeGreaterThanOrEqual(128);
  });

  it('A-206 meets no CORS at the authorization endpoint', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(`${server.issuer}/authorize`, { method, headers });
      expect(response.headers.get('access-control-allow-origin'), method).toBe(null);
    }
  });

  it('A-207 shows its token in the header, with a proof by its key', async () => {
    const { access_token: token = '' } = await obtain();
    const ath = createHash('sha256').update(token).digest('base64url');
    const url = `${server.issuer}/userinfo`;
    const proof = (by: ClientKey): Promise<string> =>
      bank.proof('/userinfo', { by, claims: { htm: 'GET', ath } });
    const show = async (headers: Record<string, string>, address = url): Promise<number> =>
      (await fetch(address, { headers })).status;
    expect(await show({ authorization: `DPoP ${token}`, dpop: await proof(proofKey) })).toBe(200);
    expect(await show({ authorization: `DPoP ${token}`, dpop: await proof(key) })).toBe(401);
    expect(await show({ authorization: `Bearer ${token}` })).toBe(401);
    expect(await show({}, `${url}?access_token=${token}`)).toBe(401);
  });

  describe('A-231 is held to its algorithms and clock in proofs at every endpoint that takes them', () => {
    /** The key of `ps256`, which RS256 can be signed by as well. */
    let sameByRs256: ClientKey;
    let administrator: SigningClient;
    let tokens: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const jwk = await exportJWK(ps256.privateKey);
      const privateKey = (await importJWK(jwk, 'RS256')) as CryptoKey; // it is no symmetric one
      sameByRs256 = { privateKey, publicJwk: { ...ps256.publicJwk, alg: 'RS256' } };
      administrator = signingClient(server.issuer, 'administrator', key);
      await registerGood(
        server,
        metadata({
          client_id: 'administrator',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          scope: 'auth:admin',
        }),
      );
      const { code, pkce } = await obtainPushedCode(server.issuer, bank, browser);
      const user = await send(codeForm(code, pkce), { by: ps256 });
      const dpop = await administrator.proof('/token', { by: ps256 });
      const machine = { grant_type: 'client_credentials', resource: `${server.issuer}/admin` };
      const admin = await postForm(
        `${server.issuer}/token`,
        { ...(await administrator.assertion()), ...machine },
        { dpop },
      );
      tokens = { userinfo: String(user.body['access_token']), admin: String(admin.body['access_token']) };
    });

    type Send = (changes: Changes) => Promise<Response>;
    const atResource =
      (path: string, token: () => string): Send =>
      async ({ claims, by }) => {
        const ath = createHash('sha256').update(token()).digest('base64url');
        const dpop = await bank.proof(path, { ...(by && { by }), claims: { htm: 'GET', ath, ...claims } });
        return fetch(`${server.issuer}${path}`, { headers: { authorization: `DPoP ${token()}`, dpop } });
      };
    const withAssertion =
      (path: string, form: () => Record<string, string>): Send =>
      async (changes) => {
        const body = new URLSearchParams({ ...(await bank.assertion()), ...form() });
        return fetch(`${server.issuer}${path}`, {
          method: 'POST',
          headers: { dpop: await bank.proof(path, changes) },
          body,
        });
      };

    it.each<[string, Send, number]>([
      ['/token', withAssertion('/token', () => MACHINE), 400],
      ['/par', withAssertion('/par', request), 400],
      ['/userinfo', atResource('/userinfo', () => tokens['userinfo'] ?? ''), 401],
      ['/admin/clients', atResource('/admin/clients', () => tokens['admin'] ?? ''), 401],
    ])('%s', async (_path, sendTo, rejection) => {
      expect((await sendTo({ by: ps256 })).ok).toBe(true);
      const early = await sendTo({ by: ps256, claims: { iat: systemNowS() + 70 } });
      const nonce = early.headers.get('dpop-nonce');
      expect([early.status, nonce]).toEqual([rejection, expect.any(String)]);
      const rejected: readonly Changes[] = [
        { by: sameByRs256 },
        { by: ps256, claims: { iat: systemNowS() + 70, nonce } },
      ];
      for (const changes of rejected) {
        const response = await sendTo(changes);
        expect([response.status, await response.json()]).toEqual([
          rejection,
          expect.objectContaining({ error: 'invalid_dpop_proof' }),
        ]);
        if (rejection === 401)
          expect(response.headers.get('www-authenticate')).toMatch(/^DPoP .*error="invalid_dpop_proof"/);
      }
      expect((await sendTo({ by: ps256, claims: { iat: systemNowS() - 70, nonce } })).ok).toBe(true);
    });
  });
});

describe('security_profile', () => {
  it.each<[object, string]>([
    [{ security_profile: 'fapi1' }, 'security_profile: '],
    [
      { dpop_bound_access_tokens: false },
      'dpop_bound_access_tokens: must not be false without tls_client_certificate_bound_access_tokens',
    ],
    [
      { require_pushed_authorization_requests: false },
      'require_pushed_authorization_requests: must not be false',
    ],
    [{ pkce_exempt: true }, 'pkce_exempt: must not be true'],
    [{ token_endpoint_audience: true }, 'token_endpoint_audience: must not be true'],
    [{ refresh_reuse_leeway_seconds: 10 }, 'refresh_reuse_leeway_seconds: has no use'],
    [{ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }, 'grant_types: not possible'],
  ])('A-208 is not registered with %j', async (changes, problem) => {
    expect(await registerByCommand(server, metadata({ client_id: 'bad', ...changes }))).toContain(problem);
  });
});
