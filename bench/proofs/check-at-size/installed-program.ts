import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const repository: string = fileURLToPath(new URL('../../..', import.meta.url));

/** The path of a file of the checkout. */
export const inRepository = (path: string): string => join(repository, path);

/** Arguments of Node that run the command line from its sources. */
export const fromSources: readonly string[] = [
  '--conditions=trellis-source',
  '--import',
  'tsx',
  inRepository('cli/src/main.ts'),
];

/**
 * Has the command line look installed: outside of the checkout its program runs what was compiled, with the heap that the command gets.
 *
 * @param folder gets a node_modules
 * @returns arguments of Node that run it
 */
export async function linkInstalled(folder: string): Promise<readonly string[]> {
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  await symlink(inRepository('cli'), join(packages, 'trellis'));
  return ['--preserve-symlinks-main', join(packages, 'trellis/bin/trellis.mjs')];
}
