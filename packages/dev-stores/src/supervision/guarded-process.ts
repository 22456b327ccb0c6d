import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** The account of the operating system that a process runs as. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Settings of {@link startGuarded}. */
export interface GuardedProcessOptions {
  /** An executable file, by its absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Entered before the rights of the owner are given up, so it need not be reachable for `runAs`. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Only root may name another account. @default the owner's account */
  readonly runAs?: RunAs;
  /** Asks the server to end in order. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
  /** Sent when it has not ended 5 s later; 2 s after that it is killed. */
  readonly forceSignal: 'SIGQUIT' | 'SIGKILL';
  /** File descriptor that takes standard output and error. */
  readonly output: number;
}

/** How a guarded process ended. */
export interface ProcessExit {
  /** null when a signal ended the guard itself. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running server that ends with its owner. */
export interface GuardedProcess {
  /** Of the guard, which is the server's parent. */
  readonly guardPid: number;
  /** Resolves when the guard is gone. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Asks the server to end, insists after 5 s, kills it after 7 s. Resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>;
}

const script = readFileSync(new URL('../../src/supervision/guard.sh', import.meta.url), 'utf8');

/** Longer than the guard takes to go from asking to killing. */
const STOP_DEADLINE_MS = 9_000;

/**
 * Starts a server under a guard: a POSIX shell that waits on a pipe from this process and ends the server when the
 * pipe closes, however this process ended. Both run in a session of their own, so that Ctrl-C in a terminal reaches
 * this process alone and the order of the end is ours.
 *
 * @throws Error when there is no `/bin/sh`, or the account is rejected
 */
export async function startGuarded(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const guard = spawn('/bin/sh', guardArguments(options), {
    cwd: options.cwd,
    env: { ...options.environment },
    detached: true,
    stdio: ['pipe', options.output, options.output],
    ...options.runAs,
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    guard.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await once(guard, 'spawn');
  guard.stdin?.on('error', () => undefined); // the guard is gone, which `exited` shows
  return { guardPid: guard.pid ?? 0, exited, stop: () => stopGuard(guard, exited) };
}

function guardArguments(options: GuardedProcessOptions): string[] {
  const signals = [options.stopSignal, options.forceSignal].map((name) => name.slice('SIG'.length));
  return ['-c', script, 'trellis-guard', ...signals, options.command, ...options.args];
}

async function stopGuard(guard: ChildProcess, exited: Promise<ProcessExit>): Promise<void> {
  guard.stdin?.end();
  const timer = setTimeout(() => guard.kill('SIGKILL'), STOP_DEADLINE_MS);
  await exited;
  clearTimeout(timer);
}
