import type { Browser, BrowserContext, Page } from 'playwright-core';

/** What a browser with an empty profile has seen of a page. */
export interface Visit {
  /** Largest contentful paint, milliseconds since the visit began. https://www.w3.org/TR/largest-contentful-paint/ */
  readonly largestPaintMs: number;
  /** Bytes of scripts that came over the network, compressed as they came. */
  readonly scriptBytes: number;
  /** Bytes of everything that came over the network. */
  readonly allBytes: number;
  /** Addresses of what came from the browser's own cache. */
  readonly cached: readonly string[];
}

/** Of all visits: the processor is made this many times slower. */
const SLOW_DOWN = 4;

/** Once something was painted, so long nothing larger may be before the visit ends. */
const IDLE_WINDOW_MS = 800;

const DEADLINE_MS = 60_000;

/** In the page, before anything else. */
const OBSERVER = `globalThis.largestPaint = 0;
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) globalThis.largestPaint = startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });`;

/** Visits a page with an empty profile at a four times slower processor. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(90_000); // however busy the machine is
  try {
    return await visitIn(context, url);
  } finally {
    await context.close();
  }
}

/** The same in a browser that may have been there before. */
export async function visitIn(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  await page.addInitScript(OBSERVER);
  await page.goto(url, { waitUntil: 'networkidle', timeout: DEADLINE_MS });
  const largestPaintMs = Math.round(await untilPainted(page));
  const sizes = await page.evaluate(readSizes);
  await page.close();
  return { largestPaintMs, ...sizes };
}

/**
 * A machine that is busy is late with scripts that have come: no request says so.
 *
 * @returns the last one, in milliseconds
 * @throws Error when nothing is painted, or something larger again and again, for a minute
 */
async function untilPainted(page: Page): Promise<number> {
  const deadline = Date.now() + DEADLINE_MS;
  await page.waitForFunction(readLargestPaint, undefined, { timeout: DEADLINE_MS });
  for (let before = -1; ;) {
    const now = await page.evaluate(readLargestPaint);
    if (now === before) return now;
    if (Date.now() > deadline) throw new Error('Something larger was painted again and again.');
    before = now;
    await page.waitForTimeout(IDLE_WINDOW_MS);
  }
}

/** In the page. */
function readLargestPaint(): number {
  return (globalThis as unknown as { readonly largestPaint: number }).largestPaint; // as the observer leaves it
}

/** In the page. */
function readSizes(): Omit<Visit, 'largestPaintMs'> {
  const resources = [
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ] as PerformanceResourceTiming[];
  const sizeOf = (all: readonly PerformanceResourceTiming[]): number =>
    all.reduce((sum, { transferSize }) => sum + transferSize, 0);
  return {
    scriptBytes: sizeOf(resources.filter(({ initiatorType }) => initiatorType === 'script')),
    allBytes: sizeOf(resources),
    cached: resources
      .filter(({ transferSize, decodedBodySize }) => transferSize === 0 && decodedBodySize > 0)
      .map(({ name }) => name),
  };
}
