import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  basic,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  postForm,
  type JsonResponse,
  type Pkce,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { CALLBACK, CLIENT_SECRET } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

interface ProofKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly thumbprint: string;
}

let server: TestAuthServer;
let key: ProofKey;
let otherKey: ProofKey;
beforeAll(async () => {
  server = await startTestAuthServer();
  [key, otherKey] = await Promise.all([createProofKey(), createProofKey()]);
});
afterAll(() => server.stop());

async function createProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return {
    privateKey,
    publicJwk,
    privateJwk: await exportJWK(privateKey),
    thumbprint: await calculateJwkThumbprint(publicJwk),
  };
}

interface ProofChanges {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly by?: ProofKey;
  readonly issuer?: string;
}

function prove(method: string, path: string, changes: ProofChanges = {}): Promise<string> {
  const { claims = {}, header = {}, by = key, issuer = server.issuer } = changes;
  const iat = Math.floor(Date.now() / 1000);
  return new SignJWT({ jti: randomUUID(), htm: method, htu: `${issuer}${path}`, iat, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: by.publicJwk, ...header })
    .sign(by.privateKey);
}

const athOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

async function exchangeBound(pkce: Pkce, code: string, proof: string): Promise<JsonResponse> {
  return exchange(server.issuer, code, pkce, {}, { dpop: proof });
}

async function obtainBound(
  changes: Record<string, string> = {},
): Promise<{ accessToken: string; refreshToken: string }> {
  const pkce = createPkce();
  const code = await obtainCode(server.issuer, pkce, changes);
  const { status, body } = await exchangeBound(pkce, code, await prove('POST', '/token'));
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body['token_type']).toBe('DPoP');
  return { accessToken: String(body['access_token']), refreshToken: String(body['refresh_token']) };
}

async function userinfo(scheme: string, token: string, proof?: string): Promise<Response> {
  const headers = { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) };
  return fetch(`${server.issuer}/userinfo`, { headers });
}

describe('RFC 9449: proofs', () => {
  it('A-166 binds the access token to the key', async () => {
    const { accessToken } = await obtainBound();
    expect(decodeJwt(accessToken)['cnf']).toEqual({ jkt: key.thumbprint });
    const introspected = await postForm(
      `${server.issuer}/introspect`,
      { token: accessToken },
      basic('basic'),
    );
    expect(introspected.body).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: key.thumbprint },
    });
  });

  it('A-166 rejects every proof that is not quite right, and does not burn the code', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const now = Math.floor(Date.now() / 1000);
    const used = await prove('POST', '/token');
    await postForm(
      `${server.issuer}/token`,
      { grant_type: 'refresh_token', client_id: 'spa' },
      { dpop: used },
    );
    const bad: Record<string, string> = {
      garbage: 'x.y.z',
      'another type': await prove('POST', '/token', { header: { typ: 'JWT' } }),
      'another method': await prove('GET', '/token'),
      'another address': await prove('POST', '/userinfo'),
      'another host': await prove('POST', '/token', { issuer: 'https://evil.example' }),
      'without time': await prove('POST', '/token', { claims: { iat: undefined } }),
      'without jti': await prove('POST', '/token', { claims: { jti: undefined } }),
      'a private key in the header': await prove('POST', '/token', { header: { jwk: key.privateJwk } }),
      "another key's signature": await prove('POST', '/token', { header: { jwk: otherKey.publicJwk } }),
      'used before': used,
    };
    for (const [what, proof] of Object.entries(bad)) {
      const response = await exchangeBound(pkce, code, proof);
      expect(response.status, what).toBe(400);
      expect(response.body['error'], what).toBe('invalid_dpop_proof');
    }
    for (const iat of [now - 300, now + 300]) {
      const response = await exchangeBound(pkce, code, await prove('POST', '/token', { claims: { iat } }));
      expect(response).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
    }
    const two = `${await prove('POST', '/token')}, ${await prove('POST', '/token')}`;
    expect((await exchangeBound(pkce, code, two)).body['error']).toBe('invalid_dpop_proof');
    expect((await exchangeBound(pkce, code, await prove('POST', '/token'))).status).toBe(200);
  });

  it('A-166 takes an address with query and fragment, which do not count', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const proof = await prove('POST', '/token', { claims: { htu: `${server.issuer}/token?x=1#y` } });
    expect((await exchangeBound(pkce, code, proof)).status).toBe(200);
  });
});

