import { afterEach } from 'vitest';
import type { WatchedPage } from './watched-page.ts';

/** Prints what a page shows when a test has failed, and what went wrong on it: a wait that has run out of time says neither. */
export function showFailedPage(watched: () => WatchedPage): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const { page, wrongs } = watched();
    const shown = await page.locator('body').innerText();
    process.stdout.write(
      `The page when “${task.name}” failed, at ${page.url()}:\n${shown}\n${wrongs.join('\n')}\n`,
    );
  });
}
