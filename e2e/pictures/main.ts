import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromiumMissing, chromiumPath } from '../harness/chromium.ts';
import { root } from '../harness/running-program.ts';
import { measureDrift, storedPictures, TOLERANCE } from './compare-pictures.ts';
import { picturesPage } from './picture-list.ts';
import { takePictures, type PictureFiles } from './take-pictures.ts';

const USAGE = `npm run pictures -- [--check]

Starts a platform with fresh demo data, takes the pictures of docs/pictures.md with Chromium, and writes them.
  --check  writes nothing, and says by how much each picture differs from the stored one
`;

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) process.stdout.write(USAGE);
else if (chromiumPath === undefined) fail(chromiumMissing);
else await takePictures(flags.check ? check : write);

function write(files: PictureFiles): void {
  mkdirSync(storedPictures, { recursive: true });
  for (const [name, file] of files) writeFileSync(join(storedPictures, name), file);
  writeFileSync(join(root, 'docs/pictures.md'), picturesPage());
  const kilobytes = [...files.values()].reduce((sum, { length }) => sum + length, 0) / 1024;
  process.stdout.write(`${files.size} files, ${kilobytes.toFixed(0)} KB.\n`);
}

async function check(files: PictureFiles, browser: Browser): Promise<void> {
  let drifted = 0;
  for (const [name, percent] of await measureDrift(files, browser)) {
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
