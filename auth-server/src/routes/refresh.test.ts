import { decodeJwt } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import {
  basic,
  createPkce,
  exchange,
  isHonoured,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
} from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

async function introspect(token: string): Promise<Record<string, unknown>> {
  return (await postForm(`${server.issuer}/introspect`, { token }, basic('basic'))).body;
}

describe('RFC 6749 §6, RFC 9700 §4.14: rotation', () => {
  it('A-125 A-126 replaces the refresh token at every use; the old one is rejected', async () => {
    const first = await obtainTokens(server.issuer);
    const refreshed = await refresh(server.issuer, first.refreshToken);
    expect(refreshed.body['refresh_token_expires_in']).toBe(30 * 86_400);
    const second = tokensOf(refreshed);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.grantId).toBe(first.grantId);
    expect((await refresh(server.issuer, first.refreshToken)).body['error']).toBe('invalid_grant');
  });

  it('A-125 A-133 rotates for confidential clients too, which must authenticate', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { client_id: 'basic' });
    const form = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
    const tokens = tokensOf(await postForm(`${server.issuer}/token`, form, basic('basic')));
    const again = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
    const unauthenticated = await postForm(`${server.issuer}/token`, { ...again, client_id: 'basic' });
    expect(unauthenticated.body['error']).toBe('invalid_client');
    const rotated = tokensOf(await postForm(`${server.issuer}/token`, again, basic('basic')));
    expect(rotated.refreshToken).not.toBe(tokens.refreshToken);
  });

  it('S-096 A-127 A-140 revokes the whole grant on reuse: refresh tokens and access tokens', async () => {
    const first = await obtainTokens(server.issuer);
    const second = tokensOf(await refresh(server.issuer, first.refreshToken));
    expect(await introspect(second.accessToken)).toMatchObject({ active: true });
    expect((await refresh(server.issuer, first.refreshToken)).body['error']).toBe('invalid_grant');
    expect((await refresh(server.issuer, second.refreshToken)).body['error']).toBe('invalid_grant');
    for (const { accessToken } of [first, second]) {
      expect(await isHonoured(server.issuer, accessToken)).toBe(false);
      expect(await introspect(accessToken)).toEqual({ active: false });
    }
    const record = server.log.find(
      (line) => line.includes('refresh_token_reused') && line.includes(first.grantId),
    );
    expect(record).toContain('"audit":true');
  });

  it('A-128 A-129 recognizes a token of any generation, and leaves other grants alone', async () => {
    const browser = new Browser();
    const tokens = await obtainTokens(server.issuer, {}, browser);
    const other = await obtainTokens(server.issuer, {}, browser);
    let newest = tokens;
    for (let generation = 0; generation < 5; generation += 1) {
      newest = tokensOf(await refresh(server.issuer, newest.refreshToken));
    }
    expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
    expect((await refresh(server.issuer, newest.refreshToken)).body['error']).toBe('invalid_grant');
    expect(await isHonoured(server.issuer, other.accessToken)).toBe(true);
    expect((await refresh(server.issuer, other.refreshToken)).status).toBe(200);
  });

  it('S-096 A-130 gives tokens to exactly one of 20 parallel refreshes', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tokens = await obtainTokens(server.issuer);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => refresh(server.issuer, tokens.refreshToken)),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ body }) => body['error'] === 'invalid_grant')).toHaveLength(19);
    }
  });

  it('A-131 leaves no live token when a refresh races a revocation', async () => {
    for (let round = 0; round < 10; round += 1) {
      const tokens = await obtainTokens(server.issuer, {
        client_id: 'first-party',
        scope: 'openid read:data',
      });
      const [response] = await Promise.all([
        refresh(server.issuer, tokens.refreshToken, { client_id: 'first-party' }),
        postForm(`${server.issuer}/revoke`, { token: tokens.refreshToken, client_id: 'first-party' }),
      ]);
      if (response.status !== 200) continue;
      const late = tokensOf(response);
      expect(await isHonoured(server.issuer, late.accessToken)).toBe(false);
      const again = await refresh(server.issuer, late.refreshToken, { client_id: 'first-party' });
      expect(again.body['error']).toBe('invalid_grant');
    }
  });

  it("A-132 rejects another client's token without harm to its owner", async () => {
    const tokens = await obtainTokens(server.issuer);
    const stolen = await refresh(server.issuer, tokens.refreshToken, { client_id: 'other-spa' });
    expect(stolen.body['error']).toBe('invalid_grant');
    expect((await refresh(server.issuer, tokens.refreshToken)).status).toBe(200);
  });

  it('A-134 narrows the scope of one access token, rejects more, and keeps the grant as it was', async () => {
    const tokens = await obtainTokens(server.issuer, { scope: 'openid read:data' });
    const wider = await refresh(server.issuer, tokens.refreshToken, { scope: 'openid write:data' });
    expect(wider.body['error']).toBe('invalid_scope');
    const narrow = await refresh(server.issuer, tokens.refreshToken, { scope: 'read:data' });
    expect(narrow.body['scope']).toBe('read:data');
    expect(narrow.body).not.toHaveProperty('id_token');
    const full = await refresh(server.issuer, tokensOf(narrow).refreshToken);
    expect(full.body['scope']).toBe('openid read:data');
  });

  it('A-135 rejects missing, malformed and tampered tokens without side effects', async () => {
    const tokens = await obtainTokens(server.issuer);
    expect((await refresh(server.issuer, '')).body['error']).toBe('invalid_request');
    const { refreshToken } = tokens;
    const flipped = `${refreshToken.slice(0, 20)}${refreshToken[20] === 'A' ? 'B' : 'A'}${refreshToken.slice(21)}`;
    const last = refreshToken.at(-1) === 'A' ? 'B' : 'A';
    for (const bad of [
      'garbage',
      flipped,
      refreshToken.slice(0, -1),
      `${refreshToken}A`,
      refreshToken.slice(0, -1) + last,
    ]) {
      expect((await refresh(server.issuer, bad)).body['error'], bad).toBe('invalid_grant');
    }
    expect((await refresh(server.issuer, refreshToken)).status).toBe(200);
  });

  it('A-136 does not confuse the kinds of tokens', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce);
    const tokens = await obtainTokens(server.issuer);
    for (const wrong of [tokens.accessToken, tokens.idToken, code]) {
      expect((await refresh(server.issuer, wrong)).body['error']).toBe('invalid_grant');
    }
    for (const wrong of [tokens.refreshToken, tokens.idToken, code]) {
      expect(await isHonoured(server.issuer, wrong)).toBe(false);
    }
    expect((await exchange(server.issuer, tokens.refreshToken, pkce)).body['error']).toBe('invalid_grant');
  });

  it('A-138 renews the id_token with the same user and time of sign-in, and without a nonce', async () => {
    const tokens = await obtainTokens(server.issuer, { nonce: 'n-1' });
    const before = decodeJwt(tokens.idToken);
    const after = decodeJwt(tokensOf(await refresh(server.issuer, tokens.refreshToken)).idToken);
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'sid'])
      expect(after[claim]).toEqual(before[claim]);
    expect(before['nonce']).toBe('n-1');
    expect(after).not.toHaveProperty('nonce');
  });

  it('A-139 does not refresh for an account that was disabled or has new credentials', async () => {
    const client = new pg.Client({ connectionString: server.environment['DATABASE_URL'] });
    await client.connect();
    try {
      for (const change of ['credentials_changed_at = now()', 'disabled_at = now()']) {
        const tokens = await obtainTokens(server.issuer, {}, new Browser(), 'vi@example.com');
        await client.query(`UPDATE auth.account SET ${change} WHERE email = 'vi@example.com'`);
        expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
        expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
      }
    } finally {
      await client.end();
    }
  });
});

