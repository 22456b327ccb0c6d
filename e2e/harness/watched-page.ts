import type { Browser, BrowserContext, Page } from 'playwright-core';

/** A page in a browser with an empty profile. */
export interface WatchedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What must not be: errors on the console, requests to other hosts, and tokens in addresses. */
  readonly wrongs: string[];
}

/** Settings of {@link openWatchedPage}. */
export interface WatchedPageOptions {
  /** Address of the page. */
  readonly url: string;
  /** Whom it may ask: addresses at their origins. */
  readonly known: readonly string[];
  readonly locale: string;
}

/** Opens a page, and writes down what must not be. */
export async function openWatchedPage(
  browser: Browser,
  { url, known, locale }: WatchedPageOptions,
): Promise<WatchedPage> {
  const origins = new Set(known.map((address) => new URL(address).origin));
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(90_000); // however busy the machine is
  const wrongs: string[] = [];
  context.on('request', (request) => {
    const asked = request.url();
    if (!origins.has(new URL(asked).origin)) wrongs.push(`request to ${asked}`);
    if (asked.includes('eyJ') || /[?&#](?:access|refresh|id)_token=/.test(asked))
      wrongs.push(`token in ${asked}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') wrongs.push(message.text());
  });
  context.on('weberror', (error) => wrongs.push(error.error().message));
  const page = await context.newPage();
  await page.goto(url);
  return { context, page, wrongs };
}
