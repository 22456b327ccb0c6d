import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeRelease } from './outside-project.ts';
import { plainEnvironment } from './run-program.ts';
import { responds } from './served-program.ts';

/** The variables of a shell where `node` is a release, and whose npm asks no registry. */
export function offlineShell({ executable }: NodeRelease): NodeJS.ProcessEnv {
  const env = plainEnvironment();
  return { ...env, PATH: `${dirname(executable)}${delimiter}${env['PATH']}`, npm_config_offline: 'true' };
}

const STOP_DEADLINE_MS = 30_000;

/** Where {@link tryByNpx} starts a program. */
export interface NpxStart {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Responds with 200 when the program is ready. */
  readonly address: string;
  /** What is tried while it serves. */
  readonly meanwhile?: () => Promise<void>;
}

/**
 * Starts `npx` with these words, as one types it, until an address responds, and ends it as Ctrl-C does: all of it is asked.
 *
 * @returns from the start of npx to the first response, in milliseconds
 * @throws Error with what it wrote, where it is not ready in time, or runs on
 */
export async function tryByNpx(
  words: readonly string[],
  { cwd, env, address, meanwhile }: NpxStart,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('npx', words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + String(chunk)).slice(-4_000)));
  const exited = once(child, 'exit');
  try {
    if (!(await responds(child, address)))
      throw new Error(`npx ${words.join(' ')} was not ready:\n${output}`);
    const readyMs = Math.round(performance.now() - startedAt);
    await meanwhile?.();
    return readyMs;
  } finally {
    await endGroup(child.pid ?? 0, () => output);
    await exited;
  }
}

async function endGroup(pid: number, output: () => string): Promise<void> {
  const until = performance.now() + STOP_DEADLINE_MS;
  signal(pid, 'SIGINT');
  while (signal(pid, 0)) {
    if (performance.now() > until) {
      signal(pid, 'SIGKILL');
      throw new Error(`What npx has started did not end:\n${output()}`);
    }
    await sleep(20);
  }
}

/** @returns whether anything of the group runs */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name);
  } catch {
    return false;
  }
}
