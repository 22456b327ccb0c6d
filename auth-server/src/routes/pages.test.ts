import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  submitConsent,
  submitSignIn,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const pkce = createPkce();

async function openSignIn(browser: Browser, changes: Record<string, string> = {}): Promise<Response> {
  return browser.follow(await browser.get(authorizationUrl(server.issuer, pkce, changes)), server.issuer);
}

async function openConsent(
  browser: Browser,
  changes: Record<string, string> = { prompt: 'consent' },
): Promise<Response> {
  const signedIn = await submitSignIn(browser, await openSignIn(browser, changes));
  return browser.follow(signedIn, server.issuer);
}

describe('headers of pages', () => {
  it('A-074 A-075 A-077 A-002 forbid frames, scripts, sniffing, referrers and caching', async () => {
    const browser = new Browser();
    const pages = [
      await openSignIn(browser),
      await openConsent(new Browser()),
      await fetch(`${server.issuer}/authorize`),
    ];
    for (const page of pages) {
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src|unsafe/);
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(await page.text()).not.toMatch(/<script|\son\w+=/);
    }
  });

  it.each([
    [{}, "form-action 'self' https://app.example;"],
    [
      { client_id: 'native', redirect_uri: 'com.example.app:/callback' },
      "form-action 'self' com.example.app:;",
    ],
    [
      { client_id: 'native', redirect_uri: 'http://127.0.0.1:5151/callback' },
      "form-action 'self' http://127.0.0.1:5151;",
    ],
  ])('A-076 names the redirect target of %j in form-action', async (changes, expected) => {
    const browser = new Browser();
    const page = await openSignIn(browser, changes);
    expect(page.headers.get('content-security-policy')).toContain(expected);
  });

  it('L10: keep no opener, but for those that an application may show in a popup', async () => {
    const policyOf = (page: Response): string | null => page.headers.get('cross-origin-opener-policy');
    const account = await new Browser().follow(
      await fetch(`${server.issuer}/account`, { redirect: 'manual' }),
      server.issuer,
    );
    for (const page of [
      await fetch(`${server.issuer}/authorize`),
      await fetch(`${server.issuer}/logout`),
      account,
    ])
      expect(policyOf(page)).toBe('same-origin');
    expect(policyOf(await openSignIn(new Browser()))).toBeNull();
    expect(policyOf(await openConsent(new Browser()))).toBeNull();
  });

  it('A-079 keeps cookies from scripts, other sites and other hosts', async () => {
    const response = await fetch(authorizationUrl(server.issuer, pkce), { redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      expect(cookie).toContain('HttpOnly');
      expect(cookie).toContain('SameSite=Lax');
      expect(cookie).toContain('Path=/');
      expect(cookie).not.toContain('Domain');
    }
    expect(response.headers.getSetCookie()).toHaveLength(1);
  });

  it('A-004 answers posted forms with 303', async () => {
    const browser = new Browser();
    expect((await submitSignIn(browser, await openSignIn(browser))).status).toBe(303);
  });
});