describe('RFC 9449 §7: userinfo', () => {
  it('A-166 wants the token with a proof of its key, and no downgrade to Bearer', async () => {
    const { accessToken } = await obtainBound();
    const ath = athOf(accessToken);
    expect(
      (await userinfo('DPoP', accessToken, await prove('GET', '/userinfo', { claims: { ath } }))).status,
    ).toBe(200);
    const downgraded = await userinfo('Bearer', accessToken);
    expect(downgraded.status).toBe(401);
    expect((await userinfo('DPoP', accessToken)).status).toBe(401);
    const foreign = await prove('GET', '/userinfo', { claims: { ath }, by: otherKey });
    const rejected = await userinfo('DPoP', accessToken, foreign);
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toMatch(/^DPoP .*error="invalid_token"/);
    const withoutAth = await userinfo('DPoP', accessToken, await prove('GET', '/userinfo'));
    expect(withoutAth.status).toBe(401);
    expect(withoutAth.headers.get('www-authenticate')).toMatch(
      /^DPoP algs="ES256 .*error="invalid_dpop_proof"/,
    );
    const otherAth = await prove('GET', '/userinfo', { claims: { ath: athOf('x') } });
    expect((await userinfo('DPoP', accessToken, otherAth)).status).toBe(401);
  });

  it('A-166 rejects a token that is not bound under the scheme DPoP', async () => {
    const { accessToken } = await obtainTokens(server.issuer);
    const proof = await prove('GET', '/userinfo', { claims: { ath: athOf(accessToken) } });
    expect((await userinfo('DPoP', accessToken, proof)).status).toBe(401);
    expect((await userinfo('Bearer', accessToken)).status).toBe(200);
  });
});

describe('RFC 9449 §5, §10: bindings', () => {
  const refresh = (
    refreshToken: string,
    headers: Record<string, string>,
    form: Record<string, string> = {},
  ) =>
    postForm(
      `${server.issuer}/token`,
      { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: 'spa', ...form },
      headers,
    );

  it("A-166 binds a public client's refresh tokens to the key", async () => {
    const { refreshToken } = await obtainBound();
    expect((await refresh(refreshToken, {})).body['error']).toBe('invalid_grant');
    const foreign = { dpop: await prove('POST', '/token', { by: otherKey }) };
    expect((await refresh(refreshToken, foreign)).body['error']).toBe('invalid_grant');
    const response = await refresh(refreshToken, { dpop: await prove('POST', '/token') });
    expect(response.body['token_type']).toBe('DPoP');
    const next = String(response.body['refresh_token']);
    expect((await refresh(next, {})).body['error']).toBe('invalid_grant');
    expect((await refresh(next, { dpop: await prove('POST', '/token') })).status).toBe(200);
  });

  it('A-166 lets a confidential client change its key', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { client_id: 'post' });
    const credentials = { client_id: 'post', client_secret: CLIENT_SECRET };
    const first = await exchange(server.issuer, code, pkce, credentials, {
      dpop: await prove('POST', '/token'),
    });
    const other = { dpop: await prove('POST', '/token', { by: otherKey }) };
    const second = await refresh(String(first.body['refresh_token']), other, credentials);
    expect(decodeJwt(String(second.body['access_token']))['cnf']).toEqual({ jkt: otherKey.thumbprint });
  });

  it('A-166 dpop_jkt binds the code to a key', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { dpop_jkt: key.thumbprint });
    expect((await exchange(server.issuer, code, pkce)).body['error']).toBe('invalid_grant');
    const foreign = await prove('POST', '/token', { by: otherKey });
    expect((await exchangeBound(pkce, code, foreign)).body['error']).toBe('invalid_grant');
    expect((await exchangeBound(pkce, code, await prove('POST', '/token'))).status).toBe(200);
  });

  it('A-166 A-165 a proof at /par binds the code as dpop_jkt does', async () => {
    const push = async (form: Record<string, string> = {}): Promise<JsonResponse> =>
      postForm(
        `${server.issuer}/par`,
        {
          client_id: 'spa',
          response_type: 'code',
          redirect_uri: 'https://app.example/callback',
          scope: 'openid',
          code_challenge: createPkce().challenge,
          code_challenge_method: 'S256',
          ...form,
        },
        { dpop: await prove('POST', '/par') },
      );
    expect((await push()).status).toBe(201);
    expect((await push({ dpop_jkt: otherKey.thumbprint })).body['error']).toBe('invalid_dpop_proof');
  });

  it('A-166 is demanded of clients that are registered with dpop_bound_access_tokens', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { client_id: 'bound' });
    const form = { client_id: 'bound' };
    expect((await exchange(server.issuer, code, pkce, form)).body['error']).toBe('invalid_dpop_proof');
    const proof = { dpop: await prove('POST', '/token') };
    expect((await exchange(server.issuer, code, pkce, form, proof)).status).toBe(200);
  });

  it('A-166 A-167 binds the tokens of machines', async () => {
    const headers = { ...basic('machine'), dpop: await prove('POST', '/token') };
    const { body } = await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials' }, headers);
    expect(body['token_type']).toBe('DPoP');
    expect(decodeJwt(String(body['access_token']))['cnf']).toEqual({ jkt: key.thumbprint });
  });

  it('A-166 A-100 lets pages send proofs and read nonces', async () => {
    const preflight = await fetch(`${server.issuer}/token`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('DPoP');
    const response = await postForm(`${server.issuer}/token`, {});
    expect(response.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce');
  });
});

