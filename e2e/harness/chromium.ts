import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Why there are no browser tests on a machine, and what to do about it. */
export const chromiumMissing =
  'no chromium on PATH: install one (Debian: apt-get install chromium-headless-shell), or name one in CHROMIUM_PATH';

/** The best first: one without windows takes a third less processor time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser's executable; undefined when the machine has none. */
export const chromiumPath: string | undefined = findChromium();

/**
 * Starts a browser with an empty profile, which goes nowhere by itself.
 *
 * @param flags more of Chromium's own
 */
export function startChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
}

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const onPath = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env['CHROMIUM_PATH'] ?? '', ...onPath].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return file !== '';
  } catch {
    return false;
  }
}
