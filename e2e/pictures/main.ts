import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import type { Browser } from 'playwright-core';
import { chromiumMissing, chromiumPath, startChromium } from '../harness/chromium.ts';
import { startPlatform } from '../harness/platform-process.ts';
import { root } from '../harness/running-program.ts';
import { HEIGHT, WIDTH } from './camera.ts';
import { comparePictures } from './compare-pictures.ts';
import { animation, pictureFiles, picturesPage, schemes } from './picture-list.ts';
import { goOnTour, NAMES, type Tour } from './tour.ts';
import { animateWebp } from './webp.ts';

const USAGE = `npm run pictures -- [--check]

Starts a platform with fresh demo data, takes the pictures of docs/pictures.md with Chromium, and writes them.
  --check  writes nothing, and says by how much each picture differs from the stored one
`;
/** So many pixels in a hundred may differ: widths of bars and of masked numbers, and fonts of another version. */
const TOLERANCE = 3;
const folder = join(root, 'docs/pictures');

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) process.stdout.write(USAGE);
else if (chromiumPath === undefined) fail(chromiumMissing);
else await takePictures();

async function takePictures(): Promise<void> {
  const directory = createTemporaryDirectory();
  const platform = await startPlatform({
    dataDirectory: join(directory.path, 'data'),
    environment: { MAIL_URL: 'log:' },
  });
  const browser = await startChromium();
  try {
    const files = filesOf(await goOnTour(browser, platform.addresses));
    if (flags.check) await check(browser, files);
    else write(files);
  } finally {
    await browser.close();
    await platform.stop();
    directory.remove();
  }
}

function filesOf({ pictures, frames }: Tour): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const scheme of schemes) {
    for (const [name, shots] of pictures) files.set(`${name}-${scheme}.webp`, shots[scheme]);
    const film = frames.map(({ shots, durationMs }) => ({ file: shots[scheme], durationMs }));
    files.set(`${animation.name}-${scheme}.webp`, animateWebp(film, WIDTH, HEIGHT));
  }
  return files;
}

function write(files: ReadonlyMap<string, Buffer>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of files) writeFileSync(join(folder, name), file);
  writeFileSync(join(root, 'docs/pictures.md'), picturesPage());
  const kilobytes = [...files.values()].reduce((sum, { length }) => sum + length, 0) / 1024;
  process.stdout.write(`${files.size} files, ${kilobytes.toFixed(0)} KB.\n`);
}

/** Of the animation its first picture is compared. */
async function check(browser: Browser, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const page = await browser.newPage();
  await page.evaluate(NAMES);
  let drifted = 0;
  for (const name of pictureFiles()) {
    const stored = readFileSync(join(folder, name));
    const percent = await comparePictures(page, stored, files.get(name) ?? Buffer.alloc(0));
    const hasDrifted = percent > TOLERANCE;
    if (hasDrifted) drifted += 1;
    process.stdout.write(`${percent.toFixed(2).padStart(6)} %  ${name}${hasDrifted ? '  differs' : ''}\n`);
  }
  if (drifted > 0)
    fail(`${drifted} pictures differ by more than ${TOLERANCE} %. "npm run pictures" takes them again.`);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