describe('RFC 9449 §5: what a proof costs', () => {
  it('L2: nothing is verified for a client that is not who it says', async () => {
    const proof = { dpop: 'x.y.z' };
    const guess = { authorization: `Basic ${Buffer.from('basic:wrong').toString('base64')}`, ...proof };
    const form = { grant_type: 'refresh_token', refresh_token: 'any' };
    const response = await postForm(`${server.issuer}/token`, form, guess);
    expect(response.body['error']).toBe('invalid_client');
    const known = await postForm(`${server.issuer}/token`, form, { ...basic('basic'), ...proof });
    expect(known.body['error']).toBe('invalid_dpop_proof');
  });

  it('L2: an RSA key has no exponent but the usual one, in a proof and in the metadata of a client', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048, publicExponent: 3 });
    const jwk = publicKey.export({ format: 'jwk' });
    const proof = await new SignJWT({ jti: randomUUID(), htm: 'POST', htu: `${server.issuer}/token` })
      .setProtectedHeader({ alg: 'RS256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
    const form = { grant_type: 'refresh_token', refresh_token: 'any', client_id: 'spa' };
    const response = await postForm(`${server.issuer}/token`, form, { dpop: proof });
    expect(response.body['error']).toBe('invalid_dpop_proof');
    const metadata = {
      client_id: 'costly',
      jwks: { keys: [jwk] },
      token_endpoint_auth_method: 'private_key_jwt',
    };
    const added = await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
    expect(added.err).toContain('exponent 65,537');
  });
});

