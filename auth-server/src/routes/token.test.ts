import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authServer } from '../app/auth-server.ts';
import { createLogger, createMetrics } from '@trellis/runtime';
import { freePort } from '@trellis/testkit';
import {
  createPkce,
  exchange,
  isHonoured,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
} from '../testing/flow.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

describe('RFC 6749 §5: the token endpoint', () => {
  it('A-093 A-112 A-002 exchanges a code with grant_type, code, code_verifier and client_id alone', async () => {
    const pkce = createPkce();
    const result = await exchange(server.issuer, await obtainCode(server.issuer, pkce), pkce);
    expect(result.status).toBe(200);
    expect(result.headers.get('content-type')).toContain('application/json');
    expect(result.headers.get('cache-control')).toBe('no-store');
    expect(result.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(Object.keys(result.body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'refresh_token_expires_in',
      'scope',
      'token_type',
    ]);
    expect(result.body['refresh_token_expires_in']).toBe(30 * 86_400);
    expect(result.body['scope']).toBe('openid profile email read:data read:profile write:data');
  });

  it('A-094 A-002 answers errors with 400, JSON and no-store', async () => {
    const result = await postForm(`${server.issuer}/token`, {
      grant_type: 'refresh_token',
      client_id: 'spa',
    });
    expect(result.status).toBe(400);
    expect(result.headers.get('content-type')).toContain('application/json');
    expect(result.headers.get('cache-control')).toBe('no-store');
    expect(result.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD'])(
    'A-095 answers %s with 405 and Allow',
    async (method) => {
      const response = await fetch(`${server.issuer}/token?grant_type=authorization_code`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.text()).not.toContain('access_token');
    },
  );

  it('A-096 ignores parameters in the query', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const query = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'spa',
      code,
      code_verifier: pkce.verifier,
    });
    const result = await postForm(`${server.issuer}/token?${query}`, {});
    expect(result.body['error']).toBe('invalid_request');
    expect((await exchange(server.issuer, code, pkce)).status).toBe(200);
  });

  it.each([
    ['application/json', JSON.stringify({ grant_type: 'refresh_token' })],
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', 'grant_type=refresh_token'],
    ['application/x-www-form-urlencoded-not', 'grant_type=refresh_token'],
    ['application/x-www-form-urlencoded; charset=utf-16', 'grant_type=refresh_token'],
    ['application/x-www-form-urlencoded; charset="utf-7"', 'grant_type=refresh_token'],
  ])('S-058 S-096 A-097 rejects a body of type %s', async (contentType, body) => {
    const response = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it.each(['charset=UTF-8', 'charset="utf-8"', 'Charset=utf-8; x=y'])(
    'S-058 A-097 accepts a body with the parameter %s',
    async (parameter) => {
      const result = await postForm(
        `${server.issuer}/token`,
        { grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x' },
        { 'content-type': `application/x-www-form-urlencoded; ${parameter}` },
      );
      expect(result.body['error']).toBe('invalid_grant');
    },
  );

  it('A-098 wants a known grant_type', async () => {
    const send = (form: Record<string, string>) =>
      postForm(`${server.issuer}/token`, { client_id: 'spa', ...form });
    expect((await send({})).body['error']).toBe('invalid_request');
    for (const grantType of ['password', 'implicit', 'constructor', '__proto__', 'AUTHORIZATION_CODE']) {
      expect((await send({ grant_type: grantType })).body['error']).toBe('unsupported_grant_type');
    }
  });

  it('A-099 rejects a grant that the client is not registered for', async () => {
    const result = await postForm(`${server.issuer}/token`, {
      grant_type: 'refresh_token',
      client_id: 'no-refresh',
      refresh_token: 'x',
    });
    expect(result.body['error']).toBe('unauthorized_client');
  });

  it('A-006 rejects a parameter that is sent twice', async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x' });
    form.append('refresh_token', 'y');
    expect((await postForm(`${server.issuer}/token`, form)).body['error']).toBe('invalid_request');
  });

  it('A-100 lets pages of any origin read the response, without credentials', async () => {
    const preflight = await fetch(`${server.issuer}/token`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    const actual = await postForm(`${server.issuer}/token`, {}, { origin: 'https://app.example' });
    expect(actual.headers.get('access-control-allow-origin')).toBe('*');
    expect(actual.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('issues no refresh token to a client that is not registered for it', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { client_id: 'no-refresh' });
    const result = await exchange(server.issuer, code, pkce, { client_id: 'no-refresh' });
    expect(result.status).toBe(200);
    expect(result.body).not.toHaveProperty('refresh_token');
  });
});

describe('RFC 6749 §4.1.3, RFC 7636 §4.6: codes', () => {
  it('A-113 rejects another redirect_uri and accepts the same one', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const other = await exchange(server.issuer, code, pkce, { redirect_uri: `${CALLBACK}/` });
    expect(other.body['error']).toBe('invalid_grant');
    expect((await exchange(server.issuer, code, pkce, { redirect_uri: CALLBACK })).status).toBe(200);
  });

  it('S-096 A-114 A-122 rejects a missing and a wrong verifier, which does not burn the code', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const missing = await exchange(server.issuer, code, pkce, { code_verifier: '' });
    expect(missing.body['error']).toBe('invalid_request');
    const wrong = await exchange(server.issuer, code, pkce, { code_verifier: createPkce().verifier });
    expect(wrong.body['error']).toBe('invalid_grant');
    expect((await exchange(server.issuer, code, pkce)).status).toBe(200);
  });

  it.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a blank', `${'a'.repeat(43)} `],
  ])('S-096 A-115 rejects a verifier of %s although its hash is the challenge', async (_what, verifier) => {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const code = await obtainCode(server.issuer, { verifier, challenge });
    expect((await exchange(server.issuer, code, { verifier, challenge })).body['error']).toBe(
      'invalid_grant',
    );
  });

  it('S-096 A-116 does not take the challenge for a verifier', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const result = await exchange(server.issuer, code, pkce, { code_verifier: pkce.challenge });
    expect(result.body['error']).toBe('invalid_grant');
  });

  it("S-096 A-118 rejects another client's code, which its owner may still exchange", async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const stolen = await exchange(server.issuer, code, pkce, { client_id: 'other-spa' });
    expect(stolen.body['error']).toBe('invalid_grant');
    expect((await exchange(server.issuer, code, pkce)).status).toBe(200);
  });

  it('S-096 A-120 A-121 rejects a second use, and revokes what the first one gave', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const tokens = tokensOf(await exchange(server.issuer, code, pkce));
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    expect((await exchange(server.issuer, code, pkce)).body['error']).toBe('invalid_grant');
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
    expect(server.log.some((line) => line.includes('code_replayed') && line.includes(tokens.grantId))).toBe(
      true,
    );
  });

  it('A-122 A-129 revokes nothing when the replay has a wrong verifier or client', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const tokens = tokensOf(await exchange(server.issuer, code, pkce));
    await exchange(server.issuer, code, createPkce());
    await exchange(server.issuer, code, pkce, { client_id: 'other-spa' });
    await exchange(server.issuer, code, pkce, { client_id: 'basic', client_secret: 'wrong' });
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    expect((await refresh(server.issuer, tokens.refreshToken)).status).toBe(200);
  });

  it.each(['', 'x', `ac_${'A'.repeat(65)}`, 'ac_'])(
    'A-135 A-136 rejects the text %j as a code',
    async (code) => {
      const result = await exchange(server.issuer, code, createPkce());
      expect(result.status).toBe(400);
      expect(result.body['error']).toBe(code === '' ? 'invalid_request' : 'invalid_grant');
    },
  );

  it('S-096 A-123 A-124 gives tokens to exactly one of 20 parallel exchanges, over two servers on one Redis', async () => {
    const port = await freePort();
    const second = await authServer.start(
      authServer.readConfig({ ...server.environment, PORT: String(port) }),
      { logger: createLogger({ service: 'second', level: 'silent' }), metrics: createMetrics('second') },
    );
    try {
      for (let round = 0; round < 3; round += 1) {
        const pkce = createPkce();
        const code = await obtainCode(server.issuer, pkce);
        const responses = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            exchange(index % 2 === 0 ? server.issuer : second.url, code, pkce),
          ),
        );
        expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(responses.filter(({ body }) => body['error'] === 'invalid_grant')).toHaveLength(19);
      }
    } finally {
      await second.close();
    }
  });

  it('A-129 begins a grant of its own for each authorization', async () => {
    const [first, second] = [await obtainTokens(server.issuer), await obtainTokens(server.issuer)];
    expect(first.grantId).not.toBe(second.grantId);
  });
});

describe('A-119: the lifetime of codes', () => {
  it('A-119 rejects a code that has expired', async () => {
    const short = await startTestAuthServer({ CODE_TTL_S: '1' });
    try {
      const pkce = createPkce();
      const code = await obtainCode(short.issuer, pkce);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect((await exchange(short.issuer, code, pkce)).body['error']).toBe('invalid_grant');
    } finally {
      await short.stop();
    }
  });
});
