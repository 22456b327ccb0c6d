import type { Browser, BrowserContext, Page } from 'playwright-core';
import { demoPassword, type DemoUser } from './demo-people.ts';
import { sharedPlatform } from './shared-platform.ts';

/** The explorer in a browser with an empty profile. */
export interface ExplorerPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What must not be: errors on the console, requests to other hosts, and tokens in addresses. */
  readonly wrongs: string[];
}

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
export async function openExplorer(
  browser: Browser,
  { locale = 'en-GB', path = '/explorer', gateway }: ExplorerPageOptions = {},
): Promise<ExplorerPage> {
  const { addresses } = sharedPlatform();
  const home = gateway ?? addresses.gateway;
  const known = new Set([home, addresses.issuer].map((address) => new URL(address).origin));
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
  const wrongs: string[] = [];
  context.on('request', (request) => {
    const url = request.url();
    if (!known.has(new URL(url).origin)) wrongs.push(`request to ${url}`);
    if (url.includes('eyJ') || /[?&#](?:access|refresh|id)_token=/.test(url)) wrongs.push(`token in ${url}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') wrongs.push(message.text());
  });
  context.on('weberror', (error) => wrongs.push(error.error().message));
  const page = await context.newPage();
  await page.goto(home + path);
  return { context, page, wrongs };
}

/** Goes through the pages of the auth-server, from the explorer's button on and back to it. */
export async function signInToExplorer(page: Page, { email }: DemoUser): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(demoPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(/^Signed in as /).waitFor();
}
