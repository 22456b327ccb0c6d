import type { UserManager, UserManagerSettings } from 'oidc-client-ts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { demoPassword, demoPeople } from '../harness/demo-people.ts';
import { singlePageClient } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { startSpaServer, type SpaServer } from '../harness/spa-server.ts';

declare global {
  // What the library's script defines, and the page keeps, in the browser.
  var oidc: { readonly UserManager: new (settings: UserManagerSettings) => UserManager };
  var manager: UserManager;
}

const { issuer } = sharedPlatform().addresses;

describe.skipIf(!chromiumPath)(
  `oidc-client-ts in Chromium${chromiumPath ? '' : ` (skipped: ${chromiumMissing})`}`,
  () => {
    let browser: Browser;
    let context: BrowserContext;
    let spa: SpaServer;
    const [redirectUri] = singlePageClient.redirect_uris;

    beforeAll(async () => {
      [browser, spa] = await Promise.all([
        startChromium(),
        startSpaServer(Number(new URL(redirectUri).port)),
      ]);
      context = await browser.newContext({ locale: 'en-GB' });
      context.setDefaultTimeout(90_000); // however busy the machine is
    });
    afterAll(async () => {
      await Promise.all([browser.close(), spa.close()]);
    });

    it('signs in, refreshes across origins, reads userinfo and signs out, unmodified (A-169, A-100, A-159)', async () => {
      const page = await context.newPage();
      await page.goto(spa.origin);
      await createManager(page);
      await page.evaluate(() => void globalThis.manager.signinRedirect({ nonce: 'n-of-the-app' }));
      await page.getByLabel('E-mail address').fill(demoPeople.ada.email);
      await page.getByLabel('Password').fill(demoPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'App' }).waitFor();
      await createManager(page);
      const user = await page.evaluate(async () => {
        const { profile, refresh_token: token, scope } = await globalThis.manager.signinRedirectCallback();
        return { profile, token, scope };
      });
      expect(user.profile).toMatchObject({ iss: issuer, email: demoPeople.ada.email });
      expect(user.scope).toBe('openid email read:data');
      const renewed = await page.evaluate(
        async () => (await globalThis.manager.signinSilent())?.refresh_token,
      );
      expect(renewed).toEqual(expect.any(String));
      expect(renewed).not.toBe(user.token);
      await page.evaluate(() => void globalThis.manager.signoutRedirect());
      await page.waitForURL(`${spa.origin}/bye**`);
      await createManager(page);
      await page.evaluate(async () => {
        await globalThis.manager.signoutRedirectCallback();
      });
      await page.goto(`${issuer}/account`);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });

    /** Keeps the page's manager where the next step finds it. */
    async function createManager(page: Page): Promise<void> {
      const settings: UserManagerSettings = {
        authority: issuer,
        client_id: singlePageClient.client_id,
        redirect_uri: redirectUri,
        post_logout_redirect_uri: `${spa.origin}/bye`,
        scope: 'openid email read:data',
        loadUserInfo: true,
      };
      await page.waitForFunction(() => 'oidc' in globalThis);
      await page.evaluate((given) => {
        globalThis.manager = new globalThis.oidc.UserManager(given);
      }, settings);
    }
  },
);
