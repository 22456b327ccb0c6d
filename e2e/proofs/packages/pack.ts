import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../harness/running-program.ts';
import { runProgram } from './run-program.ts';

/** What users name when they install; the others come with these. */
export const NAMED: readonly string[] = [
  'trellis',
  '@trellis/gateway',
  '@trellis/auth-server',
  '@trellis/subgraph-kit',
  '@trellis/subgraph-protocol',
];

/**
 * Compiles and packs `trellis`, what tests of a subgraph need, and all of this repository that they depend on.
 *
 * @returns the files, by the name of the package
 */
export async function packAll(directory: string): Promise<ReadonlyMap<string, string>> {
  await runProgram(join(root, 'node_modules/.bin/tsc'), ['-b'], { cwd: root });
  const args = [
    '--recursive',
    '--filter',
    'trellis...',
    '--filter',
    '@trellis/testkit...',
    'pack',
    '--pack-destination',
    directory,
  ];
  await runProgram('npx', ['-y', pnpm(), ...args], { cwd: root });
  return new Map(readdirSync(directory).map((file) => [packageOf(file), join(directory, file)]));
}

/** The one that installs this repository. */
function pnpm(): string {
  const [found] = /pnpm@[\d.]+/.exec(readFileSync(join(root, 'scripts/run.mjs'), 'utf8')) ?? [];
  if (found === undefined) throw new Error('scripts/run.mjs names no release of pnpm.');
  return found;
}

/** `trellis-auth-server-0.1.0.tgz` is `@trellis/auth-server`. */
function packageOf(file: string): string {
  const name = file.replace(/-\d+\.\d+\.\d+.*\.tgz$/, '');
  return name.replace(/^trellis-/, '@trellis/');
}
