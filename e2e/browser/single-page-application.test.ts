import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleFiles } from '../documentation/example-program.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { documentedOrigin } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** The modules of the guide, as a page imports them. */
interface Guide {
  signIn(): Promise<void>;
  finishSignIn(): Promise<{ readonly email: string }>;
  signOut(): Promise<void>;
  accessToken(): Promise<string | undefined>;
  readonly store: {
    getAllKeys(): Promise<readonly string[]>;
    get(name: string): Promise<string | null>;
    set(name: string, text: string): Promise<void>;
  };
  fetchAuthorized(address: string, init?: RequestInit): Promise<Response>;
}

declare global {
  var guide: Guide; // in the page
}

const { issuer, graph } = sharedPlatform().addresses;
const require = createRequire(import.meta.url);
const LIBRARY = require.resolve('oidc-client-ts').replace(/dist\/.*$/, 'dist/esm/oidc-client-ts.js');
const JWT_DECODE = createRequire(LIBRARY)
  .resolve('jwt-decode')
  .replace(/build\/.*$/, 'build/esm/index.js');
const SHELL = `<!doctype html><html lang="en"><title>App</title><h1>App</h1>
<script type="importmap">{ "imports": { "oidc-client-ts": "/oidc-client-ts.js", "jwt-decode": "/jwt-decode.js" } }</script>
<script type="module">
  const modules = ['/store.js', '/session.js', '/request.js'].map((name) => import(name));
  globalThis.guide = Object.assign({}, ...(await Promise.all(modules)));
</script></html>`;

describe.skipIf(!chromiumPath)(
  `docs/clients/single-page-application.md in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let context: BrowserContext;
    let app: Server;
    let refreshes = 0;

    beforeAll(async () => {
      [browser, app] = await Promise.all([startChromium(), startApp()]);
      context = await browser.newContext({ locale: 'en-GB' });
      context.on('request', (request) => {
        if (request.url() === `${issuer}/token` && request.postData()?.includes('grant_type=refresh_token'))
          refreshes += 1;
      });
    });
    afterAll(async () => {
      await browser.close();
      await new Promise((resolve) => app.close(resolve));
    });

    it(
      'A2: signs in, lets one tab refresh while the others wait, asks the graph of another origin, and signs out',
      { timeout: 120_000 },
      async () => {
        const first = await openApp('/');
        await first.evaluate(() => void globalThis.guide.signIn());
        await first.getByLabel('E-mail address').fill(demoPeople.ada.email);
        await first.getByLabel('Password').fill(demoPassword);
        await first.getByRole('button', { name: 'Sign in' }).click();
        await first.getByRole('button', { name: 'Allow' }).click();
        await first.waitForFunction(() => 'guide' in globalThis);
        expect(await first.evaluate(() => globalThis.guide.finishSignIn())).toMatchObject({
          email: demoPeople.ada.email,
        });
        expect(first.url()).toBe(`${documentedOrigin}/`);
        const tabs = [first, await openApp('/'), await openApp('/')];
        for (let round = 1; round <= 3; round += 1) {
          await first.evaluate(makeTokenOld);
          const tokens = (await Promise.all(tabs.map(tokensOf))).flat();
          expect(new Set(tokens).size).toBe(1);
          expect(refreshes).toBe(round);
        }
        const result = await first.evaluate(
          async (address) => (await globalThis.guide.fetchAuthorized(address)).json() as unknown,
          `${issuer}/userinfo`,
        );
        expect(result).toMatchObject({ email: demoPeople.ada.email });
        const asked = await first.evaluate(
          async ({ address, body }) => {
            const headers = { 'content-type': 'application/json' };
            const response = await globalThis.guide.fetchAuthorized(address, {
              method: 'POST',
              headers,
              body,
            });
            return response.json();
          },
          { address: graph, body: JSON.stringify({ query: '{ me { email } }' }) },
        );
        expect(asked).toEqual({ data: { me: { email: demoPeople.ada.email } } });
        await first.evaluate(() => void globalThis.guide.signOut());
        await first.waitForURL(`${documentedOrigin}/signed-out**`);
        await first.waitForFunction(() => 'guide' in globalThis);
        expect(await first.evaluate(() => globalThis.guide.accessToken())).toBeUndefined();
      },
    );

    async function openApp(path: string): Promise<Page> {
      const page = await context.newPage();
      await page.goto(`${documentedOrigin}${path}`);
      await page.waitForFunction(() => 'guide' in globalThis);
      return page;
    }
  },
);

function tokensOf(tab: Page): Promise<(string | undefined)[]> {
  return tab.evaluate(() => Promise.all([1, 2, 3].map(() => globalThis.guide.accessToken())));
}

/** In the page: what is stored is as good as expired. */
async function makeTokenOld(): Promise<void> {
  const { store } = globalThis.guide;
  for (const name of await store.getAllKeys()) {
    const user = JSON.parse((await store.get(name)) ?? '') as Record<string, unknown>;
    await store.set(name, JSON.stringify({ ...user, expires_at: Math.floor(Date.now() / 1000) }));
  }
}

/** The origin of the application: its modules, and one page at every other path. */
async function startApp(): Promise<Server> {
  const server = createServer((request, response) => {
    const { contentType, body } = fileOf(new URL(request.url ?? '', documentedOrigin));
    response.writeHead(200, { 'content-type': contentType, connection: 'close' }).end(body);
  });
  const { hostname, port } = new URL(documentedOrigin);
  server.listen(Number(port), hostname);
  await once(server, 'listening');
  return server;
}

function fileOf({ pathname }: URL): { contentType: string; body: string } {
  const contentType = 'text/javascript';
  if (pathname === '/oidc-client-ts.js') return { contentType, body: readFileSync(LIBRARY, 'utf8') };
  if (pathname === '/jwt-decode.js') return { contentType, body: readFileSync(JWT_DECODE, 'utf8') };
  const module = exampleFiles('docs/clients/single-page-application.md').get(pathname.slice(1));
  if (module === undefined) return { contentType: 'text/html', body: SHELL };
  return { contentType, body: module.replaceAll('http://localhost:4001', issuer) };
}
