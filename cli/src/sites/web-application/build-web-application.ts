import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBuilder } from '../run-builder.ts';

/** The sources of the sample application; absent where only the program is installed. */
const SOURCES = fileURLToPath(new URL('../../../../examples/web/', import.meta.url));
const BUILDS = join(SOURCES, 'node_modules/.cache/builds');
/** What a build is made from. */
const INPUTS = ['index.html', 'package.json', 'vite.config.ts', 'public', 'src'];
const LOCKFILE = fileURLToPath(new URL('../../../../pnpm-lock.yaml', import.meta.url));

/** Whether the sources exist, with the packages that they are built with. */
export function hasWebApplication(): boolean {
  return existsSync(join(SOURCES, 'node_modules/vite'));
}

/**
 * Builds the sample application in a process of its own, unless what it is made from has been built before.
 *
 * @param signal ends the process
 * @returns the folder with the files to serve
 * @throws Error with the builder's output when it fails
 */
export async function buildWebApplication(signal: AbortSignal): Promise<string> {
  const folder = join(BUILDS, digestOfInputs());
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await runVite(unfinished, signal);
  removeOthers(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another start was faster
  }
  return folder;
}

function runVite(outDir: string, signal: AbortSignal): Promise<void> {
  const manifest = createRequire(join(SOURCES, 'package.json')).resolve('vite/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: { readonly vite: string } };
  const program = join(manifest, '..', bin.vite);
  const args = [program, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  return runBuilder({ site: 'The sample application', args, cwd: SOURCES }, signal);
}

/** Builds of other sources, and what was left unfinished long ago. */
function removeOthers(unfinished: string): void {
  for (const name of readdirSync(BUILDS)) {
    const path = join(BUILDS, name);
    const isOld = Date.now() - statSync(path).mtimeMs > HOUR_MS;
    if (path !== unfinished && isOld) rmSync(path, { recursive: true, force: true });
  }
}

const HOUR_MS = 3_600_000;

function digestOfInputs(): string {
  const hash = createHash('sha256').update(readFileSync(LOCKFILE));
  for (const path of INPUTS.flatMap(filesAt))
    hash.update(`\0${path}\0`).update(readFileSync(join(SOURCES, path)));
  return hash.digest('hex').slice(0, 32);
}

/** Paths of files, relative to the sources, in an order of their own. */
function filesAt(path: string): readonly string[] {
  if (!statSync(join(SOURCES, path)).isDirectory()) return [path];
  return readdirSync(join(SOURCES, path))
    .toSorted()
    .flatMap((name) => filesAt(`${path}/${name}`));
}
