import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFitting, expectReachable, expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { issuer } = sharedPlatform().addresses;
const PASSWORD = 'giraffes juggle in the dark';

describe.skipIf(!chromiumPath)(
  `The console in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let copy: Page;
    const requested = new Set<string>();
    const name = `Olga ${Date.now()}`;
    const email = `olga.${Date.now()}@example.com`;

    beforeAll(async () => {
      browser = await startChromium();
      context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
      page = await context.newPage();
      page.on('request', (request) => void requested.add(new URL(request.url()).origin));
      copy = await browser.newPage();
    });
    afterAll(() => browser.close());

    /** axe-core and the keyboard are in a page of their own with scripts: the same markup and style, on a narrow screen, in both directions. What links lead to is looked at in every-page.test. */
    async function expectGood(shown = page, language = 'en'): Promise<void> {
      await copy.setContent(await shown.content());
      await expectReachable(copy);
      await expectUsable(copy, language);
      await expectFitting(copy);
    }

    async function openAccount(): Promise<void> {
      await page.goto(`${issuer}/console/accounts`);
      await page.getByLabel('Name or e-mail address').fill(name.toUpperCase());
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }

    const done = (text: string): Promise<void> =>
      page.getByRole('status').filter({ hasText: text }).waitFor();

    it('1: an operator signs in, and comes to the page that was asked for', async () => {
      await page.goto(`${issuer}/console`);
      await page.locator('#email').fill(demoPeople.ada.email);
      await page.locator('#password').fill(demoPassword);
      await page.locator('button').click();
      await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor();
    });

    it('2: invites someone, who chooses a password by the link', async () => {
      await page.getByRole('link', { name: 'Accounts' }).click();
      const form = page.locator('form[action$="/inviteAccount"]');
      await form.getByLabel('E-mail address').fill(email);
      await form.getByLabel('Name').fill(name);
      await form.getByRole('button').click();
      const link = await page.locator('dd code').textContent();
      await expectGood();
      const invited = await browser.newContext({ javaScriptEnabled: false });
      const other = await invited.newPage();
      await other.goto(link ?? '');
      await other.locator('#new_password').fill(PASSWORD);
      await other.locator('form button').click();
      await other.goto(`${issuer}/account`);
      await other.locator('#email').fill(email);
      await other.locator('#password').fill(PASSWORD);
      await other.locator('button').click();
      await other.getByRole('heading', { name: 'Your account' }).waitFor();
      await invited.close();
    });

    it('3: finds an account, and sees where its user is signed in', async () => {
      await openAccount();
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
      expect(await page.getByRole('row').filter({ hasText: 'Chrome' }).count()).toBe(1);
    });

    it('4: ends a session', async () => {
      await page.getByRole('button', { name: /^End: / }).click();
      await done('The session has ended.');
      await expectGood();
      expect(await page.getByRole('row').filter({ hasText: 'Chrome' }).count()).toBe(0);
    });

    it('5: changes a role, by the keyboard alone', async () => {
      await page.locator('summary').focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Role').focus();
      await page.keyboard.press('E');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await done('The account was changed.');
      expect(await page.locator('dl').textContent()).toContain('EDITOR');
    });

    it('6: disables an account, and enables it again', async () => {
      await page.getByRole('button', { name: 'Disable' }).click();
      await done('The account is disabled');
      await page.getByRole('button', { name: 'Enable' }).click();
      await done('The account is enabled.');
    });

    it('7: registers a client with a secret, and tests a sign-in', async () => {
      await page.getByRole('link', { name: 'Clients' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Id').fill(email);
      await page
        .getByLabel('Redirect URIs')
        .fill('https://olga.example/callback\nhttps://olga.example/other');
      await page.getByLabel('Proves itself by').selectOption('client_secret_basic');
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByText('Secret, shown this once').waitFor();
      await page.goto(`${issuer}/console/clients/${encodeURIComponent(email)}`);
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText('The request is good.').waitFor();
      await expectGood();
      await page.getByLabel('Scope').fill('nonsense');
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText('invalid_scope').waitFor();
      await expectGood();
      await page.getByText('Metadata', { exact: true }).click();
      await page.getByLabel('Metadata').fill('{');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').filter({ hasText: 'The metadata is not JSON.' }).waitFor();
      await expectGood();
      await page.getByRole('link', { name: 'Back' }).click();
    });

    it('8: rotates a secret, and removes a client', async () => {
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByText('Secret, shown this once').waitFor();
      await expectGood();
      await page.getByRole('link', { name: 'Back' }).click();
      await page.getByText('Remove', { exact: true }).click();
      await page.getByRole('button', { name: 'Remove with all' }).click();
      await done('The client was removed.');
    });

    it('9: rotates the signing keys, and looks at the mail', async () => {
      await page.getByRole('link', { name: 'Keys' }).click();
      await page.getByRole('button', { name: 'Rotate keys' }).click();
      await done('The keys are rotated');
      await page.getByRole('link', { name: 'Mail' }).click();
      await page.getByRole('heading', { name: 'Messages that wait' }).waitFor();
    });

    it('10: finds all of it in the audit log', async () => {
      const found = async (): Promise<string> => {
        await page.goto(`${issuer}/console/audit`);
        await page.getByRole('searchbox', { name: 'Event' }).fill('administered');
        await page.getByRole('button', { name: 'Search' }).click();
        return (await page.locator('table').textContent()) ?? '';
      };
      await expect.poll(found).toContain('rotateKeys');
      const text = await found();
      for (const operation of [
        'inviteAccount',
        'changeAccount',
        'endSessionOfAccount',
        'registerClient',
        'removeClient',
      ])
        expect(text).toContain(operation);
      expect([...requested]).toEqual([new URL(issuer).origin]);
    });

    it.each([
      ['de-DE', 'Konsole'],
      ['zh-CN', '控制台'],
    ])('A-285: is in the language of its operator, and usable in it: %s', async (locale, title) => {
      const context = await browser.newContext({
        locale,
        javaScriptEnabled: false,
        storageState: await page.context().storageState(),
      });
      const other = await context.newPage();
      await other.goto(`${issuer}/console`);
      await other.getByRole('heading', { name: title, level: 1 }).waitFor();
      const account = await other.goto(`${issuer}/console/accounts?q=vi%40example.com`);
      expect(account?.status()).toBe(200);
      await other.locator('table a').first().click();
      await expectGood(other, locale);
      for (const path of ['', '/accounts', '/clients', '/clients/trellis-web', '/keys', '/audit', '/mail']) {
        await other.goto(`${issuer}/console${path}`);
        await copy.setContent(await other.content());
        await expectFitting(copy); // long words are the language's own, the markup is that of every language
      }
      await context.close();
    });
  },
);
