import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  keepRunning,
  startGuarded,
  startTimeOf,
  type GuardedProcess,
  type RunningProcess,
} from '../index.ts';

let directory: string;
let running: RunningProcess | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trellis-guard-'));
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(directory, { recursive: true, force: true });
});

describe('startGuarded', () => {
  it('asks the process to end, and returns its status', async () => {
    const server = await start('trap "exit 7" TERM; echo up; while :; do sleep 0.05; done');
    await until('up');
    await server.stop();
    await expect(server.exited).resolves.toEqual({ code: 7, signal: null });
  });

  it('insists when the process does not end, and leaves nothing behind', async () => {
    const server = await start('trap "" TERM; echo "pid $$"; while :; do sleep 0.05; done');
    const pid = Number((await until(/pid (\d+)/))[1]);
    const startedAt = performance.now();
    await server.stop();
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
    expect(startTimeOf(pid)).toBeUndefined();
    expect(startTimeOf(server.guardPid)).toBeUndefined();
  });

  it('passes on a signal that the guard is sent', async () => {
    const server = await start('trap "echo asked; exit 0" TERM; echo up; while :; do sleep 0.05; done');
    await until('up');
    process.kill(server.guardPid, 'SIGTERM');
    await expect(server.exited).resolves.toEqual({ code: 0, signal: null });
    expect(output()).toContain('asked');
  });

  it('gives the process nothing of our own environment', async () => {
    const server = await start('env; exit 0');
    await server.exited;
    expect(output()).not.toContain('npm_');
    expect(output()).toContain('COLOUR=green');
  });
});

describe('keepRunning', () => {
  it('starts a process again whenever it ends, and no longer once it is stopped', async () => {
    const onExit = vi.fn<() => void>();
    const onRestart = vi.fn<() => void>();
    running = await keepRunning({ start: () => start('exit 3'), onExit, onRestart });
    await vi.waitFor(() => expect(onRestart.mock.calls.length).toBeGreaterThan(1), { timeout: 90_000 });
    expect(onExit).toHaveBeenCalledWith({ code: 3, signal: null });
    await running.stop();
    const calls = onExit.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(onExit.mock.calls.length).toBe(calls);
  });

  it('pauses longer after each end of a process that ends at once', async () => {
    const startedAt: number[] = [];
    running = await keepRunning({
      start: () => {
        startedAt.push(performance.now());
        return start('exit 1');
      },
    });
    await vi.waitFor(() => expect(startedAt.length).toBe(5), { timeout: 90_000 });
    const pauses = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(pauses[3]).toBeGreaterThan(2 * (pauses[0] ?? 0));
  });

  it('goes on trying when the process can not be started again', async () => {
    const onFailedRestart = vi.fn<(error: unknown) => void>();
    const onRestart = vi.fn<() => void>();
    let attempts = 0;
    running = await keepRunning({
      start: async () => {
        attempts += 1;
        if (attempts === 2 || attempts === 3) throw new Error(`attempt ${attempts}`);
        return start(attempts === 1 ? 'exit 0' : 'sleep 60');
      },
      onRestart,
      onFailedRestart,
    });
    await vi.waitFor(() => expect(onRestart).toHaveBeenCalledOnce(), { timeout: 90_000 });
    expect(onFailedRestart.mock.calls.map(([error]) => (error as Error).message)).toEqual([
      'attempt 2',
      'attempt 3',
    ]);
  });

  it('fails when the first start does', async () => {
    const failing = keepRunning({ start: () => Promise.reject(new Error('no')) });
    await expect(failing).rejects.toThrow('no');
  });

  it('is stopped in the middle of a pause', async () => {
    const onExit = vi.fn<() => void>();
    running = await keepRunning({ start: () => start('exit 1'), onExit });
    await vi.waitFor(() => expect(onExit.mock.calls.length).toBe(5), { timeout: 90_000 });
    const isOver = new Promise((resolve) => setTimeout(() => resolve('the pause is over'), 1_000)); // it is 1.6 s by now
    // By a timer of this process, which is late where this process is.
    expect(await Promise.race([running.stop().then(() => 'stopped'), isOver])).toBe('stopped');
  });
});

async function start(program: string): Promise<GuardedProcess> {
  const file = openSync(join(directory, 'output'), 'a');
  try {
    return await startGuarded({
      command: '/bin/sh',
      args: ['-c', program],
      cwd: directory,
      environment: { PATH: '/usr/bin:/bin', COLOUR: 'green' },
      stopSignal: 'SIGTERM',
      forceSignal: 'SIGKILL',
      output: file,
    });
  } finally {
    closeSync(file);
  }
}

function output(): string {
  return readFileSync(join(directory, 'output'), 'utf8');
}

async function until(pattern: RegExp | string): Promise<RegExpExecArray> {
  return vi.waitFor(
    () => {
      const match = new RegExp(pattern).exec(output());
      if (!match) throw new Error(`not yet: ${output()}`);
      return match;
    },
    { timeout: 90_000 },
  );
}
