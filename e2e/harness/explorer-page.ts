import type { Browser, Page } from 'playwright-core';
import { demoPassword, type DemoUser } from './demo-people.ts';
import { sharedPlatform } from './shared-platform.ts';
import { openWatchedPage, type WatchedPage } from './watched-page.ts';

/** Settings of {@link openExplorer}. */
export interface ExplorerPageOptions {
  /** @default en-GB */
  readonly locale?: string;
  /** Path, and query of the address. @default the explorer's own */
  readonly path?: string;
  /** Where the gateway is reached. @default its own address */
  readonly gateway?: string;
}

/** Opens the explorer, or another page of the gateway. */
export function openExplorer(
  browser: Browser,
  { locale = 'en-GB', path = '/explorer', gateway }: ExplorerPageOptions = {},
): Promise<WatchedPage> {
  const { addresses } = sharedPlatform();
  const home = gateway ?? addresses.gateway;
  return openWatchedPage(browser, { url: home + path, known: [home, addresses.issuer], locale });
}

/** Goes through the pages of the auth-server, from the explorer's button on and back to it. */
export async function signInToExplorer(page: Page, { email }: DemoUser): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(demoPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(/^Signed in as /).waitFor();
}
