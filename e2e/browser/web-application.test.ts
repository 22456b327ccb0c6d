import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { openReader, signInAt, type Reader } from '../harness/web-application.ts';

describe.skipIf(!chromiumPath)(
  `examples/web in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let ed: Reader;

    beforeAll(async () => {
      browser = await startChromium();
      ed = await openReader(browser);
    });
    afterAll(() => browser.close());

    it('signs in, shows the newest posts and more of them, a post with its comments, and takes a comment', async () => {
      const { page, complaints } = ed;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectUsable(page, 'en-GB');
      await signInAt(page, demoPeople.ed);
      const articles = page.getByRole('article');
      await articles.nth(11).waitFor();
      await expectUsable(page, 'en-GB');
      await page.mouse.wheel(0, 20_000);
      await articles.nth(23).waitFor();
      await articles.nth(2).getByRole('link').click();
      await page.getByLabel('Your comment').fill('Well said.');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.locator('.comment[data-confirmed=true]', { hasText: 'Well said.' }).waitFor();
      await expectUsable(page, 'en-GB');
      expect(complaints).toEqual([]);
    });
  },
);
