import {
  decodeJwt,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  submitSignIn,
  tokensOf,
  type Tokens,
} from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const pkce = createPkce();

/** A browser with a session, and consent for the scopes of the request. */
async function signedIn(
  changes: Record<string, string> = {},
  email?: string,
): Promise<{ browser: Browser; tokens: Tokens }> {
  const browser = new Browser();
  return { browser, tokens: await obtainTokens(server.issuer, changes, browser, email) };
}

const ask = (browser: Browser, changes: Record<string, string>): Promise<Response> =>
  browser.get(authorizationUrl(server.issuer, pkce, changes));

describe('OpenID Connect Core §3.1.2.1: prompt', () => {
  it('A-061 prompt=none without a session is login_required, without consent consent_required, and shows nothing', async () => {
    expect(responseOf(await ask(new Browser(), { prompt: 'none' })).get('error')).toBe('login_required');
    const { browser } = await signedIn({ scope: 'openid' }, 'ed@example.com');
    const response = responseOf(await ask(browser, { prompt: 'none', scope: 'openid address' }));
    expect(response.get('error')).toBe('consent_required');
    expect(response.get('state')).toBe('the-state');
    expect(response.get('iss')).toBe(server.issuer);
  });

  it('A-062 prompt=none with session and consent gives a code without a page', async () => {
    const { browser } = await signedIn();
    expect(responseOf(await ask(browser, { prompt: 'none' })).get('code')).not.toBeNull();
  });

  it.each(['none login', 'none consent', 'create', 'LOGIN'])('A-063 rejects prompt=%j', async (prompt) => {
    expect(responseOf(await ask(new Browser(), { prompt })).get('error')).toBe('invalid_request');
  });

  it.each(['login', 'select_account'])(
    'A-064 prompt=%s asks for the password again, and auth_time moves',
    async (prompt) => {
      const { browser, tokens } = await signedIn();
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      const first = await ask(browser, { prompt });
      expect(first.headers.get('location')).toContain('/login');
      const code = responseOf(await completePages(browser, first, server.issuer)).get('code') ?? '';
      const renewed = tokensOf(await exchange(server.issuer, code, pkce));
      expect(Number(decodeJwt(renewed.idToken)['auth_time'])).toBeGreaterThan(
        Number(decodeJwt(tokens.idToken)['auth_time']),
      );
    },
  );

  it('A-064 the consent page is no way around prompt=login', async () => {
    const { browser } = await signedIn();
    const first = await ask(browser, { prompt: 'login', scope: 'openid phone' });
    const login = first.headers.get('location') ?? '';
    const page = await browser.get(login.replace('/login', '/consent'));
    expect(page.status).toBe(403);
  });

  it('A-065 prompt=consent asks for consent that was given before', async () => {
    const { browser } = await signedIn();
    expect((await ask(browser, { prompt: 'consent' })).headers.get('location')).toContain('/consent');
  });

  it('A-090 asks again for new scopes only; skips for first-party clients; always asks for native ones', async () => {
    const { browser } = await signedIn({ scope: 'openid' }, 'vi@example.com');
    expect(responseOf(await ask(browser, { scope: 'openid' })).get('code')).not.toBeNull();
    expect((await ask(browser, { scope: 'openid phone' })).headers.get('location')).toContain('/consent');
    expect(responseOf(await ask(browser, { client_id: 'first-party' })).get('code')).not.toBeNull();
    const native = { client_id: 'native', redirect_uri: 'com.example.app:/callback', scope: 'openid' };
    await obtainCode(server.issuer, pkce, native, browser);
    expect((await ask(browser, native)).headers.get('location')).toContain('/consent');
  });
});

