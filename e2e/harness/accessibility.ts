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