describe('refresh_reuse_leeway_seconds', () => {
  it('A-141 gives the same successor again while that is unused, and only to the direct predecessor', async () => {
    const lenient = { client_id: 'lenient' };
    const first = await obtainTokens(server.issuer, lenient);
    const second = tokensOf(await refresh(server.issuer, first.refreshToken, lenient));
    const repeated = tokensOf(await refresh(server.issuer, first.refreshToken, lenient));
    expect(repeated.refreshToken).toBe(second.refreshToken);
    const third = tokensOf(await refresh(server.issuer, second.refreshToken, lenient));
    expect((await refresh(server.issuer, first.refreshToken, lenient)).body['error']).toBe('invalid_grant');
    expect((await refresh(server.issuer, third.refreshToken, lenient)).body['error']).toBe('invalid_grant');
  });
});

describe('A-137: the lifetime of grants', () => {
  it('A-137 ends a grant that idles, and one that is old however often it was refreshed', async () => {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const short = await startTestAuthServer({ REFRESH_TOKEN_IDLE_TTL_S: '2' });
    try {
      const idle = await obtainTokens(short.issuer);
      const beganAt = performance.now();
      let active = await obtainTokens(short.issuer);
      while (performance.now() - beganAt < 2_500) {
        await pause(200); // often: on a busy machine too it is never idle for two seconds
        active = tokensOf(await refresh(short.issuer, active.refreshToken));
      }
      expect((await refresh(short.issuer, idle.refreshToken)).body['error']).toBe('invalid_grant');
    } finally {
      await short.stop();
    }

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const old = await startTestAuthServer({ REFRESH_TOKEN_IDLE_TTL_S: '40', REFRESH_TOKEN_TTL_S: '40' });
    try {
      const lifetimes: number[] = [];
      let outcome = await refresh(old.issuer, (await obtainTokens(old.issuer)).refreshToken);
      while (outcome.status === 200) {
        lifetimes.push(Number(outcome.body['refresh_token_expires_in']));
        vi.setSystemTime(Date.now() + 10_000);
        outcome = await refresh(old.issuer, tokensOf(outcome).refreshToken);
      }
      expect(outcome.body['error']).toBe('invalid_grant');
      expect(lifetimes).toEqual([40, 30, 20, 10]); // less than without use: the grant ends before
    } finally {
      vi.useRealTimers();
      await old.stop();
    }
  });
});
