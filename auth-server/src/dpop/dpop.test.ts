import { createHash, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  basic,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  postForm,
  type JsonAnswer,
  type Pkce,
} from '../testing/flow.ts';
import { CLIENT_SECRET } from '../testing/test-clients.ts';
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

async function exchangeBound(pkce: Pkce, code: string, proof: string): Promise<JsonAnswer> {
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

  it('A-166 refuses every proof that is not quite right, and does not burn the code', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const now = Math.floor(Date.now() / 1000);
    const used = await prove('POST', '/token');
    await postForm(`${server.issuer}/token`, { grant_type: 'refresh_token' }, { dpop: used });
    const bad: Record<string, string> = {
      garbage: 'x.y.z',
      'another type': await prove('POST', '/token', { header: { typ: 'JWT' } }),
      'another method': await prove('GET', '/token'),
      'another address': await prove('POST', '/userinfo'),
      'another host': await prove('POST', '/token', { issuer: 'https://evil.example' }),
      'too old': await prove('POST', '/token', { claims: { iat: now - 300 } }),
      'too new': await prove('POST', '/token', { claims: { iat: now + 300 } }),
      'without jti': await prove('POST', '/token', { claims: { jti: undefined } }),
      'a private key in the header': await prove('POST', '/token', { header: { jwk: key.privateJwk } }),
      "another key's signature": await prove('POST', '/token', { header: { jwk: otherKey.publicJwk } }),
      'used before': used,
    };
    for (const [what, proof] of Object.entries(bad)) {
      const answer = await exchangeBound(pkce, code, proof);
      expect(answer.status, what).toBe(400);
      expect(answer.body['error'], what).toBe('invalid_dpop_proof');
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
    const refused = await userinfo('DPoP', accessToken, foreign);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^DPoP .*error="invalid_token"/);
    const withoutAth = await userinfo('DPoP', accessToken, await prove('GET', '/userinfo'));
    expect(withoutAth.status).toBe(400);
    const otherAth = await prove('GET', '/userinfo', { claims: { ath: athOf('x') } });
    expect((await userinfo('DPoP', accessToken, otherAth)).status).toBe(400);
  });

  it('A-166 refuses a token that is not bound under the scheme DPoP', async () => {
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
    const answer = await refresh(refreshToken, { dpop: await prove('POST', '/token') });
    expect(answer.body['token_type']).toBe('DPoP');
    const next = String(answer.body['refresh_token']);
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
    const push = async (form: Record<string, string> = {}): Promise<JsonAnswer> =>
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
    const answer = await postForm(`${server.issuer}/token`, {});
    expect(answer.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce');
  });
});

describe('RFC 9449 §8: nonces', () => {
  it('A-166 hands out a nonce where one is demanded, and refuses made-up ones', async () => {
    const strict = await startTestAuthServer({ DPOP_NONCE_REQUIRED: 'true' });
    try {
      const pkce = createPkce();
      const code = await obtainCode(strict.issuer, pkce);
      const send = async (claims: Record<string, unknown>): Promise<JsonAnswer> =>
        exchange(
          strict.issuer,
          code,
          pkce,
          {},
          { dpop: await prove('POST', '/token', { issuer: strict.issuer, claims }) },
        );
      const refused = await send({});
      expect(refused.body['error']).toBe('use_dpop_nonce');
      const nonce = refused.headers.get('dpop-nonce');
      expect(nonce).not.toBeNull();
      expect((await send({ nonce: 'made-up' })).body['error']).toBe('use_dpop_nonce');
      expect((await send({ nonce })).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});
