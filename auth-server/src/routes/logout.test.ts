import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import {
  responseOf,
  authorizationUrl,
  createPkce,
  exchange,
  isHonoured,
  obtainCode,
  obtainTokens,
} from '../testing/flow.ts';
import { reissue } from '../testing/reissue.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const BYE = 'https://app.example/bye';

function logoutUrl(parameters: Record<string, string>): string {
  return `${server.issuer}/logout?${new URLSearchParams(parameters)}`;
}

async function hasSession(browser: Browser): Promise<boolean> {
  const response = await browser.get(authorizationUrl(server.issuer, createPkce(), { prompt: 'none' }));
  return responseOf(response).get('error') !== 'login_required';
}

describe('OpenID Connect RP-Initiated Logout', () => {
  it('A-159 A-092 with a hint of this session ends it and redirects with the state', async () => {
    const browser = new Browser();
    const { idToken } = await obtainTokens(server.issuer, {}, browser);
    expect(await hasSession(browser)).toBe(true);
    const response = await browser.get(
      logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 's &1' }),
    );
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${BYE}?state=s%20%261`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('A-159 L4: takes POST, and answers it without another address', async () => {
    const browser = new Browser();
    const { idToken } = await obtainTokens(server.issuer, {}, browser);
    const form = { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 's' };
    const posted = await browser.post(`${server.issuer}/logout`, form);
    expect([posted.status, posted.headers.get('location')]).toEqual([303, `${BYE}?state=s`]);
    expect(await hasSession(browser)).toBe(false);
    const again = await browser.post(`${server.issuer}/logout`, { id_token_hint: idToken });
    expect(await again.text()).toContain('You have signed out.');
  });

  it('L4: a POST of another site, which comes without the cookie, is sent again by the user', async () => {
    const browser = new Browser();
    const { idToken } = await obtainTokens(server.issuer, {}, browser);
    const form = { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 's' };
    const withoutCookie = new Browser();
    const foreign = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
    const page = await withoutCookie.post(`${server.issuer}/logout`, form, foreign);
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    const { action, fields } = readForm(await page.text(), page.url);
    expect(action).toBe(`${server.issuer}/logout`);
    const stayed = await browser.post(action, { ...fields, decision: 'stay' });
    expect(await stayed.text()).toContain('still signed in');
    expect(await hasSession(browser)).toBe(true);
    const left = await browser.post(action, { ...fields, decision: 'sign_out' });
    expect(left.headers.get('location')).toBe(`${BYE}?state=s`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('L4: what is sent becomes no giant address', async () => {
    const browser = new Browser();
    const { idToken } = await obtainTokens(server.issuer, {}, browser);
    const form = { id_token_hint: idToken, post_logout_redirect_uri: BYE };
    for (const characters of [3_000, 60_000]) {
      const long = await browser.post(`${server.issuer}/logout`, { ...form, state: 'x'.repeat(characters) });
      expect([long.status, long.headers.get('location')]).toEqual([413, null]);
    }
    const unknown = await browser.post(`${server.issuer}/logout`, { ...form, other: 'x'.repeat(60_000) });
    expect(unknown.headers.get('location')).toBe(BYE);
  });

  it('A-160 never redirects to what is not registered, nor with a hint that is not ours', async () => {
    const browser = new Browser();
    const { idToken, accessToken } = await obtainTokens(server.issuer, {}, browser);
    const [header = '', payload = '', signature = ''] = idToken.split('.');
    const bad: Record<string, string>[] = [
      { id_token_hint: idToken, post_logout_redirect_uri: `${BYE}?x=2` },
      { id_token_hint: idToken, post_logout_redirect_uri: `${BYE}/` },
      { id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.example/' },
      { id_token_hint: `${header}.${payload}.${signature.slice(0, -4)}AAAA`, post_logout_redirect_uri: BYE },
      { id_token_hint: accessToken, post_logout_redirect_uri: BYE },
      { id_token_hint: idToken, client_id: 'other-spa', post_logout_redirect_uri: BYE },
      { post_logout_redirect_uri: BYE },
    ];
    for (const parameters of bad) {
      const response = await browser.get(logoutUrl(parameters));
      expect(response.status, JSON.stringify(parameters)).toBe(400);
      expect(response.headers.get('location')).toBeNull();
    }
    expect(await hasSession(browser)).toBe(true);
  });

  it('A-161 asks the user when there is no hint, and does what the user says', async () => {
    const browser = new Browser();
    await obtainTokens(server.issuer, {}, browser);
    const page = await browser.get(
      logoutUrl({ client_id: 'spa', post_logout_redirect_uri: BYE, state: 'x' }),
    );
    expect(page.status).toBe(200);
    const { action, fields } = readForm(await page.text(), page.url);
    expect((await browser.post(action, { ...fields, csrf: 'x', decision: 'sign_out' })).status).toBe(403);
    const forged = await browser.post(
      action,
      { ...fields, decision: 'sign_out' },
      { origin: 'https://evil.example' },
    );
    expect(forged.status).toBe(403);
    expect(await (await browser.post(action, { ...fields, decision: 'stay' })).text()).toContain(
      'still signed in',
    );
    expect(await hasSession(browser)).toBe(true);
    const left = await browser.post(action, { ...fields, decision: 'sign_out' });
    expect(left.headers.get('location')).toBe(`${BYE}?state=x`);
    expect(await hasSession(browser)).toBe(false);
  });

  it('A-161 asks when the hint is of another session', async () => {
    const other = await obtainTokens(server.issuer);
    const browser = new Browser();
    await obtainTokens(server.issuer, {}, browser);
    const page = await browser.get(logoutUrl({ id_token_hint: other.idToken }));
    expect(await page.text()).toContain('Do you want to sign out?');
    expect(await hasSession(browser)).toBe(true);
  });

  it('A-163 ends the grants of the session but those with offline_access, and no others', async () => {
    const browser = new Browser();
    const online = await obtainTokens(server.issuer, {}, browser);
    const offline = await obtainTokens(server.issuer, { scope: 'openid offline_access' }, browser);
    const elsewhere = await obtainTokens(server.issuer);
    const pkce = createPkce();
    const pendingCode = await obtainCode(server.issuer, pkce, {}, browser);
    await browser.get(logoutUrl({ id_token_hint: online.idToken }));
    expect(await isHonoured(server.issuer, online.accessToken)).toBe(false);
    expect(await isHonoured(server.issuer, offline.accessToken)).toBe(true);
    expect(await isHonoured(server.issuer, elsewhere.accessToken)).toBe(true);
    expect((await exchange(server.issuer, pendingCode, pkce)).body['error']).toBe('invalid_grant');
  });
});

describe('OpenID Connect RP-Initiated Logout §4', () => {
  it('A-162 takes an id_token that has expired', async () => {
    const browser = new Browser();
    const { idToken } = await obtainTokens(server.issuer, {}, browser);
    const expired = await reissue(server, idToken, { iat: 1_700_000_000, exp: 1_700_000_900 });
    const response = await browser.get(logoutUrl({ id_token_hint: expired, post_logout_redirect_uri: BYE }));
    expect(response.headers.get('location')).toBe(BYE);
    expect(await hasSession(browser)).toBe(false);
  });
});
