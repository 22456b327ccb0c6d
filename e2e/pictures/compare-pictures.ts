import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { root } from '../harness/running-program.ts';
import { pictureFiles } from './picture-list.ts';
import type { PictureFiles } from './take-pictures.ts';
import { NAMES } from './tour.ts';

/** Where the pictures of docs/pictures.md are stored. */
export const storedPictures: string = join(root, 'docs/pictures');

/** So many pixels in a hundred may differ: widths of bars and of masked numbers, and fonts of another version. */
export const TOLERANCE = 3;

/** How many pixels in a hundred of each stored picture differ from the one taken. Of the animation its first picture is compared. */
export async function measureDrift(
  files: PictureFiles,
  browser: Browser,
): Promise<ReadonlyMap<string, number>> {
  const page = await browser.newPage();
  await page.evaluate(NAMES);
  const drift = new Map<string, number>();
  for (const name of pictureFiles()) {
    const stored = readFileSync(join(storedPictures, name));
    drift.set(name, await comparePictures(page, stored, files.get(name) ?? Buffer.alloc(0)));
  }
  return drift;
}

/**
 * Compares two pictures as they are drawn.
 *
 * @param page any; it decodes them
 * @returns how many pixels in a hundred differ visibly; 100 when the sizes do
 */
async function comparePictures(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const [first, second] = [one, other].map((file) => `data:image/webp;base64,${file.toString('base64')}`);
  return page.evaluate(countDifferences, [first ?? '', second ?? ''] as const);
}

/** In the page. A channel may differ by a tenth of its range: lossy coding moves that much at the edges of letters. */
async function countDifferences([one, other]: readonly [string, string]): Promise<number> {
  const VISIBLE = 26;
  const decode = async (address: string): Promise<ImageData | undefined> => {
    const bitmap = await createImageBitmap(await (await fetch(address)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    return context?.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [a, b] = [await decode(one), await decode(other)];
  if (!a || !b || a.width !== b.width || a.height !== b.height) return 100;
  let different = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const isVisible = [0, 1, 2].some((channel) => {
      return Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) > VISIBLE;
    });
    if (isVisible) different += 1;
  }
  return (different / (a.width * a.height)) * 100;
}
