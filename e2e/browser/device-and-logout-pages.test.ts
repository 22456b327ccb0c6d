import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(
  `Pages for devices and for signing out in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser.close());

    it.each([
      ['en-GB', 'Connect a device'],
      ['de-DE', 'Gerät verbinden'],
      ['zh-CN', '连接设备'],
    ] as const)('are usable by everybody, light and dark (axe-core): %s (A-091)', async (locale, title) => {
      const context = await browser.newContext({ locale });
      const page = await context.newPage();
      await page.goto(`${issuer}/device`);
      await expectUsable(page, locale);
      await signIn(page);
      await page.getByRole('heading', { name: title }).waitFor();
      await expectUsable(page, locale);
      await page.locator('#user_code').fill('AAAA-AAAA');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await expectUsable(page, locale);
      await page.goto(await beginOnDevice());
      await page.locator('button[value=allow]').waitFor();
      await expectUsable(page, locale);
      await page.locator('button[value=deny]').click();
      await page.locator('form').waitFor({ state: 'detached' });
      await expectUsable(page, locale);
      await page.goto(`${issuer}/logout`);
      await expectUsable(page, locale);
      await page.locator('button[value=sign_out]').click();
      await page.locator('form').waitFor({ state: 'detached' });
      await expectUsable(page, locale);
      await page.goto(`${issuer}/authorize`);
      await expectUsable(page, locale);
      await context.close();
    });

    it('are led through by the keyboard alone', async () => {
      const context = await browser.newContext({ locale: 'en-GB' });
      const page = await context.newPage();
      const address = new URL(await beginOnDevice());
      await page.goto(`${issuer}/device`);
      expect(await focused(page)).toBe('email');
      await page.keyboard.type(demoPeople.vi.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(demoPassword);
      await page.keyboard.press('Enter');
      await page.locator('#user_code').waitFor();
      expect(await focused(page)).toBe('user_code');
      await page.keyboard.type(address.searchParams.get('user_code') ?? '');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Allow');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Deny');
      await page.keyboard.press('Enter');
      await page.getByText('The device gets no access.').waitFor();
      await page.goto(`${issuer}/logout`);
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Sign out');
      await page.keyboard.press('Enter');
      await page.locator('form').waitFor({ state: 'detached' });
      await page.goto(`${issuer}/account`);
      await page.getByLabel('Password').waitFor();
      await context.close();
    });

    it('need no JavaScript (A-075)', async () => {
      const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(await beginOnDevice());
      await signIn(page);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Done.').waitFor();
      await page.goto(`${issuer}/logout`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.locator('form').waitFor({ state: 'detached' });
      await context.close();
    });
  },
);

async function signIn(page: Page): Promise<void> {
  await page.locator('#email').fill(demoPeople.vi.email);
  await page.locator('#password').fill(demoPassword);
  await page.locator('button').click();
}

/** The id of what has the focus, or its text. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
}

/** A device asks. @returns the address that it shows */
async function beginOnDevice(): Promise<string> {
  const response = await fetch(`${issuer}/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'television', scope: 'openid read:data' }),
  });
  const { verification_uri_complete: address } = (await response.json()) as Record<string, string>;
  return address ?? '';
}
