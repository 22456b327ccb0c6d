import { afterEach } from 'vitest';
import type { WatchedPage } from './watched-page.ts';

const SHOWN_WITHIN_MS = 5_000;

/** Prints what a page shows when a test has failed, and what went wrong on it: a wait that has run out of time says neither. */
export function showFailedPage(watched: () => WatchedPage): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const { page, wrongs } = watched();
    const shown = await page
      .locator('body')
      .innerText({ timeout: SHOWN_WITHIN_MS })
      .catch(() => 'It does not respond.');
    process.stdout.write(
      `The page when “${task.name}” failed, at ${page.url()}:\n${shown}\n${wrongs.join('\n')}\n`,
    );
  });
}
