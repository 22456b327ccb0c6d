import { beforeAll, describe, expect, it } from 'vitest';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { FormBrowser, readForm, type Departure, type Page } from '@trellis/testkit/sign-in';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { discover, enterPassword, prepareRequest } from '../harness/sign-in.ts';

const { issuer } = sharedPlatform().addresses;

describe('The sign-in and consent pages', () => {
  let url: URL;

  beforeAll(async () => {
    ({ url } = await prepareRequest(await discover(issuer), { scope: 'openid profile read:data' }));
  });

  it('are stored by no cache, run no script, send no referrer (A-002, A-075, A-077)', async () => {
    const browser = new FormBrowser();
    const login = await showLogin(browser);
    const consent = asPage(await enterPassword(browser, login, demoPeople.ada));
    for (const { headers, document } of [login, consent]) {
      expect(headers.get('cache-control')).toContain('no-store');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/script-src|unsafe/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(document.querySelectorAll('script, [onclick], [onload]')).toEqual([]);
    }
  });

  it('are in English where nothing better fits, and label their fields (A-091)', async () => {
    const login = await showLogin(new FormBrowser());
    expect(login.document.querySelector('html')?.getAttribute('lang')).toBe('en');
    for (const name of ['email', 'password']) {
      const field = login.document.querySelector(`input[name=${name}]`);
      expect(login.document.querySelector(`label[for=${field?.id}]`)?.text).toBeTruthy();
    }
    expect(login.document.querySelector('input[name=password]')?.getAttribute('autocomplete')).toBe(
      'current-password',
    );
  });

  it('name the client, and in words what it may do (A-084)', async () => {
    const browser = new FormBrowser();
    const consent = asPage(await enterPassword(browser, await showLogin(browser), demoPeople.ada));
    const items = consent.document.querySelectorAll('li').map(({ text }) => text.trim());
    expect(items).toHaveLength(3);
    for (const item of items) expect(item).toMatch(/^[a-z][a-z ,’-]+$/);
  });

  it('keep cookies from scripts and from other sites (A-079)', async () => {
    const browser = new FormBrowser();
    asPage(await enterPassword(browser, await showLogin(browser), demoPeople.ada));
    expect(browser.jar.cookies.length).toBeGreaterThan(0);
    for (const { name, attributes } of browser.jar.cookies) {
      expect([name, attributes]).toEqual([name, expect.arrayContaining(['httponly', 'samesite=lax'])]);
      expect(attributes.some((attribute) => attribute.startsWith('domain='))).toBe(false);
    }
  });

  it('send a password by POST to the same origin, and answer with 303 (A-004, A-078)', async () => {
    const browser = new FormBrowser();
    const login = await showLogin(browser);
    const { action, fields } = readForm(login.html, login.url);
    expect(login.document.querySelector('form')?.getAttribute('method')?.toLowerCase()).toBe('post');
    expect(new URL(action).origin).toBe(issuer);
    const response = await fetch(action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.jar.header, origin: issuer },
      body: new URLSearchParams({ ...fields, email: demoPeople.ada.email, password: demoPassword }),
    });
    expect(response.status).toBe(303);
  });

  it('give a new session at sign-in (A-083)', async () => {
    const browser = new FormBrowser();
    const login = await showLogin(browser);
    const before = new Set(browser.jar.cookies.map(({ value }) => value));
    asPage(await enterPassword(browser, login, demoPeople.ada));
    expect(browser.jar.cookies.some(({ value }) => !before.has(value))).toBe(true);
  });

  it('answer a wrong password and an unknown account alike (A-086)', async () => {
    const [wrong, unknown] = await Promise.all(
      [demoPeople.ada, { email: 'unknown@example.com', role: 'VIEWER' } as const].map(async (user) => {
        const browser = new FormBrowser();
        return asPage(await enterPassword(browser, await showLogin(browser), user, 'not the password'));
      }),
    );
    expect(wrong?.status).toBe(unknown?.status);
    expect(wrong?.document.querySelector('[role=alert]')?.text).toBe(
      unknown?.document.querySelector('[role=alert]')?.text,
    );
    expect(wrong?.document.querySelector('input[type=password]')).not.toBeNull();
    expect(wrong?.html).not.toContain('not the password');
  });

  it('ask a user who fails too often to wait, known or not (A-088, A-013)', async () => {
    const unregistered = { email: 'unregistered@example.com', role: 'VIEWER' } as const;
    const browser = new FormBrowser();
    const login = await showLogin(browser);
    const responses: Page[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1)
      responses.push(asPage(await enterPassword(browser, login, unregistered, `guess ${attempt}`)));
    expect(responses.slice(0, 10).map(({ status }) => status)).not.toContain(429);
    expect(responses[10]?.status).toBe(429);
    expect(Number(responses[10]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('belong to the browser that opened them (A-080)', async () => {
    const login = await showLogin(new FormBrowser());
    for (const browser of [new FormBrowser(), await otherBrowser()]) {
      const result = await enterPassword(browser, login, demoPeople.ada);
      expect(asPage(result).status).toBeGreaterThanOrEqual(400);
    }
  });

  it('accept nothing that another site sends, nor a form without its token (A-081)', async () => {
    const browser = new FormBrowser();
    const login = await showLogin(browser);
    const { action, fields } = readForm(login.html, login.url);
    const filledIn = { ...fields, email: demoPeople.ada.email, password: demoPassword };
    expect(asPage(await browser.send(new URL(action), filledIn, 'https://evil.example')).status).toBe(403);
    const bare = await browser.send(new URL(action), { ...filledIn, csrf: 'x' }, issuer);
    expect(asPage(bare).status).toBeGreaterThanOrEqual(400);
  });

  it('take a decision once (A-082)', async () => {
    const browser = new FormBrowser();
    const consent = asPage(await enterPassword(browser, await showLogin(browser), demoPeople.ada));
    expect((await browser.submit(consent, { button: /^Allow/ })).kind).toBe('departure');
    expect(asPage(await browser.submit(consent, { button: /^Allow/ })).status).toBeGreaterThanOrEqual(400);
  });

  it('do not mix two requests of one browser (A-089)', async () => {
    const config = await discover(issuer);
    const browser = new FormBrowser();
    const first = await prepareRequest(config, { scope: 'openid' });
    const second = await prepareRequest(config, { scope: 'openid read:data' });
    const firstLogin = asPage(await browser.open(first.url));
    const secondLogin = asPage(await browser.open(second.url));
    const firstConsent = asPage(await enterPassword(browser, firstLogin, demoPeople.ada));
    const secondConsent = asPage(await enterPassword(browser, secondLogin, demoPeople.ada));
    const secondEnd = await browser.submit(secondConsent, { button: /^Allow/ });
    const firstEnd = await browser.submit(firstConsent, { button: /^Allow/ });
    expect(firstEnd.url.searchParams.get('state')).toBe(first.state);
    expect(secondEnd.url.searchParams.get('state')).toBe(second.state);
  });

  async function showLogin(browser: FormBrowser): Promise<Page> {
    return asPage(await browser.open(url));
  }

  async function otherBrowser(): Promise<FormBrowser> {
    const browser = new FormBrowser();
    await showLogin(browser);
    return browser;
  }
});

function asPage(result: Page | Departure): Page {
  if (result.kind !== 'page') throw new Error(`Sent to ${result.url.href} instead of being shown a page.`);
  return result;
}