describe('the sign-in page', () => {
  it('A-078 A-091 posts to this server, with labels and autocomplete', async () => {
    const page = await openSignIn(new Browser());
    const html = await page.text();
    expect(readForm(html, page.url).action).toBe(`${server.issuer}/login`);
    expect(html).toContain('autocomplete="username"');
    expect(html).toContain('autocomplete="current-password"');
    expect(html).toContain('<label for="email">');
    expect(html).toContain('<label for="password">');
    expect(html).toContain('<html lang="en" dir="ltr">');
  });

  it('A-080 works in no other browser than the one it was made for', async () => {
    const browser = new Browser();
    const page = await openSignIn(browser);
    const elsewhere = new Browser();
    await openSignIn(elsewhere);
    for (const other of [new Browser(), elsewhere]) {
      expect((await other.get(page.url)).status).toBe(403);
      const copy = new Response(await page.clone().text());
      Object.defineProperty(copy, 'url', { value: page.url });
      const submitted = await submitSignIn(other, copy);
      expect(submitted.status).toBe(403);
      expect(other.cookies.get('trellis-session')).toBeUndefined();
    }
  });

  it('A-081 wants the hidden token, and rejects forms of other sites', async () => {
    const browser = new Browser();
    const page = await openSignIn(browser);
    const { action, fields } = readForm(await page.text(), page.url);
    const form = { ...fields, email: 'ada@example.com', password: 'correct horse battery staple' };
    expect((await browser.post(action, { ...form, csrf: '' })).status).toBe(403);
    expect((await browser.post(action, { ...form, csrf: 'x'.repeat(43) })).status).toBe(403);
    expect((await browser.post(action, form, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.post(action, form, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await browser.post(action, form, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
    expect((await browser.post(action, form, own)).status).toBe(303);
  });

  it('A-083 gives a new session at each sign-in and ends the old one', async () => {
    const browser = new Browser();
    browser.cookies.set('trellis-session', 'planted-by-attacker');
    await openConsent(browser);
    const first = browser.cookies.get('trellis-session');
    expect(first).not.toBe('planted-by-attacker');
    await openConsent(browser, { prompt: 'login' });
    expect(browser.cookies.get('trellis-session')).not.toBe(first);
    const old = new Browser();
    old.cookies.set('trellis-session', first ?? '');
    const result = responseOf(await old.get(authorizationUrl(server.issuer, pkce, { prompt: 'none' })));
    expect(result.get('error')).toBe('login_required');
  });

  it('A-086 shows the same page with the same status for a wrong password and an unknown user', async () => {
    const submit = async (email: string): Promise<{ status: number; html: string }> => {
      const browser = new Browser();
      const result = await submitSignIn(browser, await openSignIn(browser), email, 'wrong');
      const html = await result.text();
      return { status: result.status, html: html.replaceAll(/value="[^"]*"/g, '') };
    };
    const [known, unknown] = [await submit('ada@example.com'), await submit('unknown@example.com')];
    expect(known).toEqual(unknown);
    expect(known.status).toBe(403);
    expect(known.html).toContain('role="alert"');
  });

  it('M9: rejects a password that goes on after the 1,024 characters of the right one', async () => {
    const password = randomBytes(512).toString('hex');
    const account = ['--email', 'long@example.com', '--name', 'Long', '--role', 'VIEWER', '--password-stdin'];
    expect(await runCommand(server, ['accounts', 'add', ...account], password)).toMatchObject({ status: 0 });
    const statusOf = async (typed: string): Promise<number> => {
      const browser = new Browser();
      return (await submitSignIn(browser, await openSignIn(browser), 'long@example.com', typed)).status;
    };
    expect([await statusOf(`${password}x`), await statusOf(password)]).toEqual([403, 303]);
  });

  it('A-087 takes as long for an unknown user as for a wrong password', async () => {
    // Processor time of this process, hashing included: other processes of a busy machine add nothing to it.
    const time = async (email: string): Promise<number> => {
      const browser = new Browser();
      const page = await openSignIn(browser);
      const start = process.cpuUsage();
      await submitSignIn(browser, page, email, 'wrong');
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const median = (values: number[]): number =>
      values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    const ratios: number[] = [];
    for (let round = 0; round < 15; round += 1) {
      const known = await time('vi@example.com');
      ratios.push((await time(`unknown-${round}@example.com`)) / known);
    }
    expect(median(ratios)).toBeGreaterThan(1 / 2);
    expect(median(ratios)).toBeLessThan(2);
  });
});

describe('the consent page', () => {
  it('A-084 names the client and the scopes in words, escaped, with a way to deny', async () => {
    const page = await openConsent(new Browser(), { prompt: 'consent', scope: 'openid email write:data' });
    const html = await page.text();
    expect(html).toContain('The &lt;b&gt;Web&lt;/b&gt; App would like to');
    expect(html).toContain('see your e-mail address');
    expect(html).toContain('write posts and comments in your name');
    expect(html).toContain('value="deny"');
  });

  it('A-085 answers a denial with access_denied, state and iss', async () => {
    const browser = new Browser();
    const result = responseOf(await submitConsent(browser, await openConsent(browser), 'deny'));
    expect(result.get('error')).toBe('access_denied');
    expect(result.get('state')).toBe('the-state');
    expect(result.get('iss')).toBe(server.issuer);
    expect(result.get('code')).toBeNull();
  });

  it('A-082 is bound to the session and the transaction, and works once', async () => {
    const browser = new Browser();
    const page = await openConsent(browser);
    const { action, fields } = readForm(await page.text(), page.url);
    const withoutSession = new Browser();
    withoutSession.cookies.set('trellis-browser', browser.cookies.get('trellis-browser') ?? '');
    expect((await withoutSession.post(action, { ...fields, decision: 'allow' })).status).toBe(403);
    const second = await openConsent(browser, { prompt: 'consent login' });
    const other = readForm(await second.text(), second.url);
    const mixed = { ...fields, csrf: other.fields['csrf'] ?? '', decision: 'allow' };
    expect((await browser.post(action, mixed)).status).toBe(403);
    const good = { ...other.fields, decision: 'allow' };
    const responses = await Promise.all([
      browser.post(action, good),
      browser.post(action, good),
      browser.post(action, good),
    ]);
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 403)).toHaveLength(2);
  });

  it('A-082 is not for another user who has signed in meanwhile', async () => {
    const browser = new Browser();
    const page = await openConsent(browser);
    const { action, fields } = readForm(await page.text(), page.url);
    await submitSignIn(browser, await openSignIn(browser, { prompt: 'login' }), 'ed@example.com');
    expect((await browser.post(action, { ...fields, decision: 'allow' })).status).toBe(403);
  });

  it('A-089 keeps two tabs apart', async () => {
    const browser = new Browser();
    const first = await browser.get(
      authorizationUrl(server.issuer, pkce, { state: 'tab-1', scope: 'openid' }),
    );
    const second = await browser.get(
      authorizationUrl(server.issuer, pkce, { state: 'tab-2', scope: 'openid email' }),
    );
    const response2 = responseOf(await completePages(browser, second, server.issuer));
    const response1 = responseOf(await completePages(browser, first, server.issuer));
    expect(response1.get('state')).toBe('tab-1');
    expect(response2.get('state')).toBe('tab-2');
    expect(response1.get('code')).not.toBe(response2.get('code'));
  });

  it('A-089 keeps a consent page good when the same user signs in again in another tab', async () => {
    const browser = new Browser();
    const [firstLogin, secondLogin] = [
      await openSignIn(browser, { state: 'tab-1', prompt: 'consent' }),
      await openSignIn(browser, { state: 'tab-2', prompt: 'consent' }),
    ];
    const firstConsent = await browser.follow(await submitSignIn(browser, firstLogin), server.issuer);
    const secondConsent = await browser.follow(await submitSignIn(browser, secondLogin), server.issuer);
    expect(responseOf(await submitConsent(browser, secondConsent)).get('state')).toBe('tab-2');
    expect(responseOf(await submitConsent(browser, firstConsent)).get('state')).toBe('tab-1');
  });
});

describe('languages', () => {
  it.each([
    ['de-CH,de;q=0.9,en;q=0.8', 'de', 'Anmelden'],
    ['fr;q=1, zh-CN;q=0.5', 'zh', '登录'],
    ['xx', 'en', 'Sign in'],
    ['de;q=0, en', 'en', 'Sign in'],
  ])('Accept-Language %j gives %s', async (acceptLanguage, language, title) => {
    const browser = new Browser();
    const first = await browser.get(authorizationUrl(server.issuer, pkce));
    const page = await browser.get(first.headers.get('location') ?? '', {
      'accept-language': acceptLanguage,
    });
    const html = await page.text();
    expect(html).toContain(`<html lang="${language}"`);
    expect(html).toContain(`<title>${title} · Trellis</title>`);
  });
});
