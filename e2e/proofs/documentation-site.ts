import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import type { Browser } from 'playwright-core';
import { expectUsable } from '../harness/accessibility.ts';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { startPlatform } from '../harness/platform-process.ts';
import { root } from '../harness/running-program.ts';

const BUILD_DEADLINE_MS = 480_000;
const SHOWN = ['/', '/errors.html#FORBIDDEN', '/lifecycle.html', '/pictures.html', '/api/subgraph-kit/'];

/** Builds the site, serves it as `npm start` does, follows every link, and reads some pages in a browser. */
proof({
  name: 'documentation-site',
  description:
    'the documentation site is built, has no dead link or anchor, is found by search, breaks no policy, and asks no other host',
  async run() {
    await promisify(execFile)('npm', ['run', '-s', 'docs'], { cwd: root, timeout: BUILD_DEADLINE_MS });
    const directory = createTemporaryDirectory();
    const platform = await startPlatform({ dataDirectory: join(directory.path, 'data') });
    try {
      const { docs } = platform.addresses;
      const { pages, dead } = await followLinks(docs);
      const complaints = chromiumPath
        ? await withBrowser((browser) => read(browser, docs))
        : [chromiumMissing];
      const figures = {
        pages,
        dead: dead.length,
        firstDead: dead[0] ?? '',
        complaints: complaints.length,
        firstComplaint: complaints[0] ?? '',
      };
      return { passed: pages > 150 && dead.length === 0 && complaints.length === 0, figures };
    } finally {
      await platform.stop();
      directory.remove();
    }
  },
});

/** Every address that can be reached from the first page. */
async function followLinks(
  site: string,
): Promise<{ readonly pages: number; readonly dead: readonly string[] }> {
  const texts = new Map<string, string>();
  const links: { readonly from: string; readonly to: URL }[] = [];
  const waiting = ['/'];
  const dead: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path)) continue;
    const response = await fetch(`${site}${path}`, { signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    texts.set(path, text);
    if (response.status !== 200) dead.push(`${path}: ${response.status}`);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const [, address = ''] of text.matchAll(/<a\b[^>]*\shref="([^"]+)"/g)) {
      const to = new URL(address.replaceAll('&amp;', '&'), `${site}${path}`);
      if (to.origin !== site) continue;
      links.push({ from: path, to });
      waiting.push(to.pathname);
    }
  }
  for (const { from, to } of links) {
    const anchor = decodeURIComponent(to.hash.slice(1));
    if (anchor !== '' && !texts.get(to.pathname)?.includes(`id="${anchor}"`))
      dead.push(`${from}: ${to.href}`);
  }
  return { pages: texts.size, dead };
}

async function withBrowser<Result>(use: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await startChromium();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Reads pages, searches, and returns what the browser complained of. */
async function read(browser: Browser, site: string): Promise<readonly string[]> {
  const complaints: string[] = [];
  const page = await browser.newPage({ locale: 'en-GB', reducedMotion: 'reduce' });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${site}/`) && !url.startsWith('data:')) complaints.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  for (const path of SHOWN) {
    await page.goto(`${site}${path}`);
    await page.locator('main h1').waitFor();
    await expectUsable(page, 'en');
  }
  await page.goto(`${site}/errors.html#FORBIDDEN`);
  if (!(await page.locator('#FORBIDDEN').isVisible())) complaints.push('the row of FORBIDDEN is not shown');
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('refresh token');
  await page.locator('.result').first().waitFor();
  return complaints;
}
