import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminScopes } from '../../clients/scopes.ts';
import { chineseConsole } from '../../pages/texts/chinese-console.ts';
import { englishConsole } from '../../pages/texts/english-console.ts';
import { germanConsole } from '../../pages/texts/german-console.ts';
import { addClient } from '../../testing/add-client.ts';
import { basic, postForm, submitSignIn } from '../../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';
import { CLIENT_SECRET } from '../../testing/test-clients.ts';
import { consoleActions } from './console-actions.ts';
import { allOperations } from '../admin/operations.ts';

const [ada, ed] = demoAccounts;

let server: TestAuthServer;
let operator: Browser;
beforeAll(async () => {
  server = await startTestAuthServer({ ADMIN_API: 'true', LOG_LEVEL: 'info' });
  operator = await signedIn('ada@example.com');
  await addClient(server, {
    client_id: 'machine-room',
    client_secret: CLIENT_SECRET,
    grant_types: ['client_credentials'],
    scope: 'auth:admin',
  });
});
afterAll(() => server.stop());

async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser();
  const page = await browser.follow(await browser.get(`${server.issuer}/account`), server.issuer);
  await submitSignIn(browser, page, email, demoPassword);
  return browser;
}

/** By the admin API, so that the server has no older registration in mind. */
async function administer(method: string, path: string, body?: unknown): Promise<void> {
  const form = { grant_type: 'client_credentials', scope: 'auth:admin', resource: `${server.issuer}/admin` };
  const { body: tokens } = await postForm(`${server.issuer}/token`, form, basic('machine-room'));
  const response = await fetch(`${server.issuer}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${String(tokens['access_token'])}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([method, path, response.ok]).toEqual([method, path, true]);
}

/** Registers the console for some scopes. */
function allow(...scopes: readonly string[]): Promise<void> {
  return administer('PUT', '/clients/trellis-console', metadataFor(scopes));
}

function metadataFor(scopes: readonly string[]): Record<string, unknown> {
  return { grant_types: [], token_endpoint_auth_method: 'none', scope: scopes.join(' ') };
}

/** All that a language says by fixed words. */
function textsIn(texts: object): readonly string[] {
  return Object.values(texts).flatMap((text: unknown) => {
    if (typeof text === 'string') return [text];
    return typeof text === 'object' && text !== null ? textsIn(text) : [];
  });
}

const open = (path: string, browser = operator): Promise<Response> =>
  browser.get(`${server.issuer}/console${path}`);

/** Sends a form of a page. */
async function send(path: string, action: string, fields: Record<string, string>): Promise<Response> {
  const csrf = csrfIn(await (await open(path)).text());
  return operator.post(`${server.issuer}/console/actions/${action}`, { csrf, ...fields });
}

function csrfIn(html: string): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
}

/** Every page, and the one scope beside the console's own that shows it. */
const pages: readonly (readonly [path: string, scope: string])[] = [
  ['/accounts', 'auth:accounts:read'],
  [`/accounts/${ed?.id ?? ''}`, 'auth:accounts:read'],
  ['/clients', 'auth:clients:read'],
  ['/clients/spa', 'auth:clients:read'],
  ['/keys', 'auth:keys:read'],
  ['/audit', 'auth:audit:read'],
  ['/mail', 'auth:mail:read'],
  ['/graph', 'auth:graph:read'],
];

describe('A-266: the console', () => {
  it('has a form for every operation of the admin API that changes something', () => {
    const inConsole = Object.values(consoleActions).map(({ operation }) => operation.id);
    const changing = allOperations.filter(({ method }) => method !== 'GET').map(({ id }) => id);
    expect(new Set(inConsole)).toEqual(new Set(changing));
  });

  it('asks to sign in, comes back, and is for administrators', async () => {
    const browser = new Browser();
    const page = await browser.follow(await open('/keys', browser), server.issuer);
    const back = await submitSignIn(browser, page, 'ada@example.com', demoPassword);
    expect(back.headers.get('location')).toBe(`${server.issuer}/console/keys`);
    const other = await open('', await signedIn('ed@example.com'));
    expect([other.status, await other.text()]).toEqual([
      403,
      expect.stringContaining('Your account may not do this.'),
    ]);
  });

  it('A-074 A-075 A-077 has the headers of every page, and no script', async () => {
    const page = await open('/accounts');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self';/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/script-src|unsafe/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).not.toMatch(/<script|\son\w+=/);
  });

  it('A-080 A-081 takes no form of another site, session or browser', async () => {
    const csrf = csrfIn(await (await open('/keys')).text());
    const url = `${server.issuer}/console/actions/rotateKeys`;
    expect((await operator.post(url, { csrf: '' })).status).toBe(403);
    expect((await operator.post(url, { csrf }, { origin: 'https://evil.example' })).status).toBe(403);
    const other = await signedIn('ada@example.com');
    expect((await other.post(url, { csrf })).status).toBe(403);
    expect((await new Browser().post(url, { csrf })).status).toBe(303);
    expect((await operator.get(url)).status).toBe(405);
  });

  it('reports what is wrong, and changes nothing', async () => {
    const last = await send('/accounts', 'disableAccount', { id: ada?.id ?? '' });
    expect([last.status, await last.text()]).toEqual([
      409,
      expect.stringContaining('This is the last administrator.'),
    ]);
    const nonsense = await send('/clients', 'replaceClient', { id: 'trellis-web', metadata: '{' });
    expect([nonsense.status, await nonsense.text()]).toEqual([
      400,
      expect.stringContaining('The metadata is not JSON.'),
    ]);
    const declared = await send('/clients', 'removeClient', { id: 'spa' });
    expect([declared.status, await declared.text()]).toEqual([409, expect.stringContaining('clients file')]);
    for (const path of ['/accounts/none', '/clients/none', '/nothing'])
      expect((await operator.get(`${server.issuer}/console${path}`, { accept: 'text/html' })).status).toBe(
        404,
      );
  });

  it('A-267: shows each page, and takes each form, by its own scope alone', async () => {
    const narrow = adminScopes.filter((scope) => scope !== 'auth:admin' && scope !== 'auth:console');
    const halves = [
      narrow.filter((scope) => /accounts|keys|graph|audit:/.test(scope)),
      narrow.filter((scope) => /clients|grants|mail/.test(scope)),
    ];
    for (const held of halves) {
      await allow('auth:console', ...held);
      for (const [path, scope] of pages) {
        expect([path, (await open(path)).status]).toEqual([path, held.includes(scope) ? 200 : 403]);
      }
      const html = await (await open('')).text();
      const shown = [...html.matchAll(/<li><a href="([^"?]*\/console\/\w+)">/g)].map(([, href]) => href);
      const allowed = pages.filter(([path, scope]) => !path.slice(1).includes('/') && held.includes(scope));
      expect(shown).toEqual(allowed.map(([path]) => `${server.issuer}/console${path}`));
      const [readable] = pages.find(([, scope]) => held.includes(scope)) ?? [''];
      for (const [action, { operation }] of Object.entries(consoleActions)) {
        if (held.includes(operation.scope)) continue;
        const response = await send(readable, action, { id: 'none' });
        expect([action, response.status]).toEqual([action, 403]);
        expect(await response.text()).toContain(`Needs ${operation.scope}.`);
      }
    }
    await allow('auth:admin');
  });

  it.each([germanConsole, chineseConsole])(
    'A-285: is in the language of its operator: $title has no words of another',
    async (words) => {
      const language = words === germanConsole ? 'de' : 'zh';
      const own = new Set(textsIn(words));
      const others = new Set(textsIn(englishConsole).filter((text) => !own.has(text)));
      const html = await Promise.all(
        ['', ...pages.map(([path]) => path)].map(async (path) => {
          const page = await operator.get(`${server.issuer}/console${path}`, { 'accept-language': language });
          return page.text();
        }),
      );
      const csrf = html.map(csrfIn).find((found) => found !== '') ?? '';
      for (const [action, form] of [
        ['rotateKeys', {}],
        ['resetAccount', { id: ed?.id ?? '' }],
        ['removeMail', { id: 'none' }],
      ] as const) {
        const url = `${server.issuer}/console/actions/${action}`;
        const done = await operator.post(url, { csrf, ...form }, { 'accept-language': language });
        const shown = done.headers.get('location');
        const page = shown === null ? done : await operator.get(shown, { 'accept-language': language });
        html.push(await page.text());
      }
      for (const page of html) {
        expect(page).toContain(`<html lang="${language}"`);
        const shown = [...page.matchAll(/>([^<>]+)<|aria-label="([^"]*)"|data-label="([^"]*)"/g)];
        const texts = shown.map(([, text, label, column]) => (text ?? label ?? column ?? '').trim());
        expect(texts.filter((text) => others.has(text))).toEqual([]);
      }
      expect(html.join('')).toContain(words.done.rotateKeys);
      expect(html.join('')).toContain(words.result.unchanged);
    },
  );

  it('A-265: does not exist without its scope, nor by a client that registered itself', async () => {
    await allow('auth:accounts:read');
    expect((await open('/accounts')).status).toBe(404);
    await administer('DELETE', '/clients/trellis-console');
    expect((await open('')).status).toBe(404);
    const metadata = { client_id: 'trellis-console', ...metadataFor(['auth:admin']) };
    await administer('POST', '/clients', { ...metadata, unvetted: true });
    expect((await open('')).status).toBe(404);
    await administer('PUT', '/clients/trellis-console', metadata);
    expect((await open('')).status).toBe(200);
  });
});

describe('A-266: to change something', () => {
  it('an operator has signed in not long ago; else the console asks for it, and does nothing', async () => {
    const clock = vi.spyOn(Date, 'now'); // before the server takes it as its clock
    const strict = await startTestAuthServer({ ADMIN_API: 'true', ADMIN_SIGN_IN_MAX_AGE_S: '60' });
    try {
      const browser = new Browser();
      const page = await browser.follow(await browser.get(`${strict.issuer}/console/keys`), strict.issuer);
      await submitSignIn(browser, page, 'ada@example.com', demoPassword);
      const shown = await browser.get(`${strict.issuer}/console/keys`);
      const csrf = csrfIn(await shown.text());
      const later = Date.now() + 61_000;
      clock.mockImplementation(() => later);
      expect((await browser.get(`${strict.issuer}/console/keys`)).status).toBe(200);
      const asked = await browser.post(`${strict.issuer}/console/actions/rotateKeys`, { csrf });
      expect(asked.headers.get('location')).toContain('/login?transaction=');
      expect(strict.log.some((line) => line.includes('"operation":"rotateKeys"'))).toBe(false);
    } finally {
      clock.mockRestore();
      await strict.stop();
    }
  });
});
