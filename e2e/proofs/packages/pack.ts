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
  const packed = new Map(readdirSync(directory).map((file) => [packageOf(file), join(directory, file)]));
  for (const [name, file] of packed) requirePublishable(name, await manifestIn(file));
  return packed;
}

interface PackedManifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

async function manifestIn(file: string): Promise<PackedManifest> {
  const text = await runProgram('tar', ['-xzOf', file, 'package/package.json'], { cwd: root });
  return JSON.parse(text) as PackedManifest; // as pnpm has packed it
}

/** @throws Error for what npm would not publish, or not install */
function requirePublishable(name: string, manifest: PackedManifest): void {
  const needed = { ...manifest.peerDependencies, ...manifest.dependencies };
  const local = Object.entries(needed).filter(([, range]) => range.includes(':'));
  if (manifest.name !== name || manifest.private === true || local.length > 0)
    throw new Error(
      `${name} can't be published: ${JSON.stringify({ name: manifest.name, private: manifest.private, local })}`,
    );
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
