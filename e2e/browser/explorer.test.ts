import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { gateway, graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

describe.skipIf(!chromiumPath)(
  `The explorer in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    /** What must not be: errors on the console, and requests to other hosts. */
    const wrongs: string[] = [];
    let clicks = 0;

    beforeAll(async () => {
      browser = await startChromium();
      context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
      page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') wrongs.push(message.text());
      });
      page.on('pageerror', ({ message }) => wrongs.push(message));
      context.on('request', (request) => {
        const { origin } = new URL(request.url());
        if (![new URL(gateway).origin, new URL(issuer).origin].includes(origin)) wrongs.push(request.url());
      });
    });
    afterAll(() => browser.close());

    async function click(locator: Locator): Promise<void> {
      clicks += 1;
      await locator.click();
    }

    it('A1: five clicks lead from the landing page to a signed-in, deferred response and to an event', async () => {
      await page.goto(gateway);
      await expectUsable(page, 'en-GB');
      await click(page.getByRole('link', { name: 'Open the explorer' }));
      await click(page.getByRole('button', { name: 'Sign in' }));
      await page.getByLabel('E-mail address').fill(demoPeople.ada.email);
      await page.getByLabel('Password').fill(demoPassword);
      await click(page.getByRole('button', { name: 'Sign in' }));
      await page.getByText('Signed in as Ada Marlow').waitFor();
      await click(page.getByRole('button', { name: 'The newest posts' }));
      await page.getByText(/^\d+ ms, /).waitFor();
      const response = page.getByRole('region', { name: 'Response' });
      await response.getByText('"commentCount"').first().waitFor();
      await response.getByText(/^Part 2 after/).waitFor();
      await click(page.getByRole('button', { name: 'Each new post' }));
      await page.getByText('Streaming: 0 received').waitFor();
      await expect.poll(publishUntil(() => page.getByText(/^Streaming: [1-9]/).count())).toBeGreaterThan(0);
      await response.getByText('"Seen in the explorer').first().waitFor();
      expect(clicks).toBe(5);
      await expectUsable(page, 'en-GB');
      expect(wrongs).toEqual([]);
    });

    it('stops, signs out, and leaves no token in the browser', async () => {
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped').waitFor();
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('eyJ');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('eyJ');
      expect(wrongs).toEqual([]);
    });
  },
);

/** Publishes posts until one is noticed: a subscription may begin a moment after it is shown. */
function publishUntil<T>(look: () => Promise<T>): () => Promise<T> {
  let number = 0;
  return async () => {
    const token = await tokens.of('ed');
    number += 1;
    const variables = { title: `Seen in the explorer ${number} ${Date.now()}` };
    const query =
      'mutation ($title: String!) { createPost(input: { title: $title, body: "Yes." }) { success } }';
    dataOf(await askGraph(graph, { query, variables, token }));
    return look();
  };
}
