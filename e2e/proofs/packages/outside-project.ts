import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeBlocks } from '../../documentation/code-blocks.ts';
import { root } from '../../harness/running-program.ts';
import { runProgram } from './run-program.ts';

const PAGE = 'docs/packages.md';
const CONSUMER = fileURLToPath(new URL('./consumer.mts', import.meta.url));

/** What a project that uses the packages has beside them. */
const OWN_DEPENDENCIES = ['fastify@5', 'jose@6'];

/** Which Node.js programs run on; npm itself runs on the one that runs this. */
export interface NodeRelease {
  /** For example `v20.20.2`. */
  readonly version: string;
  readonly executable: string;
}

/** Makes an empty folder a project that has installed the packed files, as npm does it by default, with the files of the page. */
export async function installOutside(directory: string, files: readonly string[]): Promise<void> {
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await install(directory, [...files, ...OWN_DEPENDENCIES]);
  for (const { note, text } of codeBlocks(PAGE)) if (note !== '') writeFileSync(join(directory, note), text);
  cpSync(CONSUMER, join(directory, 'consumer.mts'));
  cpSync(join(root, 'graph/supergraph.graphql'), join(directory, 'supergraph.graphql'));
}

/** The oldest that is supported, and whatever is the newest: as npm gives them. */
const RELEASES = ['20', 'latest'];
const PLATFORMS: ReadonlySet<string> = new Set(['linux', 'darwin']);

/** Installs releases of Node.js for this platform; elsewhere than on Linux and macOS the one that runs this has to do. */
export async function nodeReleases(directory: string): Promise<readonly NodeRelease[]> {
  if (!PLATFORMS.has(process.platform)) return [{ version: process.version, executable: process.execPath }];
  const installed: NodeRelease[] = [];
  for (const release of RELEASES) installed.push(await installNode(join(directory, release), release));
  return installed;
}

async function installNode(directory: string, release: string): Promise<NodeRelease> {
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  await install(directory, [`${name}@${release}`]);
  const executable = join(directory, 'node_modules', name, 'bin/node');
  const version = await runProgram(executable, ['--version'], { cwd: directory });
  return { version: version.trim(), executable };
}

/** Installs packages, and what the package.json of a folder names. */
export async function install(cwd: string, packages: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  await runProgram('npm', ['install', ...quiet, ...packages], { cwd });
}
