import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

/** One thread for all files: each process of its own would take longer to start than its tests run. */
const CONFIG = "export default { test: { globals: true, pool: 'threads', maxWorkers: 1, isolate: false } };";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-tests-'));
  await writeFile(join(folder, 'vitest.config.mjs'), CONFIG);
});

afterEach(() => rm(folder, { recursive: true }));

/** Runs `npm test`'s program on the files of a folder of its own. */
async function runTests(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { status, lines } = await runTestsIn({ CI: '' }, files, ...args);
  return { status, lastLine: lines.at(-1) };
}

function runTestsIn(
  environment: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
  return Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text))).then(
    () =>
      new Promise<{ status: unknown; lines: string[] }>((resolve) => {
        execFile(
          process.execPath,
          ['--conditions=trellis-source', '--import', 'tsx', 'scripts/test.ts', '--root', folder, ...args],
          { cwd: repository, env: { ...process.env, VITEST: undefined, NO_COLOR: '1', ...environment } },
          (error, stdout) => resolve({ status: error?.code ?? 0, lines: stdout.trimEnd().split('\n') }),
        );
      }),
  );
}

const passing = "it('passes', () => {});";

describe('The last line and the exit status of npm test', { timeout: 120_000 }, () => {
  it('count what passed and what was skipped', async () => {
    expect(
      await runTests({ 'a.test.mjs': `${passing} it.skip('later', () => {}); it.todo('some day');` }),
    ).toEqual({
      status: 0,
      lastLine: '1 passed, 0 failed, 2 skipped',
    });
  });

  it('count what failed', async () => {
    const failing = "it('fails', () => { expect(1).toBe(2); });";
    expect(await runTests({ 'a.test.mjs': passing, 'b.test.mjs': failing })).toEqual({
      status: 1,
      lastLine: '1 passed, 1 failed',
    });
  });

  it('count files that cannot be loaded, hooks that fail, and errors that nothing awaits', async () => {
    const files = {
      'a.test.mjs': passing,
      'b.test.mjs': "import './nowhere.mjs';",
      'c.test.mjs': `describe('c', () => { afterAll(() => { throw new Error('hook'); }); ${passing} });`,
      'd.test.mjs': `it('passes', async () => { Promise.reject(new Error('lost')); await new Promise((go) => setTimeout(go, 50)); });`,
    };
    expect(await runTests(files)).toEqual({ status: 1, lastLine: '3 passed, 3 failed' });
  });

  it('fail when nothing ran', async () => {
    expect(await runTests({})).toEqual({ status: 1, lastLine: '0 passed, 0 failed' });
    expect(await runTests({ 'a.test.mjs': passing }, 'nothing-like-this')).toEqual({
      status: 1,
      lastLine: '0 passed, 0 failed',
    });
  });

  it('count only what the arguments choose', async () => {
    const files = { 'a.test.mjs': passing, 'b.test.mjs': passing };
    expect(await runTests(files, 'a.test')).toEqual({ status: 0, lastLine: '1 passed, 0 failed' });
  });

  it('come after the names of what failed, and of what passed only when CI ran it once more', async () => {
    const files = {
      'a.test.mjs': "it('fails', () => { expect(1).toBe(2); });",
      'b.test.mjs': "let tries = 0; it('is unsteady', () => { tries += 1; expect(tries).toBe(2); });",
    };
    const inCi = await runTestsIn({ CI: 'true' }, files);
    expect(inCi.lines.slice(-6)).toEqual([
      'Unsteady, passed on another try: b.test.mjs > is unsteady',
      expect.stringContaining('expected 1 to be 2'),
      'Failed: a.test.mjs > fails',
      ...Array.from({ length: 2 }, () => expect.stringContaining('expected 1 to be 2')),
      '1 passed, 1 failed',
    ]);
    expect((await runTestsIn({ CI: '' }, files)).lines.at(-1)).toBe('0 passed, 2 failed');
  });
});
