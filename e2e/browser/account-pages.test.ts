import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { runSession } from '../documentation/console-session.ts';

const { issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(
  `Account pages in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser.close());

    it.each([
      ['light', 'en-GB', 'Your account'],
      ['dark', 'de-DE', 'Ihr Konto'],
      ['light', 'zh-CN', '您的账户'],
    ] as const)(
      'are usable by everybody (axe-core) and without JavaScript: %s, %s (A-075, A-091)',
      { timeout: 180_000 },
      async (colorScheme, locale, title) => {
        const context = await browser.newContext({ colorScheme, locale, javaScriptEnabled: false });
        const page = await context.newPage();
        for (const path of ['sign-up', 'forgotten', `link?token=${await resetToken()}`]) {
          await page.goto(`${issuer}/${path}`);
          await expectUsable(page, colorScheme);
        }
        await page.goto(`${issuer}/account`);
        await page.locator('#email').fill(demoPeople.vi.email);
        await page.locator('#password').fill(demoPassword);
        await page.locator('button').click();
        await page.getByRole('heading', { name: title }).waitFor();
        await expectUsable(page, colorScheme);
        await page.locator('#password').fill('not the password');
        await page.locator('#new_password').fill('another password');
        await page.locator('form[action="account/password"] button').click();
        await page.getByRole('alert').waitFor();
        await expectUsable(page, colorScheme);
        await context.close();
      },
    );

    /** axe-core runs in a page of its own with scripts: the same markup and style, looked at rather than used. */
    async function expectUsable(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
      const scripted = await browser.newContext({ colorScheme });
      const copy = await scripted.newPage();
      await copy.setContent(await page.content());
      expect(await violations(copy), page.url()).toEqual([]);
      await scripted.close();
    }
  },
);

async function resetToken(): Promise<string> {
  const command = `npm run -s auth-server -- accounts reset --email ${demoPeople.vi.email}`;
  const [outcome] = await runSession([{ place: '', command, expected: '' }], sharedPlatform().environment);
  return new URL(outcome?.output.trim() ?? '').searchParams.get('token') ?? '';
}
