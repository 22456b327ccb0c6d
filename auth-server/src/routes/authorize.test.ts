import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  exchange,
  obtainCode,
  postForm,
  tokensOf,
} from '../testing/flow.ts';
import { CALLBACK, testClients } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const pkce = createPkce();
const request = (changes: Record<string, string | undefined> = {}): Promise<Response> =>
  new Browser().get(authorizationUrl(server.issuer, pkce, changes));

async function expectPageError(response: Response): Promise<string> {
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).not.toContain('type="password"');
  return html;
}

function expectRedirectError(response: Response, error: string): URLSearchParams {
  const result = responseOf(response);
  expect(result.get('error')).toBe(error);
  expect(result.get('state')).toBe('the-state');
  expect(result.get('iss')).toBe(server.issuer);
  expect(result.get('code')).toBeNull();
  return result;
}

describe('RFC 6749 §4.1.1: the code flow', () => {
  it('S-096 A-031 A-052 redirects with code, state and iss in the query and nothing in the fragment', async () => {
    const browser = new Browser();
    const first = await browser.get(authorizationUrl(server.issuer, pkce));
    const last = await completePages(browser, first, server.issuer);
    const location = new URL(last.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(CALLBACK);
    expect(location.hash).toBe('');
    expect([...location.searchParams.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    expect(location.searchParams.get('iss')).toBe(server.issuer);
  });

  it('A-032 treats POST like GET, through a redirect so that the cookies arrive', async () => {
    const browser = new Browser();
    const url = new URL(authorizationUrl(server.issuer, pkce));
    const first = await browser.post(`${server.issuer}/authorize`, url.searchParams);
    expect(first.status).toBe(303);
    const result = responseOf(await completePages(browser, first, server.issuer));
    expect(result.get('code')).not.toBeNull();
    expect(result.get('state')).toBe('the-state');
  });

  it('A-032 reports errors of a posted request as those of a fetched one', async () => {
    const url = new URL(authorizationUrl(server.issuer, pkce, { response_type: 'token' }));
    expectRedirectError(
      await new Browser().post(`${server.issuer}/authorize`, url.searchParams),
      'unsupported_response_type',
    );
    const unknown = new URL(authorizationUrl(server.issuer, pkce, { client_id: 'missing' }));
    await expectPageError(await new Browser().post(`${server.issuer}/authorize`, unknown.searchParams));
  });

  it('A-033 has no CORS headers', async () => {
    const response = await fetch(authorizationUrl(server.issuer, pkce), {
      headers: { origin: 'https://app.example' },
      redirect: 'manual',
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(`${server.issuer}/authorize`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('does not answer HEAD, which could issue a code', async () => {
    const response = await fetch(authorizationUrl(server.issuer, pkce), { method: 'HEAD' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
  });

  it('A-005 A-011 ignores unknown parameters, whatever their names', async () => {
    const browser = new Browser();
    const first = await browser.get(
      `${authorizationUrl(server.issuer, pkce, { tracking: 'x' })}&__proto__=y&constructor=z&scope[]=admin`,
    );
    expect(responseOf(await completePages(browser, first, server.issuer)).get('code')).not.toBeNull();
  });
});

describe('RFC 6749 §4.1.2.1: client and redirect URI', () => {
  it.each([
    { client_id: undefined },
    { client_id: '' },
    { client_id: 'missing' },
    { client_id: '__proto__' },
  ])('A-034 shows a page without a form or redirect for %j', async (changes) => {
    await expectPageError(await request(changes));
  });

  it('A-035 does not guess among several registered redirect URIs', async () => {
    await expectPageError(await request({ client_id: 'several', redirect_uri: undefined }));
  });

  it('uses the only registered redirect URI when the request names none', async () => {
    expectRedirectError(
      await request({ redirect_uri: undefined, response_type: 'token' }),
      'unsupported_response_type',
    );
  });

  it.each([
    'https://app.example/callback/',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'HTTPS://app.example/callback',
    'https://app.example/callback?',
    'https://app.example/callback?x=1',
    'https://app.example/callback#',
    'https://app.example/callback#x',
    'https://user@app.example/callback',
    'https://app.example@evil.example/callback',
    'https://app.example\\@evil.example/callback',
    'https://app.example\\callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'http://app.example/callback',
    'https://app.example/../callback',
    'https://app.example/x/../callback',
    'https://app.example/./callback',
    'https://app.example//callback',
    'https://app.example/callback%2f',
    'https://app.example/%63allback',
    'https://app.example/callback%00',
    'https://sub.app.example/callback',
    'https://app.example.evil.example/callback',
    'https://evil-app.example/callback',
    'https://аpp.example/callback',
    'https://app.example./callback',
    ' https://app.example/callback',
    'https://app.example/callback ',
    'https://app.example/callback\t',
    'https://app.example/call\r\nback',
    'javascript:alert(1)',
    'data:text/html,hello',
    '/callback',
    '//app.example/callback',
    'com.example.app:/callback',
    'https://app.example',
  ])('S-096 A-036 A-059 never redirects to %j', async (uri) => {
    const html = await expectPageError(await request({ redirect_uri: uri }));
    expect(html).not.toContain('http-equiv');
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(
      ([, link = '']) => new URL(link, server.issuer).origin,
    );
    for (const origin of links) expect([server.issuer, 'https://app.example']).toContain(origin);
  });

  it('A-036 rejects a redirect URI with NUL', async () => {
    const url = `${authorizationUrl(server.issuer, pkce, { redirect_uri: undefined })}&redirect_uri=${encodeURIComponent(CALLBACK)}%00`;
    await expectPageError(await new Browser().get(url));
  });

  it("A-037 rejects another client's redirect URI", async () => {
    await expectPageError(await request({ redirect_uri: 'https://other.example/callback' }));
  });

  it('A-038 keeps the query of a registered redirect URI', async () => {
    const response = await request({
      client_id: 'several',
      redirect_uri: 'https://app.example/second?tenant=1',
      response_type: 'token',
    });
    expect(response.headers.get('location')).toMatch(/^https:\/\/app\.example\/second\?tenant=1&error=/);
  });

  it('A-040 A-041 lets a native client choose the port of a loopback address alone', async () => {
    for (const redirectUri of ['http://127.0.0.1:51004/callback', 'http://[::1]:51004/callback']) {
      const response = await request({
        client_id: 'native',
        redirect_uri: redirectUri,
        response_type: 'token',
      });
      expect(response.headers.get('location')?.startsWith(`${redirectUri}?`)).toBe(true);
    }
    for (const redirectUri of ['http://localhost:51004/callback', 'http://127.0.0.1:51004/other']) {
      await expectPageError(await request({ client_id: 'native', redirect_uri: redirectUri }));
    }
  });

  it('A-006 shows a page when client_id or redirect_uri is sent twice, and redirects for others', async () => {
    const url = authorizationUrl(server.issuer, pkce);
    await expectPageError(await new Browser().get(`${url}&client_id=spa`));
    await expectPageError(await new Browser().get(`${url}&redirect_uri=${encodeURIComponent(CALLBACK)}`));
    const twice = responseOf(await new Browser().get(`${url}&scope=openid`));
    expect(twice.get('error')).toBe('invalid_request');
    expect(twice.get('state')).toBe('the-state');
    const twoStates = responseOf(await new Browser().get(`${url}&state=x`));
    expect(twoStates.get('error')).toBe('invalid_request');
    expect(twoStates.get('state')).toBeNull();
  });
});

describe('RFC 6749 §4.1.2.1: errors by redirect', () => {
  it('A-042 A-007 wants a response_type', async () => {
    expectRedirectError(await request({ response_type: undefined }), 'invalid_request');
    expectRedirectError(await request({ response_type: '' }), 'invalid_request');
  });

  it.each(['token', 'id_token', 'code token', 'code id_token', 'none', 'garbage', 'CODE', 'code '])(
    'A-042 does not support response_type=%j',
    async (responseType) => {
      expectRedirectError(await request({ response_type: responseType }), 'unsupported_response_type');
    },
  );

  it.each(['spa', 'basic'])('A-043 A-044 wants a code_challenge from client %s', async (clientId) => {
    expectRedirectError(await request({ client_id: clientId, code_challenge: undefined }), 'invalid_request');
  });

  it('A-117 gives no client of any kind a code without a challenge, so that no verifier can be too much', async () => {
    const clients = testClients(server.assertionKey.publicJwk).map(({ client_id: id }) => String(id));
    for (const clientId of clients) {
      const changes = { client_id: clientId, code_challenge: undefined, redirect_uri: undefined };
      const result = await request(changes);
      const location = new URL(result.headers.get('location') ?? server.issuer);
      expect(location.searchParams.get('code'), clientId).toBeNull();
      expect(location.pathname, clientId).not.toContain('login');
    }
  });

  it('A-060 sends no error to an unvetted client before the user has signed in', async () => {
    const broken = { client_id: 'unvetted', scope: 'nothing known' };
    const html = await expectPageError(await request(broken));
    expect(html).not.toContain(CALLBACK);
    await expectPageError(await request({ client_id: 'unvetted', prompt: 'none' }));
    const browser = new Browser();
    const first = await browser.get(authorizationUrl(server.issuer, pkce, { client_id: 'unvetted' }));
    expect(responseOf(await completePages(browser, first, server.issuer)).get('code')).not.toBeNull();
    const known = await browser.get(authorizationUrl(server.issuer, pkce, broken));
    expectRedirectError(known, 'invalid_scope');
  });

  it.each([undefined, 'plain', 's256', 'S512'])('A-045 rejects code_challenge_method=%s', async (method) => {
    expectRedirectError(await request({ code_challenge_method: method }), 'invalid_request');
  });

  it.each(['a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}+`])(
    'A-046 rejects the code_challenge %j',
    async (challenge) => {
      expectRedirectError(await request({ code_challenge: challenge }), 'invalid_request');
    },
  );

  it.each([
    ['reserved characters', ":/?#[]@!$&'()*+,;= %25"],
    ['quotes and markup', `"'<script>alert(1)</script>\``],
    ['letters beyond ASCII', 'Grüße 世界 🎉'],
    ['line breaks', 'a\r\nSet-Cookie: x=y'],
    ['2 KB', 'x'.repeat(2_048)],
  ])('S-096 A-047 returns a state with %s unchanged, with codes and with errors', async (_what, state) => {
    expect(responseOf(await request({ state, response_type: 'token' })).get('state')).toBe(state);
    const browser = new Browser();
    const first = await browser.get(authorizationUrl(server.issuer, pkce, { state }));
    expect(responseOf(await completePages(browser, first, server.issuer)).get('state')).toBe(state);
  });

  it('A-048 returns no state when none was sent', async () => {
    expect(responseOf(await request({ state: undefined, response_type: 'token' })).has('state')).toBe(false);
  });

  it.each(['openid unknown:scope', 'openid "x"', 'openid\\', 'openid\tprofile', 'öpenid'])(
    'A-049 A-050 rejects the scope %j',
    async (scope) => {
      expectRedirectError(await request({ scope }), 'invalid_scope');
    },
  );

  it('A-051 rejects a scope that the client is not registered for', async () => {
    expectRedirectError(await request({ client_id: 'narrow', scope: 'openid write:data' }), 'invalid_scope');
  });

  it('A-054 rejects request objects and registration', async () => {
    expectRedirectError(await request({ request: 'eyJhbGciOiJub25lIn0.e30.' }), 'request_not_supported');
    expectRedirectError(await request({ registration: '{}' }), 'registration_not_supported');
  });

  it('S-065 A-055 never fetches a request_uri', async () => {
    let fetched = 0;
    const trap = createServer((_request, response) => {
      fetched += 1;
      response.end();
    });
    await new Promise<void>((resolve) => {
      trap.listen(0, '127.0.0.1', resolve);
    });
    const address = trap.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expectRedirectError(
      await request({ request_uri: `http://127.0.0.1:${port}/x` }),
      'request_uri_not_supported',
    );
    await new Promise((resolve) => trap.close(resolve));
    expect(fetched).toBe(0);
  });

  it.each(['fragment', 'form_post.jwt', 'query.jwt'])('A-056 rejects response_mode=%s', async (mode) => {
    expectRedirectError(await request({ response_mode: mode }), 'invalid_request');
  });

  it('A-056 accepts response_mode=query', async () => {
    expect((await request({ response_mode: 'query' })).headers.get('location')).toContain('/login');
  });

  it.each([
    'https://unknown.example/',
    '/graphql',
    'https://api.example/graphql#x',
    'https://api.example/graphql/',
  ])('A-057 rejects the resource %j', async (resource) => {
    expectRedirectError(await request({ resource }), 'invalid_target');
  });

  it('A-012 keeps error_description to the characters that are allowed', async () => {
    const result = responseOf(await request({ scope: '"\r\n\\ü' }));
    expect(result.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  it('A-058 escapes what it reflects, in a page with a strict policy', async () => {
    const response = await request({ client_id: '"><script>alert(1)</script>' });
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('authorization codes', () => {
  it('A-053 carries at least 128 random bits and nothing of the request', async () => {
    const [first, second] = [await obtainCode(server.issuer, pkce), await obtainCode(server.issuer, pkce)];
    expect(first).not.toBe(second);
    const secret = first.slice(-43);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(first).not.toContain(pkce.challenge);
  });

  it('A-145 RFC 8707: tokens are for the one resource that was asked for', async () => {
    const resource = 'https://second.example/api';
    const code = await obtainCode(server.issuer, pkce, { resource });
    const wrong = await exchange(server.issuer, code, pkce, { resource: 'https://api.example/graphql' });
    expect(wrong.body['error']).toBe('invalid_target');
    const { accessToken } = tokensOf(await exchange(server.issuer, code, pkce, { resource }));
    expect(JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      aud: resource,
    });
  });

  it('A-073 leaves the id_token out when openid was not asked for', async () => {
    const code = await obtainCode(server.issuer, pkce, { scope: 'read:data' });
    const result = await exchange(server.issuer, code, pkce);
    expect(result.status).toBe(200);
    expect(result.body).not.toHaveProperty('id_token');
  });

  it('A-042 needs a client that is registered for codes', async () => {
    const result = await postForm(`${server.issuer}/token`, {
      grant_type: 'authorization_code',
      client_id: 'machine',
    });
    expect(result.body['error']).toBe('invalid_client');
  });
});
