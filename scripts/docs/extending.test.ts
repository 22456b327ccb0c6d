import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

const run = promisify(execFile);
const examples = join(repository, 'docs/extending');

/** The example commits, and the tests that must pass once they are applied. */
const replays: Readonly<Record<string, readonly string[]>> = {
  'pipeline-stage': ['gateway/src/pipeline/single-effect.test.ts', 'gateway/src/pipeline/stages.test.ts'],
  'oauth-grant': [
    'auth-server/src/grants/narrowed-token.test.ts',
    'auth-server/src/routes/discovery.test.ts',
  ],
  'composition-check': ['packages/composition/src'],
};

const names = Object.keys(replays);
const patchOf = (name: string): string => join(examples, `${name}.patch`);

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'extending-'));
  await copyRepository(copy);
  await run('git', ['apply', ...names.map(patchOf)], { cwd: copy });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

const linked: ReadonlySet<string> = new Set(['node_modules', 'dist']);
const passedOver: ReadonlySet<string> = new Set(['.git', '.data']);

/** Sources are copied; packages and what is built of them are links to the originals. */
async function copyRepository(target: string): Promise<void> {
  const links: string[] = [];
  await cp(repository, target, {
    recursive: true,
    filter: (source) => {
      const name = basename(source);
      if (linked.has(name)) links.push(source);
      return !linked.has(name) && !passedOver.has(name);
    },
  });
  const linkOf = (source: string): string => join(target, source.slice(repository.length));
  await Promise.all(links.map((source) => symlink(source, linkOf(source))));
}

describe('Example commits', { timeout: 180_000 }, () => {
  it('are all replayed', async () => {
    const patches = (await readdir(examples)).filter((name) => name.endsWith('.patch'));
    expect(patches.toSorted()).toEqual(names.map((name) => `${name}.patch`).toSorted());
  });

  it.each(names)('of %s: at most 3 files and 120 lines', async (name) => {
    const patch = await readFile(patchOf(name), 'utf8');
    expect((await filesOf(name)).length).toBeLessThanOrEqual(3);
    const lines = patch.split('\n').filter((line) => /^[+-](?!\+\+ |-- )/.test(line));
    expect(lines.length).toBeLessThanOrEqual(120);
  });

  it('pass the type check together', async () => {
    const testkit = 'packages/testkit/src/global-setup.ts'; // says what it provides to tests
    const files = [testkit, ...(await Promise.all(names.map(filesOf))).flat()];
    const config = {
      extends: './tsconfig.tests.json',
      compilerOptions: { incremental: false },
      include: files,
    };
    await writeFile(join(copy, 'tsconfig.replay.json'), JSON.stringify(config));
    await runInCopy('typescript/bin/tsc', '--project', 'tsconfig.replay.json');
  });

  it('pass their tests together', async () => {
    const files = Object.values(replays).flat();
    const report = join(copy, 'report.json');
    const output = ['--reporter=json', `--outputFile=${report}`];
    await runInCopy(
      'vitest/vitest.mjs',
      'run',
      '--project',
      'unit',
      '--reporter=default',
      ...output,
      ...files,
    );
    const { numTotalTests, numPassedTests, testResults } = JSON.parse(
      await readFile(report, 'utf8'),
    ) as Report;
    expect(testResults.length).toBeGreaterThanOrEqual(files.length);
    expect(numPassedTests).toBeGreaterThan(0);
    expect(numPassedTests).toBe(numTotalTests);
  });
});

/** What vitest's JSON reporter writes. */
interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly unknown[];
}

/** Runs the program of a package. @throws Error with its output when it fails */
function runInCopy(program: string, ...args: readonly string[]): Promise<unknown> {
  const environment = { ...process.env, VITEST: undefined, NO_COLOR: '1' };
  return run(process.execPath, [join(copy, 'node_modules', program), ...args], {
    cwd: copy,
    env: environment,
    timeout: 170_000,
    maxBuffer: 16 * 1024 * 1024,
  }).catch((error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${program} failed:\n${error.stdout}\n${error.stderr}`);
  });
}

/** The files that an example adds or changes. */
async function filesOf(name: string): Promise<readonly string[]> {
  const patch = await readFile(patchOf(name), 'utf8');
  return [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path ?? '');
}
