import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All that depends on whether the page is light or dark. */
const COLOURS = "{ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }";

/**
 * Expects that axe-core objects to nothing, neither in the light page nor in the dark one, and that the page says which
 * language it is in: the one of the browser.
 *
 * @param page one where scripts run; axe-core comes by the debugger's way, which the pages' policy does not bar
 */
export async function expectUsable(page: Page, locale: string): Promise<void> {
  await page.evaluate(axe);
  const light = await violations(page, 'light', '');
  const dark = await violations(page, 'dark', COLOURS);
  expect([...light, ...dark], page.url()).toEqual([]);
  expect(await page.locator('html').getAttribute('lang')).toMatch(new RegExp(`^${locale.slice(0, 2)}`));
}

/** What the keyboard has to reach. */
const REACHABLE = [
  'a[href]',
  'button:not([disabled])',
  'input:not([type=hidden])',
  'select',
  'textarea',
  'summary',
  '[tabindex="0"]',
]
  .map((selector) => `${selector}:not([tabindex="-1"])`) // of several tabs one, the others by arrows
  .join();

/**
 * Expects that Tab reaches everything that can be used, and that one sees where the keyboard is. WCAG 2.2 §2.1.1, §2.4.7
 *
 * @param page where scripts run; what is closed is opened
 */
export async function expectReachable(page: Page): Promise<void> {
  const presses = 50 + 4 * (await page.evaluate<number>(BEGIN)); // a list that grows as it is scrolled takes more than it began with
  const undrawn: string[] = [];
  for (let press = 0; press < presses && (await page.evaluate<number>(LEFT)) > 0; press += 1) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate<string>(FOLLOW);
    if (place !== '') undrawn.push(place);
  }
  const unreached = await page.evaluate<readonly string[]>(
    `${UNREACHED}.map((one) => one.outerHTML.slice(0, 120))`,
  );
  expect({ url: page.url(), unreached, undrawn }).toEqual({ url: page.url(), unreached: [], undrawn: [] });
}

/** Remembers what is to be reached. A page may grow meanwhile. @returns how much that is */
const BEGIN = `(() => {
  for (const closed of document.querySelectorAll('details:not([open])')) closed.open = true;
  document.activeElement?.blur();
  const all = [...document.querySelectorAll('${REACHABLE}')].filter((one) => one.checkVisibility());
  globalThis.unreached = new Set(all);
  return all.length;
})()`;

const UNREACHED = '[...globalThis.unreached].filter((one) => one.isConnected)';
const LEFT = `${UNREACHED}.length`;

/** Where the focus is, if that is not drawn around the element or what it is in; at the latest after ten frames. */
const FOLLOW = `(async () => {
  const { activeElement } = document;
  if (activeElement === document.body) return ''; // behind the last element it is in the browser's own window
  globalThis.unreached.delete(activeElement);
  for (let frame = 0; frame < 10; frame += 1) {
    for (let element = activeElement; element !== null; element = element.parentElement) {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      if (outlineStyle !== 'none' && outlineWidth !== '0px') return '';
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return activeElement.outerHTML.slice(0, 120);
})()`;

/** Expects that a page fits 320 pixels, read from either side. WCAG 2.2 §1.4.10 */
export async function expectFitting(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const direction of ['ltr', 'rtl']) {
    const width = await page.evaluate<number>(
      `document.documentElement.dir = '${direction}'; document.documentElement.scrollWidth`,
    );
    expect([page.url(), direction, width]).toEqual([page.url(), direction, 320]);
  }
}

async function violations(
  page: Page,
  colorScheme: 'light' | 'dark',
  options: string,
): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme });
  const results = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return results.violations.map(
    ({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}
