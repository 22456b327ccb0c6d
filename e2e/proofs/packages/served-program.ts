import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunOptions } from './run-program.ts';

/** A program of an installed package that serves. */
export interface ServedProgram {
  /** From its start until it responded. */
  readonly readyMs: number;
  /** Ends it by SIGTERM. @throws Error where it does not end with status 0 in time */
  stop(): Promise<void>;
}

const READY_DEADLINE_MS = 180_000;
const STOP_DEADLINE_MS = 30_000;

/**
 * Starts a program, and waits until an address of it responds with 200.
 *
 * @throws Error with what it wrote, where it ends before or is not ready in time
 */
export async function serve(
  command: readonly string[],
  address: string,
  { cwd, env }: Required<RunOptions>,
): Promise<ServedProgram> {
  const startedAt = performance.now();
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + String(chunk)).slice(-4_000)));
  if (!(await responds(child, address))) {
    child.kill('SIGKILL');
    throw new Error(`${command.join(' ')} was not ready:\n${output}`);
  }
  return { readyMs: Math.round(performance.now() - startedAt), stop: () => stop(child, () => output) };
}

/** Waits until an address responds with 200. @returns whether it did, before the program ended and in time */
export async function responds(child: ChildProcess, address: string): Promise<boolean> {
  const until = performance.now() + READY_DEADLINE_MS;
  while (performance.now() < until && child.exitCode === null) {
    const response = await fetch(address, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    if (response?.ok) return true;
    await sleep(20);
  }
  return false;
}

async function stop(child: ChildProcess, output: () => string): Promise<void> {
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  const exited = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
  child.kill('SIGTERM');
  await exited;
  clearTimeout(kill);
  if (child.exitCode !== 0) throw new Error(`It ended with status ${child.exitCode}:\n${output()}`);
}
