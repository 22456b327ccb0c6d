import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, withDeadline } from '../harness/deadline.ts';
import { choosePorts } from '../harness/platform-process.ts';
import { countProcesses, MARK_VARIABLE, type CountedProcess } from '../harness/process-census.ts';
import { ProgramOutput } from '../harness/program-output.ts';
import { inheritedEnvironment, root } from '../harness/running-program.ts';

const EXIT_DEADLINE_MS = 12_000;

describe('npm start, with npm between the shell and the platform', { timeout: 120_000 }, () => {
  it('ends in order when npm is told to end, and npm with it', async () => {
    const { npm, processes } = await start();
    npm.kill('SIGTERM');
    expect(await exitOf(npm)).toBe(0);
    expect(processes()).toEqual([]);
  });

  it('takes one Ctrl-C for one, though it comes from the terminal and from npm', async () => {
    const { npm, output, processes } = await start();
    process.kill(-(npm.pid ?? 0), 'SIGINT'); // a terminal tells the whole group
    expect(await exitOf(npm)).toBe(0);
    expect(output.all).toContain('Stopping');
    expect(processes()).toEqual([]);
  });

  it('ends when npm is killed, which can tell nobody', async () => {
    const { npm, processes } = await start();
    npm.kill('SIGKILL');
    await eventually(
      async () => processes(),
      (left) => left.length === 0,
      EXIT_DEADLINE_MS,
    );
  });
});

interface Started {
  readonly npm: ChildProcess;
  readonly output: ProgramOutput;
  readonly processes: () => readonly CountedProcess[];
}

/** In a group of its own, as a shell starts it. */
async function start(): Promise<Started> {
  const temporary = createTemporaryDirectory();
  const directory = join(temporary.path, 'data');
  const mark = { id: randomUUID(), directory };
  const npm = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    env: {
      ...inheritedEnvironment(),
      ...(await choosePorts()),
      DATA_DIR: directory,
      [MARK_VARIABLE]: mark.id,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const processes = (): readonly CountedProcess[] => countProcesses(mark);
  onTestFinished(() => {
    for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
    temporary.remove();
  });
  const output = new ProgramOutput(npm);
  await output.waitFor(/^ {2}ready$/m, 90_000);
  return { npm, output, processes };
}

async function exitOf(npm: ChildProcess): Promise<number | null> {
  const exit = once(npm, 'exit') as Promise<[number | null]>;
  const [code] = await withDeadline(exit, EXIT_DEADLINE_MS, () => 'npm did not end');
  return code;
}
