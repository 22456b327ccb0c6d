import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import {
  authorizationUrl,
  basic,
  completePages,
  createPkce,
  exchange,
  postForm,
  submitSignIn,
  tokensOf,
} from '../testing/flow.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const pkce = createPkce();
const FORM_POST = { response_mode: 'form_post' };
type Changes = Record<string, string | undefined>;
const open = (changes: Changes, browser = new Browser()): Promise<Response> =>
  browser.get(authorizationUrl(server.issuer, pkce, { ...FORM_POST, ...changes }));

interface PostedResponse {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The form of a page that posts a response; fails for everything else. */
async function readResponse(page: Response): Promise<PostedResponse> {
  const html = await page.text();
  expect(page.status, html).toBe(200);
  expect(page.headers.get('location')).toBeNull();
  expect(page.headers.get('cache-control')).toBe('no-store');
  const { action, fields } = readForm(html, page.url);
  return { action, fields, html };
}

describe('OAuth 2.0 Form Post Response Mode §2', () => {
  it('A-056 M12: posts code, state and iss to the redirect URI, and the code is good', async () => {
    const browser = new Browser();
    const page = await completePages(browser, await open({}, browser), server.issuer);
    const { action, fields } = await readResponse(page);
    expect(action).toBe(CALLBACK);
    expect(Object.keys(fields).toSorted()).toEqual(['code', 'iss', 'state']);
    expect(fields['iss']).toBe(server.issuer);
    expect(fields['state']).toBe('the-state');
    tokensOf(await exchange(server.issuer, fields['code'] ?? '', pkce));
  });

  it('answers without a consent page alike, from the sign-in form', async () => {
    const browser = new Browser();
    const page = await browser.follow(await open({ client_id: 'first-party' }, browser), server.issuer);
    const signedIn = await browser.follow(await submitSignIn(browser, page), server.issuer);
    expect(Object.keys((await readResponse(signedIn)).fields)).toContain('code');
  });

  it('works for a request that is pushed, and for one that is posted', async () => {
    const parameters = new URL(authorizationUrl(server.issuer, pkce, { ...FORM_POST, client_id: 'basic' }))
      .searchParams;
    const pushed = await postForm(`${server.issuer}/par`, parameters, basic('basic'));
    const reference = new URLSearchParams({
      client_id: 'basic',
      request_uri: String(pushed.body['request_uri']),
    });
    const browser = new Browser();
    for (const first of [
      await browser.get(`${server.issuer}/authorize?${reference}`),
      await browser.post(`${server.issuer}/authorize`, parameters),
    ]) {
      const page = await completePages(browser, first, server.issuer);
      expect((await readResponse(page)).fields['code']).toBeDefined();
    }
  });

  it('lets the page lead to the redirect URI alone, and run its one script', async () => {
    const page = await open({ prompt: 'none' });
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/form-action https:\/\/app\.example;/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('referrer-policy')).toBe('strict-origin');
    const { html } = await readResponse(page);
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script);
    expect(scripts).toHaveLength(1);
    const hash = createHash('sha256')
      .update(scripts[0] ?? '')
      .digest('base64');
    expect(policy).toContain(`script-src 'sha256-${hash}';`);
    expect(html).toMatch(/<button type="submit">/);
  });

  it.each<[Changes, string]>([
    [{ prompt: 'none' }, 'login_required'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'invalid_request'],
    [{ scope: 'unknown' }, 'invalid_scope'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ resource: 'https://unknown.example/' }, 'invalid_target'],
  ])('posts the error of %j as %s', async (changes, error) => {
    const { action, fields } = await readResponse(await open(changes));
    expect(action).toBe(CALLBACK);
    expect(fields).toMatchObject({ error, state: 'the-state', iss: server.issuer });
    expect(fields['error_description']).toBeDefined();
    expect(fields['code']).toBeUndefined();
  });

  it('posts that the user denied', async () => {
    const browser = new Browser();
    const consent = await browser.follow(
      await submitSignIn(
        browser,
        await browser.follow(await open({ prompt: 'consent' }, browser), server.issuer),
      ),
      server.issuer,
    );
    const { action, fields } = readForm(await consent.text(), consent.url);
    const denied = await browser.post(action, { ...fields, decision: 'deny' });
    expect((await readResponse(denied)).fields['error']).toBe('access_denied');
  });

  it.each<[string, Changes]>([
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a near miss', { redirect_uri: `${CALLBACK}/` }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['an unknown client', { client_id: 'missing' }],
    ['a client that no one has looked at', { client_id: 'unvetted', scope: 'unknown' }],
  ])('posts nothing anywhere for %s', async (_name, changes) => {
    const page = await open(changes);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(await page.text()).not.toContain('<form');
    expect(page.headers.get('content-security-policy')).not.toMatch(/evil|script-src/);
  });

  it('does not post to the scheme of an app: such a request is an error in the query', async () => {
    const response = await open({ client_id: 'native', redirect_uri: 'com.example.app:/callback' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^com\.example\.app:\/callback\?error=invalid_request&/);
  });

  it.each([`"><script>alert(1)</script>`, `'&quot;&lt;&amp;`, '</form><form action=//evil.example>'])(
    'carries the state %s as it is, and as text',
    async (state) => {
      const { fields, html } = await readResponse(await open({ prompt: 'none', state }));
      expect(fields['state']).toBe(state);
      expect(html.match(/<(script|form)\b/g)).toEqual(['<form', '<script']);
    },
  );
});
