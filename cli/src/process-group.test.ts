import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runInGroup } from './process-group.ts';

let directory: TemporaryDirectory;
beforeAll(() => void (directory = createTemporaryDirectory()));
afterAll(() => directory.remove());

/** A shell that starts a process which ignores SIGTERM, and writes its number down. */
function stubborn(name: string, rest = 'wait'): readonly [file: string, args: readonly string[]] {
  const file = join(directory.path, name);
  return [
    file,
    [
      '-c',
      `(trap '' TERM; while :; do sleep 0.1; done) & echo $! > ${file}.part; mv ${file}.part ${file}; ${rest}`,
    ],
  ];
}

/** The number of the process that was written down, once it is. */
async function numberIn(file: string): Promise<number> {
  const read = (): number => {
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      return 0;
    }
  };
  await expect.poll(read).toBeGreaterThan(0);
  return read();
}

/** A process that has ended and that no one has asked for its status counts as ended. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('A process group', () => {
  it.each([
    ['whose leader is asked to end', 'wait'],
    ['whose leader has ended by itself', 'exit 3'],
  ])('%s ends with all that it has started', async (_, rest) => {
    const [file, args] = stubborn(rest.slice(0, 4), rest);
    const child = spawn('/bin/sh', args, { detached: true, stdio: 'ignore' });
    const group = runInGroup(child, 200);
    const pid = await numberIn(file);
    if (rest !== 'wait') await expect.poll(() => child.exitCode).toBe(3);
    expect(runs(pid)).toBe(true);
    await Promise.all([group.end(), group.end()]);
    expect([runs(pid), runs(child.pid ?? 0)]).toEqual([false, false]);
  });

  it('does not outlive who has started it, however that one ends', async () => {
    const file = join(directory.path, 'orphan');
    const program = `
      import { spawn } from 'node:child_process';
      import { runInGroup } from ${JSON.stringify(fileURLToPath(new URL('process-group.ts', import.meta.url)))};
      runInGroup(spawn('/bin/sh', ['-c', 'sleep 600 & echo $! > ${file}.part; mv ${file}.part ${file}; wait'], { detached: true, stdio: 'ignore' }));
      process.stdout.write('watched');`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await Promise.all([numberIn(file), once(owner.stdout, 'data')]); // the child may be quicker than its watcher
    owner.kill('SIGKILL');
    await expect.poll(() => runs(pid)).toBe(false);
  });

  it('is the process alone on Windows, which has no groups and no /bin/sh', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const kill = vi.spyOn(process, 'kill');
    const group = runInGroup(child, 200, 'win32');
    await Promise.all([group.end(), group.end()]);
    await group.end();
    expect(runs(child.pid ?? 0)).toBe(false);
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
  });

  it('of a program that does not exist is none', async () => {
    const child = spawn('/no/such/program', { detached: true });
    child.on('error', () => undefined);
    await runInGroup(child).end();
  });
});
