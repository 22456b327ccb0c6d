import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from '../harness/accessibility.ts';
import { startCallbackServer, type CallbackServer } from '../harness/callback-server.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { discover, exchangeCode, prepareRequest, type AuthorizationRequest } from '../harness/sign-in.ts';

const { issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(`Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`, () => {
  let browser: Browser;
  let callback: CallbackServer;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    [browser, callback] = await Promise.all([startChromium(), startCallbackServer()]);
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  afterAll(async () => {
    await Promise.all([browser.close(), callback.close()]);
  });

  it('signs in and consents without JavaScript, and is let through to the client by the policy of the pages (A-075, A-076)', async () => {
    const { page, request } = await openRequest({ javaScriptEnabled: false });
    await fillIn(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Back' }).waitFor();
    const tokens = await exchangeCode(await discover(issuer), new URL(page.url()), request);
    expect(tokens.access_token).toEqual(expect.any(String));
  });

  it('brings a denial back to the client (A-085)', async () => {
    const { page, request } = await openRequest({ javaScriptEnabled: false });
    await fillIn(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Back' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      error: 'access_denied',
      state: request.state,
    });
  });

  it('says so when the password is wrong, and lets the user try again (A-086)', async () => {
    const { page } = await openRequest({ javaScriptEnabled: false });
    await fillIn(page, 'not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('E-mail address or password is wrong.');
    await page.getByLabel('Password').fill(demoPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  });

  it('keeps two tabs apart (A-089)', async () => {
    const first = await openRequest({});
    const second = await openRequest({}, first.context);
    await fillIn(first.page);
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.reload();
    await fillIn(second.page);
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    for (const { page, request } of [second, first]) {
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Back' }).waitFor();
      expect(new URL(page.url()).searchParams.get('state')).toBe(request.state);
    }
  });

  it('is led through by the keyboard alone', async () => {
    const { page } = await openRequest({});
    expect(await page.evaluate('document.activeElement?.id')).toBe('email');
    await page.keyboard.type(demoPeople.ada.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(demoPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Allow');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Back' }).waitFor();
  });

  it.each(['en-GB', 'de-DE', 'zh-CN'])(
    'finds pages that everybody can use, light and dark (axe-core): %s (A-091)',
    async (locale) => {
      const { page } = await openRequest({ locale });
      await expectUsable(page, locale);
      await page.locator('#email').fill(demoPeople.ada.email);
      await page.locator('#password').fill('not the password');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await expectUsable(page, locale);
      await page.locator('#password').fill(demoPassword);
      await page.keyboard.press('Enter');
      await page.locator('button[value=allow]').waitFor();
      await expectUsable(page, locale);
      await page.goto(`${issuer}/authorize?client_id=unknown`);
      await expectUsable(page, locale);
    },
  );

  it('reports nothing against the content security policy', async () => {
    const { page } = await openRequest({});
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.reload();
    await fillIn(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Back' }).waitFor();
    expect(complaints.filter((text) => /Content Security Policy|Refused to/i.test(text))).toEqual([]);
  });

  /** A new tab, with an authorization request of the native demo client in it. */
  async function openRequest(
    options: BrowserContextOptions,
    known?: BrowserContext,
  ): Promise<{ page: Page; context: BrowserContext; request: AuthorizationRequest }> {
    const context = known ?? (await browser.newContext({ locale: 'en-GB', ...options }));
    if (!known) contexts.push(context);
    const request = await prepareRequest(await discover(issuer), {
      parameters: { redirect_uri: callback.redirectUri },
    });
    const page = await context.newPage();
    await page.goto(request.url.href);
    return { page, context, request };
  }
});

async function fillIn(page: Page, password: string = demoPassword): Promise<void> {
  await page.getByLabel('E-mail address').fill(demoPeople.ada.email);
  await page.getByLabel('Password').fill(password);
}