describe('RFC 9449 §8: nonces', () => {
  const HOUR_S = 3_600;
  let strict: TestAuthServer;
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // no nonce gets old meanwhile
    strict = await startTestAuthServer({ DPOP_NONCE_REQUIRED: 'true', ADMIN_API: 'true' });
    const administrator = {
      client_id: 'administrator',
      client_secret: CLIENT_SECRET,
      grant_types: ['client_credentials'],
      scope: 'auth:admin',
    };
    await runCommand(strict, ['clients', 'add', '--metadata-stdin'], JSON.stringify(administrator));
  });
  afterAll(async () => {
    vi.useRealTimers();
    await strict.stop();
  });

  function proveTo(
    { issuer }: TestAuthServer,
    path: string,
    claims: Record<string, unknown> = {},
    method = 'POST',
  ): Promise<string> {
    return prove(method, path, { issuer, claims });
  }

  /** A token that is bound to the key, for the admin API, and the nonce that came with it. */
  async function adminToken(): Promise<{ readonly token: string; readonly nonce: string }> {
    const send = async (claims: Record<string, unknown>): Promise<JsonResponse> =>
      postForm(
        `${strict.issuer}/token`,
        { grant_type: 'client_credentials', resource: `${strict.issuer}/admin` },
        { ...basic('administrator'), dpop: await proveTo(strict, '/token', claims) },
      );
    const rejected = await send({});
    const response = await send({ nonce: rejected.headers.get('dpop-nonce') });
    return { token: String(response.body['access_token']), nonce: response.headers.get('dpop-nonce') ?? '' };
  }

  it('A-166 hands out a nonce where one is demanded, and rejects made-up ones', async () => {
    const pkce = createPkce();
    const code = await obtainCode(strict.issuer, pkce);
    const send = async (claims: Record<string, unknown>): Promise<JsonResponse> =>
      exchange(strict.issuer, code, pkce, {}, { dpop: await proveTo(strict, '/token', claims) });
    const rejected = await send({});
    expect(rejected.body['error']).toBe('use_dpop_nonce');
    const nonce = rejected.headers.get('dpop-nonce');
    expect(nonce).not.toBeNull();
    expect((await send({ nonce: 'made-up' })).body['error']).toBe('use_dpop_nonce');
    const response = await send({ nonce });
    expect(response.status).toBe(200);
    expect(response.headers.get('dpop-nonce'), 'RFC 9449 §8.2').toBe(nonce);
  });

  it('M11: the admin API asks for a nonce by 401 and a challenge, and sends a fresh one with each response', async () => {
    const { token, nonce } = await adminToken();
    const ask = async (claims: Record<string, unknown>): Promise<Response> => {
      const dpop = await proveTo(strict, '/admin/clients', { ath: athOf(token), ...claims }, 'GET');
      return fetch(`${strict.issuer}/admin/clients`, { headers: { authorization: `DPoP ${token}`, dpop } });
    };
    const rejected = await ask({});
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toMatch(/^DPoP algs="ES256 .*error="use_dpop_nonce"/);
    expect(rejected.headers.get('dpop-nonce')).toBe(nonce);
    const wrong = await ask({ nonce, ath: athOf('x') });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"');
    expect(wrong.headers.get('dpop-nonce')).toBe(nonce);
    const answered = await ask({ nonce });
    expect([answered.status, answered.headers.get('dpop-nonce')]).toEqual([200, nonce]);
    const invalid = await fetch(`${strict.issuer}/admin/clients`, {
      headers: { authorization: 'DPoP garbage', dpop: 'x.y.z' },
    });
    expect([invalid.status, invalid.headers.get('dpop-nonce')]).toEqual([401, nonce]);
  });

  it('M11: openid-client reads userinfo by a fresh handle', async () => {
    const discover = (): Promise<openid.Configuration> =>
      openid.discovery(new URL(strict.issuer), 'spa', {}, openid.None(), {
        execute: [openid.allowInsecureRequests],
      });
    const [config, keyPair] = [await discover(), await openid.randomDPoPKeyPair()];
    const { verifier, challenge } = createPkce();
    const code = await obtainCode(strict.issuer, { verifier, challenge });
    const callback = new URL(`${CALLBACK}?${new URLSearchParams({ code, iss: strict.issuer })}`);
    const DPoP = openid.getDPoPHandle(config, keyPair);
    const checks = { pkceCodeVerifier: verifier };
    const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
    const later = await discover();
    const fresh = openid.getDPoPHandle(later, keyPair);
    const subject = tokens.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(later, tokens.access_token, subject, { DPoP: fresh });
    expect(info.sub).toBe(subject);
  });

  it('M11: a valid nonce excuses a wrong clock, and one that is needed is handed out', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const iat = Math.floor(Date.now() / 1_000) - HOUR_S;
    const send = async (claims: Record<string, unknown>): Promise<JsonResponse> =>
      exchangeBound(pkce, code, await prove('POST', '/token', { claims: { iat, ...claims } }));
    const rejected = await send({});
    expect(rejected.body['error']).toBe('use_dpop_nonce');
    const nonce = rejected.headers.get('dpop-nonce');
    const used = await prove('POST', '/token', { claims: { iat, nonce } });
    expect((await exchangeBound(pkce, code, used)).status).toBe(200);
    expect((await exchangeBound(pkce, code, used)).body['error']).toBe('invalid_dpop_proof');
  });
});
