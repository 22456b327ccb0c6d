import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, createTestDatabase, type TemporaryDirectory } from '@trellis/testkit';
import { createProgress, createTerminal } from 'trellis/terminal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCase } from 'vitest/node';
import { deployableFolders } from '../build/deployables.ts';
import { createProofReporter } from '../prove/proof-reporter.ts';
import { repository } from './run-program.ts';

const ESCAPE = '\u{1B}';
const hasScript = spawnSync('script', ['--version']).status === 0;
let folder: TemporaryDirectory;

beforeAll(() => {
  folder = createTemporaryDirectory();
});
afterAll(() => folder.remove());

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const { CI: _ci, NO_COLOR: _no, FORCE_COLOR: _yes, ...inherited } = process.env;
  const options = { cwd: repository, env: { ...inherited, ...environment }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(command, args, options, (failure, out, error) =>
      resolve({ status: failure ? Number(failure.code ?? 1) : 0, out, error }),
    );
  });
}

function npmRun(program: string, args: readonly string[], environment = {}): Promise<Ended> {
  const start = ['--conditions=trellis-source', 'scripts/run.mjs', program, ...args];
  return run(process.execPath, start, environment);
}

describe('npm run load -- --json', () => {
  it('has one document on standard output, and each table with its time on the other', async () => {
    const database = await createTestDatabase();
    const sizes = ['users', 'posts', 'comments'].flatMap((name) => [`--${name}`, '3']);
    const environment = { DATABASE_URL: database.connectionString };
    try {
      const { status, out, error } = await npmRun('load', [...sizes, '--json'], environment);
      expect([status, error]).toEqual([0, expect.stringMatching(/^profile: 3 rows in \d+\.\d s$/m)]);
      expect(error).not.toContain(ESCAPE);
      const { tables } = JSON.parse(out) as { readonly tables: readonly unknown[] };
      expect(tables).toContainEqual({ table: 'post', rows: 3, seconds: expect.any(Number) as number });
      const again = await npmRun('load', [...sizes, '--json'], environment);
      expect([again.status, again.out]).toEqual([1, '']);
      expect(again.error).toContain('Nothing was loaded');
    } finally {
      await database.drop();
    }
  });
});

describe('npm run bench', () => {
  it('has one document on standard output with --json, and nothing beside it without a terminal', async () => {
    const { status, out, error } = await npmRun('bench', ['--caches', '--json']);
    expect([status, error]).toEqual([0, '']);
    const { machine, caches } = JSON.parse(out) as { readonly machine: string; readonly caches: unknown };
    expect(machine).toMatch(/cores/);
    expect(caches).toContainEqual({
      trace: expect.any(String) as string,
      ratios: expect.any(Object) as object,
    });
  });
});

describe('npm run build', () => {
  it('compiles every deployable, and names the programs that node runs', async () => {
    const { status, out, error } = await npmRun('build', []);
    expect([status, error]).toEqual([0, '']);
    const programs = [...out.matchAll(/^ {2}node (\S+\/main\.js)$/gm)].map(([, program = '']) => program);
    expect(programs).toEqual(deployableFolders.map((folder) => `${folder}/dist/main.js`));
    const gateway = await run(process.execPath, ['gateway/dist/main.js']);
    expect(gateway.status).toBe(78);
    expect(gateway.out + gateway.error).toContain('SUPERGRAPH');
  });
});

it.each([
  ['bench', '--scenaro', '--scenario'],
  ['load', '--comment', '--comments'],
  ['prove', '--smal', '--small'],
])('npm run %s knows the option that was meant', async (program, wrong, meant) => {
  const { status, out, error } = await npmRun(program, [wrong]);
  expect([status, out]).toEqual([64, '']);
  expect(error).toContain(`Did you mean "${meant}"`);
});

describe('npm run prove', () => {
  /** What is shown of a proof while it runs, and when it ends. */
  function shown(isTTY: boolean): readonly [during: string, after: string] {
    let written = '';
    const stream = { isTTY, write: (text: string) => void (written += text) };
    const progress = createProgress(createTerminal(stream, { NO_COLOR: '1' }), { isTransient: true });
    const reporter = createProofReporter(progress, () => undefined);
    const test = {
      id: '1',
      name: 'rollout',
      result: () => ({ state: 'passed', errors: [] }),
      diagnostic: () => ({ duration: 1_234 }),
      meta: () => ({ proof: { figures: { failed: 0 } } }),
    } as unknown as TestCase; // what the reporter reads of one
    reporter.onTestCaseReady?.(test);
    const during = written;
    reporter.onTestCaseResult?.(test);
    return [during, written.slice(during.length)];
  }

  it('is one line for each proof without a terminal: name, time and figures', () => {
    expect(shown(false)).toEqual(['', 'rollout: passed in 1.2 s: failed 0\n']);
  });

  it('names the proof that runs at a terminal, without colours where they are not wanted', () => {
    const [during, after] = shown(true);
    expect(during).toContain('rollout … 0.0 s');
    expect(after).toContain('rollout: passed in 1.2 s: failed 0\n');
    expect(`${during}${after}`.replaceAll(`${ESCAPE}[2K`, '')).not.toContain(ESCAPE);
  });
});

describe('The installation before a first start', () => {
  /** A clone whose installer installs nothing, by `npx` on the path. */
  function cloneWithoutPackages(): { readonly directory: string; readonly path: string } {
    const directory = join(folder.path, 'clone');
    const bin = join(directory, 'bin');
    for (const name of ['scripts', 'bin']) mkdirSync(join(directory, name), { recursive: true });
    for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'scripts/run.mjs'])
      copyFileSync(join(repository, name), join(directory, name));
    writeFileSync(join(bin, 'npx'), '#!/bin/sh\necho Progress: 7 packages\nsleep 0.3\nexit 3\n');
    chmodSync(join(bin, 'npx'), 0o755);
    return { directory, path: `${bin}:${process.env['PATH']}` };
  }

  it('is one line with its time; at a terminal it says what goes on', async ({ skip }) => {
    const { directory, path } = cloneWithoutPackages();
    const program = join(directory, 'scripts/run.mjs');
    const environment = { PATH: path, TERM: 'xterm', NO_COLOR: '1' };
    const { status, out, error } = await run(process.execPath, [program, 'start'], environment);
    expect([status, out]).toEqual([1, '']);
    expect(error).toMatch(
      /^Installing packages \(\d\.\d s\)\nProgress: 7 packages\n\nThe installation failed; the reason stands above\.\n$/,
    );
    skip(!hasScript, 'There is no script(1) on this machine, which gives a command a terminal.');
    const line = `'${process.execPath}' '${program}' start; true`;
    const drawn = await run('script', ['-qec', line, '/dev/null'], environment);
    expect(drawn.out).toMatch(/\r.*Installing packages \(\d\.\d s\) Progress: 7 packages/);
    expect(drawn.out.replaceAll(`${ESCAPE}[2K`, '')).not.toContain(ESCAPE);
  });
});
