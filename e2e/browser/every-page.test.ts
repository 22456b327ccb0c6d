import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectReachable, expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { gateway, issuer, web, operations } = sharedPlatform().addresses;
const origins = new Set([gateway, issuer, web, operations].map((address) => new URL(address).origin));

/** Where someone begins; what these lead to is found by their links. */
const beginnings = [
  `${gateway}/`,
  `${operations}/gateway`,
  `${web}/`,
  `${issuer}/`,
  `${issuer}/console`,
  `${issuer}/device`,
  `${gateway}/nothing-here`,
  `${web}/nothing-here`,
  `${issuer}/nothing-here`,
  `${issuer}/console/nothing-here`,
  `${issuer}/link?token=none`,
];

/** Seen by those who have not signed in. */
const openPages = [
  `${gateway}/explorer`,
  `${web}/`,
  `${web}/search`,
  `${issuer}/account`,
  `${issuer}/sign-up`,
  `${issuer}/forgotten`,
  `${issuer}/authorize?client_id=unknown`,
  `${issuer}/logout`,
];

/** Links lead to so many pages at most; there are some thirty. */
const MOST_PAGES = 60;

describe.skipIf(!chromiumPath)(
  `Every page of the platform in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser.close());

    it('for those who have not signed in: loads from here alone, runs no inline script, fits, and is usable by all', async () => {
      const visitor = await openVisitor(browser);
      for (const url of openPages) await look(visitor, url);
      expect(visitor.wrongs).toEqual([]);
      await visitor.context.close();
    }, 120_000);

    it('for an administrator who has signed in everywhere, wherever links lead: the same', async () => {
      const visitor = await openVisitor(browser);
      const { page } = visitor;
      await page.goto(`${issuer}/account`);
      await page.getByLabel('E-mail address').fill(demoPeople.ada.email);
      await page.getByLabel('Password').fill(demoPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      await page.goto(web);
      await signInAtOnce(page);
      const waiting = [...beginnings];
      const seen = new Set<string>();
      while (waiting.length > 0 && seen.size < MOST_PAGES) {
        const url = waiting.shift() ?? '';
        if (seen.has(kindOf(url))) continue;
        seen.add(kindOf(url));
        waiting.push(...(await look(visitor, url)));
      }
      expect(visitor.wrongs).toEqual([]);
      expect(waiting.filter((url) => !seen.has(kindOf(url)))).toEqual([]);
      for (const path of ['/console/audit', '/console/clients/…', '/logout', '/account'])
        expect([...seen]).toContain(issuer + path);
      for (const url of [`${gateway}/explorer`, `${web}/posts/…`]) expect([...seen]).toContain(url);
      await visitor.context.close();
    }, 240_000);
  },
);

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly wrongs: string[];
}

async function openVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const wrongs: string[] = [];
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && !origins.has(url.origin.replace('ws:', 'http:')))
      wrongs.push(`request to ${request.url()}`);
    const isScript = request.resourceType() === 'script';
    if (isScript && url.origin === new URL(issuer).origin) wrongs.push(`script of the issuer: ${url.href}`);
  });
  context.on('console', (message) => {
    const isStatus = /status of 4\d\d/.test(message.text()); // of an error page
    if (message.type() === 'error' && !isStatus) wrongs.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('weberror', (error) => wrongs.push(error.error().message));
  return { context, page: await context.newPage(), wrongs };
}

/** Looks at one page. @returns where its links lead on this platform */
async function look({ page, wrongs }: Visitor, url: string): Promise<readonly string[]> {
  await page.setViewportSize({ width: 1024, height: 768 });
  const response = await page.goto(url);
  const type = response?.headers()['content-type'] ?? '';
  if (!type.startsWith('text/html')) return []; // a link to JSON, such as that to the state of health
  wrongs.push(...problemsOf(response).map((problem) => `${url}: ${problem}`));
  await page.locator('h1').first().waitFor();
  const scripts = await page.evaluate(
    `document.querySelectorAll('script:not([src]), [onclick], [onload]').length`,
  );
  if (scripts !== 0) wrongs.push(`${url}: inline script`);
  await expectReachable(page);
  await expectUsable(page, 'en');
  await expectFitting(page);
  const links = await page.evaluate<string[]>(`[...document.links].map(({ href }) => href)`);
  return links.filter((link) => origins.has(new URL(link).origin));
}

function problemsOf(response: Response | null): readonly string[] {
  const policy = response?.headers()['content-security-policy'] ?? '';
  return [
    ...(policy.includes("default-src 'none'") ? [] : ['no policy of its own']),
    ...(policy.includes("frame-ancestors 'none'") ? [] : ['may be in a frame']),
    ...(/unsafe|\*|https?:(?!\/\/(?:localhost|127\.0\.0\.1))/.test(policy)
      ? [`a policy that lets too much in: ${policy}`]
      : []),
  ];
}

/** One of each kind is enough: `/posts/…`. */
function kindOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/(posts|accounts|clients)\/[^/]+/, '/$1/…');
}

/** The auth-server's session goes on: no password is asked for. */
async function signInAtOnce(page: Page): Promise<void> {
  await page.locator('main button').click();
  const allow = page.locator('button[name=decision]').first();
  const account = page.locator('.whoami');
  await allow.or(account).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await account.waitFor();
}
