import type { Browser, BrowserContext, ConsoleMessage, Page, Route } from 'playwright-core';
import { demoPassword, type DemoUser } from './demo-people.ts';
import { sharedPlatform } from './shared-platform.ts';

/** Someone in a browser of their own, at the sample application. */
export interface Reader {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser has complained about, requests to hosts that are none of the platform's, tokens in addresses. Empty in the end. */
  readonly complaints: readonly string[];
}

/** What each action may take before the test fails, however busy the machine is. */
const DEADLINE_MS = 90_000;
/** Characters of a page in the message of a test that failed. */
const MAX_SHOWN = 400;
const SHOWN_WITHIN_MS = 5_000;

/** Opens a browser with an empty profile at the application's first page. */
export async function openReader(browser: Browser, locale = 'en-GB'): Promise<Reader> {
  const { addresses } = sharedPlatform();
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(DEADLINE_MS);
  const complaints: string[] = [];
  const { web, issuer, gateway } = addresses;
  const known = new Set([web, issuer, gateway].map((address) => new URL(address).host));
  context.on('request', (request) => {
    const url = request.url();
    if (!known.has(new URL(url).host)) complaints.push(`request to ${url}`);
    if (url.includes('eyJ') || /[?&#](?:access|refresh|id)_token=/.test(url))
      complaints.push(`token in ${url}`);
  });
  context.on('console', (message) => {
    const isMeant = isOfLostNetwork(message.text()) || isOfEndedSession(message);
    if (message.type() === 'error' && !isMeant) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().stack ?? error.error().message));
  const page = await context.newPage();
  await page.goto(web);
  return { context, page, complaints };
}

/** What each sees, and what their browsers complained about, in one line: a reason is searched for there when a test fails. */
export async function shownBy(readers: readonly Reader[]): Promise<string> {
  const pages = readers.flatMap(({ context }) => context.pages());
  const texts = await Promise.all(
    pages.map(async (page) => {
      const text = await page.innerText('body', { timeout: SHOWN_WITHIN_MS }).catch(String); // it may have crashed
      return `${page.url()} "${text.slice(0, MAX_SHOWN)}"`;
    }),
  );
  return JSON.stringify([...texts, ...readers.flatMap(({ complaints }) => complaints)]);
}

/** Goes through the pages of the auth-server; the consent is asked for once a user. */
export async function signInAt(page: Page, { email }: DemoUser): Promise<void> {
  await page.locator('main button').click();
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(demoPassword);
  await page.locator('button[type=submit]').first().click();
  const allow = page.locator('button[name=decision]').first();
  const account = page.locator('.whoami');
  await allow.or(account).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await account.waitFor();
}

/** Chromium reports what it could not send; the tests take the network themselves. */
function isOfLostNetwork(text: string): boolean {
  return /ERR_INTERNET_DISCONNECTED|WebSocket connection to/.test(text);
}

/** Chromium reports each response that is no success: the one to a refresh that comes too late, too. */
function isOfEndedSession(message: ConsoleMessage): boolean {
  return message.location().url.endsWith('/token') && message.text().includes('400 (Bad Request)');
}

/**
 * The next draft is made after the list of drafts was read, and before that list arrives: as it may happen on a busy machine.
 *
 * @returns ends it
 */
export async function raceDraftWithList(page: Page): Promise<() => Promise<void>> {
  const [listRead, draftShown] = [createSignal(), createSignal()];
  let isFirst = true;
  const race = async (route: Route): Promise<void> => {
    const { operationName } = route.request().postDataJSON() as { readonly operationName: string };
    if (operationName === 'CreatePost') {
      await listRead.sent;
      await route.fulfill({ response: await route.fetch() });
      draftShown.send();
    } else if (operationName === 'Drafts' && isFirst) {
      isFirst = false;
      const response = await route.fetch();
      listRead.send();
      await draftShown.sent;
      await route.fulfill({ response });
    } else await route.fallback();
  };
  const { graph } = sharedPlatform().addresses;
  await page.route(graph, race);
  return () => page.unroute(graph, race);
}

function createSignal(): { readonly sent: Promise<void>; readonly send: () => void } {
  let send = (): void => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  return { sent, send: () => send() };
}
