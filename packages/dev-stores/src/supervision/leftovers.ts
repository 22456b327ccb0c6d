import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startTimeOf } from './process-identity.ts';

/** What {@link endLeftovers} looks for. */
export interface LeftoverOptions {
  /** The server's data directory, which is its working directory. */
  readonly directory: string;
  /** File names of the server's executable, links resolved: `postgres`. */
  readonly executables: readonly string[];
  /** In the directory; its first line is the server's process id. Read where the system does not show working directories. */
  readonly pidFile: string;
  /** Sent one after the other; `patienceMs` is how long each is given. */
  readonly escalation: readonly { readonly signal: NodeJS.Signals; readonly patienceMs: number }[];
}

/**
 * Ends what an earlier run left in a data directory: a server whose guard was killed with its owner, or the children
 * of a server that was killed itself. A process is known by its executable and its working directory, since its
 * process id may be someone else's by now.
 *
 * @throws Error naming the processes that did not even obey the last signal
 */
export async function endLeftovers(options: LeftoverOptions): Promise<void> {
  for (const { signal, patienceMs } of options.escalation) {
    const pids = findLeftovers(options);
    for (const pid of pids) sendSignal(pid, signal);
    if (await waitUntilGone(pids, patienceMs)) return;
  }
  throw new Error(
    `Processes of an earlier run still use ${options.directory} and can not be ended: ${findLeftovers(options).join(', ')}.`,
  );
}

/** Linux shows executable and working directory of every process; elsewhere the pid file and ps have to do. */
function findLeftovers(options: LeftoverOptions): readonly number[] {
  if (process.platform === 'linux') return processesIn(realpathSync(options.directory), options.executables);
  const pid = pidIn(join(options.directory, options.pidFile));
  return pid !== undefined && options.executables.includes(commandOf(pid)) ? [pid] : [];
}

function processesIn(directory: string, executables: readonly string[]): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => linkOf(pid, 'cwd') === directory && executables.includes(executableOf(pid)))
    .map(Number);
}

/** An executable that was replaced meanwhile reads `/path/postgres (deleted)`. */
function executableOf(pid: string): string {
  return basename(linkOf(pid, 'exe').replace(/ \(deleted\)$/, ''));
}

/** @returns '' for a process that is gone, or that belongs to someone else */
function linkOf(pid: string, name: 'cwd' | 'exe'): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
}

function pidIn(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  const { stdout } = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
  return basename(stdout.trim());
}

/** The process may be gone already. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** @returns whether none of them runs at the deadline */
async function waitUntilGone(pids: readonly number[], deadlineMs: number): Promise<boolean> {
  const end = Date.now() + deadlineMs;
  while (pids.some((pid) => startTimeOf(pid) !== undefined)) {
    if (Date.now() >= end) return false;
    await delay(20);
  }
  return true;
}
