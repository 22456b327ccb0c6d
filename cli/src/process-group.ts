import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** A process and all that it has started. */
export interface ProcessGroup {
  /** Asks all of it to end, and kills what has not ended in time. Resolves when nothing of it runs. Safe to call twice. */
  end(): Promise<void>;
}

const PATIENCE_MS = 5_000;
const CHECK_MS = 20;
/** After SIGKILL only the kernel's own work can hold a process up. */
const KILL_PATIENCE_MS = 2_000;

/** Waits on a pipe, whose other end the kernel closes however this process ends, kill -9 included; then it ends the group. */
const WATCHER =
  'while read -r _; do :; done; kill -s TERM -- "-$1"; sleep 5; kill -s KILL -- "-$1" 2>/dev/null';

/**
 * Takes care that a process, and what it starts, does not outlive this one, however this one ends.
 *
 * @param child spawned with `detached: true`: it leads a group of its own, so Ctrl-C in a terminal does not reach it
 * @param patienceMs in which it has to end when asked
 * @param platform Windows has neither groups nor a shell: there the process alone is ended, and not what it has started
 */
export function runInGroup(
  child: ChildProcess,
  patienceMs: number = PATIENCE_MS,
  platform: NodeJS.Platform = process.platform,
): ProcessGroup {
  const { pid } = child;
  if (pid === undefined) return { end: () => Promise.resolve() }; // it could not be started
  if (platform === 'win32') return { end: () => endAlone(child) };
  const watcher = spawn('/bin/sh', ['-c', WATCHER, 'trellis-watcher', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined); // without a shell the group ends with `end` alone
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  let ended: Promise<void> | undefined;
  const endAll = async (): Promise<void> => {
    await endGroup(pid, patienceMs);
    watcher.kill('SIGKILL'); // the number may belong to others from now on
  };
  const end = (): Promise<void> => (ended ??= endAll());
  child.once('exit', () => {
    if (!signalGroup(pid, 0)) void end(); // else something that it has started runs on
  });
  return { end };
}

/** Windows ends a process at once, whatever the signal. */
async function endAlone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await Promise.race([exited, pause(KILL_PATIENCE_MS, undefined, { ref: false })]);
}

async function endGroup(pid: number, patienceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  if (await hasEnded(pid, patienceMs)) return;
  signalGroup(pid, 'SIGKILL');
  await hasEnded(pid, KILL_PATIENCE_MS);
}

async function hasEnded(pid: number, patienceMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + patienceMs;
  while (signalGroup(pid, 0)) {
    if (performance.now() > deadlineMs) return false;
    await pause(CHECK_MS);
  }
  return true;
}

/** @returns whether anything of the group runs */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