describe('OpenID Connect Core §3.1.2.1: max_age and hints', () => {
  it('A-066 asks again when the sign-in is older than max_age, and returns auth_time', async () => {
    const { browser } = await signedIn();
    expect(responseOf(await ask(browser, { max_age: '1000' })).get('code')).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const first = await ask(browser, { max_age: '1' });
    expect(first.headers.get('location')).toContain('/login');
    const code = responseOf(await completePages(browser, first, server.issuer)).get('code') ?? '';
    const { idToken } = tokensOf(await exchange(server.issuer, code, pkce));
    expect(Math.abs(Number(decodeJwt(idToken)['auth_time']) - Date.now() / 1000)).toBeLessThan(5);
  });

  it('A-066 max_age=0 and default_max_age=0 ask each time, once', async () => {
    const { browser } = await signedIn();
    for (const changes of [{ max_age: '0' }, { client_id: 'aged' }]) {
      const first = await ask(browser, changes as Record<string, string>);
      expect(first.headers.get('location')).toContain('/login');
      expect(responseOf(await completePages(browser, first, server.issuer)).get('code')).not.toBeNull();
    }
  });

  it.each(['-1', 'abc', '1.5', '99999999999'])('A-067 rejects max_age=%s', async (maxAge) => {
    expect(responseOf(await ask(new Browser(), { max_age: maxAge })).get('error')).toBe('invalid_request');
  });

  it('A-068 takes an id_token_hint of the same user, and wants that user otherwise', async () => {
    const ada = await signedIn();
    const ed = await signedIn({}, 'ed@example.com');
    const hint = { id_token_hint: ada.tokens.idToken };
    expect(responseOf(await ask(ada.browser, { ...hint, prompt: 'none' })).get('code')).not.toBeNull();
    expect(responseOf(await ask(ed.browser, { ...hint, prompt: 'none' })).get('error')).toBe(
      'login_required',
    );
    const first = await ask(ed.browser, hint);
    expect(first.headers.get('location')).toContain('/login');
    const again = await submitSignIn(
      ed.browser,
      await ed.browser.follow(first, server.issuer),
      'ed@example.com',
    );
    expect(responseOf(again).get('error')).toBe('login_required');
  });

  it('A-069 accepts no forged hint', async () => {
    const { browser, tokens } = await signedIn();
    const [header = '', payload = '', signature = ''] = tokens.idToken.split('.');
    const claims = decodeJwt(tokens.idToken);
    const { keys } = (await (await fetch(`${server.issuer}/jwks.json`)).json()) as { keys: JWK[] };
    const ours = keys.find(({ alg }) => alg === 'ES256') ?? {};
    const foreign = await generateKeyPair('ES256', { extractable: true });
    const pem = await exportSPKI((await importJWK(ours, 'ES256')) as CryptoKey);
    const hmac = (secret: string): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: String(ours.kid) })
        .sign(Buffer.from(secret.padEnd(32, '\0')));
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = [
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${encode({ ...claims, sub: '01941f29-7c01-7a00-8000-0000000000ed' })}.${signature}`,
      new UnsecuredJWT(claims).encode(),
      `${encode({ alg: 'nOnE', typ: 'JWT', kid: ours.kid })}.${payload}.`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: String(ours.kid) })
        .sign(foreign.privateKey),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', jwk: ours })
        .sign(foreign.privateKey),
      await hmac(pem),
      await hmac(JSON.stringify(ours)),
      await hmac(String(ours.x)),
      await hmac(''),
      tokens.accessToken,
    ];
    for (const hint of forged) {
      const response = responseOf(await ask(browser, { id_token_hint: hint }));
      expect(response.get('error'), hint.slice(0, 60)).toBe('invalid_request');
    }
  });

  it('A-070 A-071 takes login_hint into the form, and accepts what it does not use', async () => {
    const browser = new Browser();
    const first = await ask(browser, {
      login_hint: 'ada"@example.com',
      ui_locales: 'de-AT fr',
      claims_locales: 'de',
      acr_values: '1',
      display: 'popup',
      claims: '{"userinfo":{}}',
    });
    const html = await (await browser.follow(first, server.issuer)).text();
    expect(html).toContain('value="ada&quot;@example.com"');
    expect(html).toContain('<html lang="de"');
  });

  it('A-072 works without a nonce and returns one verbatim', async () => {
    const nonce = 'n "+/ü';
    const code = await obtainCode(server.issuer, pkce, { nonce });
    const { idToken } = tokensOf(await exchange(server.issuer, code, pkce));
    expect(decodeJwt(idToken)['nonce']).toBe(nonce);
    const without = await obtainTokens(server.issuer);
    expect(decodeJwt(without.idToken)).not.toHaveProperty('nonce');
  });
});
