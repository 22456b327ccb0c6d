import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/trellis.mjs', import.meta.url));
const directory = createTemporaryDirectory();
afterAll(() => directory.remove());

it("A command that runs in a child process has the flags of Node's that the program was started with", () => {
  const [preload, list] = [join(directory.path, 'preload.cjs'), join(directory.path, 'processes')];
  writeFileSync(preload, `require('fs').appendFileSync(${JSON.stringify(list)}, process.pid + '\\n');`);
  const { status } = spawnSync(process.execPath, ['--require', preload, program, '--help'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const processes = new Set(readFileSync(list, 'utf8').trim().split('\n'));
  expect([status, processes.size > 1]).toEqual([0, true]);
});
