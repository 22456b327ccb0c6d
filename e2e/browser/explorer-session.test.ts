import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPeople } from '../harness/demo-people.ts';
import { openExplorer, signInToExplorer } from '../harness/explorer-page.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import type { WatchedPage } from '../harness/watched-page.ts';

const { gateway, issuer } = sharedPlatform().addresses;

interface StoredUser {
  readonly access_token: string;
  readonly refresh_token: string;
}

describe.skipIf(!chromiumPath)(
  `The explorer’s session in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let explorer: WatchedPage;
    let page: Page;
    beforeAll(async () => {
      browser = await startChromium();
      explorer = await openExplorer(browser);
      ({ page } = explorer);
      await signInToExplorer(page, demoPeople.vi);
    });
    afterAll(() => browser.close());

    it('renews itself before its token expires, and no one notices', async () => {
      const before = await storedUser(page);
      await age(page, 61); // a renewal comes a minute before the end
      await page.reload();
      await expect.poll(async () => (await storedUser(page)).access_token).not.toBe(before.access_token);
      await page.getByText('Signed in as Vi Castellan').waitFor();
      expect(await runWhoAmI(page)).toContain('vi@example.com');
      expect(explorer.wrongs).toEqual([]);
    });

    it('goes on after a page that was closed in mind, or asleep, for longer than its token lasts', async () => {
      const before = await storedUser(page);
      await age(page, -600);
      await page.reload();
      await page.getByText('Signed in as Vi Castellan').waitFor();
      expect((await storedUser(page)).access_token).not.toBe(before.access_token);
      expect(await runWhoAmI(page)).toContain('vi@example.com');
    });

    it('outlives a network that is lost while it is renewed', async () => {
      const before = await storedUser(page);
      await age(page, 62);
      await page.reload();
      await page.getByText('Signed in as Vi Castellan').waitFor();
      await explorer.context.setOffline(true);
      await page.waitForEvent('requestfailed', (request) => request.url().endsWith('/token'));
      await page.getByText('Signed in as Vi Castellan').waitFor();
      await explorer.context.setOffline(false);
      await expect.poll(async () => (await storedUser(page)).access_token).not.toBe(before.access_token);
      await page.getByText('Signed in as Vi Castellan').waitFor();
      const others = explorer.wrongs.splice(0).filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'));
      expect(others).toEqual([]);
    });

    it('is each tab’s own: a duplicated one goes on signed in, and so does the first, when both have renewed', async () => {
      const copied = (await storedUser(page)).refresh_token;
      const opened = page.waitForEvent('popup');
      await page.evaluate('window.open(location.href), undefined'); // as by duplicating, the other tab gets a copy
      const copy = await opened;
      await copy.getByText('Signed in as Vi Castellan').waitFor();
      const both = [page, copy];
      const tokens = await Promise.all(both.map(async (tab) => (await storedUser(tab)).refresh_token));
      expect(tokens[0]).toBe(copied);
      expect(tokens[1]).not.toBe(copied);
      await Promise.all(both.map((tab) => age(tab, -600)));
      await Promise.all(both.map((tab) => tab.reload()));
      for (const tab of both) {
        await tab.getByText('Signed in as Vi Castellan').waitFor();
        expect(await runWhoAmI(tab)).toContain('vi@example.com');
      }
      await copy.close();
      expect(explorer.wrongs).toEqual([]);
    });

    it('is over when the issuer has ended it, and the page says so by offering to sign in', async () => {
      const { refresh_token: token } = await storedUser(page);
      const body = new URLSearchParams({ client_id: 'trellis-explorer', token });
      expect((await fetch(`${issuer}/revoke`, { method: 'POST', body })).status).toBe(200);
      await age(page, -600);
      await page.reload();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('eyJ');
      await expect.poll(() => explorer.wrongs.splice(0)).toEqual([expect.stringContaining('400')]); // which says so
    });

    it('ends by a form: no token stands in an address, here or at the issuer, where the session ends too', async () => {
      await page.getByRole('button', { name: 'Sign in' }).click(); // the issuer's own session goes on
      await page.getByText('Signed in as Vi Castellan').waitFor();
      const { refresh_token: token } = await storedUser(page);
      const led = page.waitForEvent('load'); // back here, from the issuer: the page is the one of before until it leaves
      await page.getByRole('button', { name: 'Sign out' }).click();
      await led;
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      const form = { grant_type: 'refresh_token', client_id: 'trellis-explorer', refresh_token: token };
      const refreshed = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
      expect(await refreshed.json()).toMatchObject({ error: 'invalid_grant' });
      expect(page.url()).toBe(`${gateway}/explorer`);
      for (const storage of ['sessionStorage', 'localStorage'])
        expect(await page.evaluate(`JSON.stringify(${storage})`)).not.toContain('eyJ');
      await page.goto(`${issuer}/account`);
      await page.getByLabel('Password').waitFor();
      expect(explorer.wrongs).toEqual([]);
    });
  },
);

/** What oidc-client-ts stores of the user, in this tab alone. */
async function storedUser(page: Page): Promise<StoredUser> {
  return JSON.parse(await page.evaluate(withUser, undefined)) as StoredUser; // as oidc-client-ts writes it
}

/** Makes the token expire so many seconds from now. */
async function age(page: Page, seconds: number): Promise<void> {
  await page.evaluate(withUser, seconds);
}

/** In the page. */
function withUser(secondsLeft: number | undefined): string {
  const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:')) ?? '';
  const text = sessionStorage.getItem(key) ?? '{}';
  if (secondsLeft !== undefined) {
    const user = JSON.parse(text) as object;
    sessionStorage.setItem(key, JSON.stringify({ ...user, expires_at: Date.now() / 1000 + secondsLeft }));
  }
  return text;
}

async function runWhoAmI(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Who am I?' }).click();
  await page.getByText(/^\d+ ms, /).waitFor();
  return page.getByRole('region', { name: 'Response' }).innerText();
}
