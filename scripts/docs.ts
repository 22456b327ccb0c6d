import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { repository } from './programs/run-program.ts';

const USAGE = `npm run docs -- [--dev]

Builds the documentation site from docs/ and from the docstrings of the public packages into docs-site/dist, which any server of files
can serve. npm start serves it, too. The first time it installs its own packages, which the product has no use for.
  --dev  serves the pages as they are written, without the API documentation
`;
const PNPM = 'pnpm@12.21.0';
const site = join(repository, 'docs-site');
const stampFile = join(site, 'node_modules/.trellis-install');

const flags = readFlags();
if (flags.help) process.stdout.write(USAGE);
else await makeSite();

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        dev: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

async function makeSite(): Promise<void> {
  const steps = [
    ...(isInstalled()
      ? []
      : [
          [
            'Installing its packages',
            'npx',
            ['-y', PNPM, 'install', '--frozen-lockfile', '--reporter=silent'],
          ] as const,
        ]),
    ['Types', process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']],
    ...(flags.dev
      ? []
      : [['API documentation', process.execPath, ['--import', 'tsx', 'make-api.ts']] as const]),
    ['Pages', process.execPath, ['node_modules/vitepress/bin/vitepress.js', flags.dev ? 'dev' : 'build']],
  ] as const;
  for (const [name, program, args] of steps) {
    process.stdout.write(`${name} …\n`);
    const status = await run(program, args);
    if (status !== 0) return fail(name, status);
    if (program === 'npx') writeFileSync(stampFile, lockDigest());
  }
  process.stdout.write(`Built: ${join('docs-site', 'dist')}\n`);
}

/** Without a network the site is built all the same, once its packages are installed. */
function isInstalled(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockDigest();
}

function lockDigest(): string {
  return createHash('sha256')
    .update(readFileSync(join(site, 'pnpm-lock.yaml')))
    .digest('hex');
}

async function run(program: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(program, args, { cwd: site, stdio: 'inherit', shell: process.platform === 'win32' });
  const [status] = (await once(child, 'close')) as [number | null];
  return status;
}

function fail(step: string, status: number | null): void {
  process.stderr.write(`${step}: failed with ${status ?? 'a signal'}; the reason stands above.\n`);
  process.exitCode = 1;
}
