import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser } from 'playwright-core';
import { startChromium } from '../harness/chromium.ts';
import { startPlatform } from '../harness/platform-process.ts';
import { HEIGHT, WIDTH } from './camera.ts';
import { animation, schemes } from './picture-list.ts';
import { goOnTour, type Tour } from './tour.ts';
import { animateWebp } from './webp.ts';

/** Pictures by the names of their files. */
export type PictureFiles = ReadonlyMap<string, Buffer>;

/**
 * Starts a platform with fresh demo data and takes all pictures with Chromium.
 *
 * @param use gets them, and the browser while it runs
 */
export async function takePictures<Result>(
  use: (files: PictureFiles, browser: Browser) => Result | Promise<Result>,
): Promise<Result> {
  const directory = createTemporaryDirectory();
  const platform = await startPlatform({
    dataDirectory: join(directory.path, 'data'),
    environment: { MAIL_URL: 'log:' },
  });
  const browser = await startChromium();
  try {
    return await use(filesOf(await goOnTour(browser, platform.addresses)), browser);
  } finally {
    await browser.close();
    await platform.stop();
    directory.remove();
  }
}

function filesOf({ pictures, frames }: Tour): PictureFiles {
  const files = new Map<string, Buffer>();
  for (const scheme of schemes) {
    for (const [name, shots] of pictures) files.set(`${name}-${scheme}.webp`, shots[scheme]);
    const film = frames.map(({ shots, durationMs }) => ({ file: shots[scheme], durationMs }));
    files.set(`${animation.name}-${scheme}.webp`, animateWebp(film, WIDTH, HEIGHT));
  }
  return files;
}
