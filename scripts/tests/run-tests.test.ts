import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-tests-'));
  await writeFile(join(folder, 'vitest.config.mjs'), 'export default { test: { globals: true } };');
});

afterEach(() => rm(folder, { recursive: true }));

/** Runs `npm test`'s program on the files of a folder of its own. */
function runTests(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text))).then(
    () =>
      new Promise<{ status: unknown; lastLine: string | undefined }>((resolve) => {
        execFile(
          process.execPath,
          ['--conditions=trellis-source', '--import', 'tsx', 'scripts/test.ts', '--root', folder, ...args],
          { cwd: repository, env: { ...process.env, VITEST: undefined, NO_COLOR: '1' } },
          (error, stdout) =>
            resolve({ status: error?.code ?? 0, lastLine: stdout.trimEnd().split('\n').at(-1) }),
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
});
