import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { startProgram } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(
  `Account pages in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let copy: Page;
    let token: string;
    beforeAll(async () => {
      [browser, token] = await Promise.all([startChromium(), resetToken()]);
      copy = await browser.newPage();
    });
    afterAll(() => browser.close());

    it.each([
      ['en-GB', 'Your account'],
      ['de-DE', 'Ihr Konto'],
      ['zh-CN', '您的账户'],
    ] as const)(
      'are usable by everybody, light and dark (axe-core), and without JavaScript: %s (A-075, A-091)',
      async (locale, title) => {
        const context = await browser.newContext({ locale, javaScriptEnabled: false });
        const page = await context.newPage();
        for (const path of ['sign-up', `link?token=${token}`, 'forgotten']) {
          await page.goto(`${issuer}/${path}`);
          await expectCopyUsable(page, locale);
        }
        await page.locator('#email').fill(`unknown.${locale}@example.com`);
        await page.locator('form button').click();
        await page.locator('form').waitFor({ state: 'detached' });
        await expectCopyUsable(page, locale);
        await page.goto(`${issuer}/account`);
        await page.locator('#email').fill(demoPeople.vi.email);
        await page.locator('#password').fill(demoPassword);
        await page.locator('button').click();
        await page.getByRole('heading', { name: title }).waitFor();
        await expectCopyUsable(page, locale);
        await page.locator('#password').fill('not the password');
        await page.locator('#new_password').fill('another password');
        await page.locator('form[action="account/password"] button').click();
        await page.getByRole('alert').waitFor();
        await expectCopyUsable(page, locale);
        await context.close();
      },
    );

    /** axe-core runs in a page of its own with scripts: the same markup and style, looked at rather than used. */
    async function expectCopyUsable(page: Page, locale: string): Promise<void> {
      await copy.setContent(await page.content());
      await expectUsable(copy, locale);
    }
  },
);

async function resetToken(): Promise<string> {
  const program = startProgram('auth-server', {
    args: ['accounts', 'reset', '--email', demoPeople.vi.email],
    environment: sharedPlatform().environment,
  });
  await program.ended(60_000);
  return new URL(program.output.standard.trim()).searchParams.get('token') ?? '';
}
