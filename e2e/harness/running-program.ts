import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programArguments } from '@trellis/testkit';
import { withDeadline } from './deadline.ts';
import { countProcesses, MARK_VARIABLE, type CountedProcess } from './process-census.ts';
import { ProgramOutput } from './program-output.ts';

/** The checkout. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** One of the programs behind the npm commands of the root. */
export type ProgramName =
  | 'start'
  | 'dev'
  | 'gateway'
  | 'auth-server'
  | 'search'
  | 'supergraph'
  | 'token'
  | 'registry'
  | 'publish'
  | 'variant'
  | 'keys';

/** Settings of {@link startProgram}. */
export interface ProgramOptions {
  readonly args?: readonly string[];
  /** All that the program sees beside PATH, HOME and the like. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Standard input, to its end. @default none */
  readonly input?: string;
  /** Database servers are distinguished by this directory, in which they work. */
  readonly dataDirectory?: string;
  /** Whether it is started by exactly what its npm command runs, or may be compiled already. @default false */
  readonly isFromSource?: boolean;
}

/** How a program ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds from the request to end, or else from the start, to the end. */
  readonly elapsedMs: number;
  /** Commands of the run's processes that still ran when the program had ended. */
  readonly leftBehind: readonly string[];
}

/** A program of an npm command. */
export interface RunningProgram {
  readonly pid: number;
  readonly output: ProgramOutput;
  processes(): readonly CountedProcess[];
  /** Resolves when it has ended by itself; kills it and rejects after `deadlineMs`. */
  ended(deadlineMs: number): Promise<Ending>;
  /** Sends SIGTERM, or another signal, and waits for the end at most 20 s; then kills all and rejects. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

const STOP_DEADLINE_MS = 20_000;

/** Starts a program of the root without npm in between, so that signals and exit codes are its own: compiled, if the run has compiled it. */
export function startProgram(name: ProgramName, options: ProgramOptions = {}): RunningProgram {
  const mark = { id: randomUUID(), ...(options.dataDirectory && { directory: options.dataDirectory }) };
  const child = spawn(
    process.execPath,
    [...nodeArguments(options.isFromSource ?? false), name, ...(options.args ?? [])],
    {
      cwd: root,
      env: { ...inheritedEnvironment(), ...options.environment, [MARK_VARIABLE]: mark.id },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  child.stdin.on('error', () => undefined); // a program that does not read may end first
  child.stdin.end(options.input);
  return superviseProgram(child, () => countProcesses(mark));
}

function nodeArguments(isFromSource: boolean): readonly string[] {
  if (isFromSource) return ['--conditions=trellis-source', 'scripts/run.mjs'];
  return programArguments(join(root, 'cli/src/main.ts'));
}

/** What a user's shell would give, without what this test runner was given. */
export function inheritedEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'USER', 'LANG'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function superviseProgram(child: ChildProcess, processes: () => readonly CountedProcess[]): RunningProgram {
  const startedAt = Date.now();
  const output = new ProgramOutput(child);
  const killAll = (): void => processes().forEach(({ pid }) => kill(pid));
  process.once('exit', killAll);
  const census = observeEnd(child, processes);

  async function waitForEnd(deadlineMs: number, since: number): Promise<Ending> {
    try {
      const end = await withDeadline(census, deadlineMs, () => `No end in ${deadlineMs} ms:\n${output.all}`);
      return { ...end, elapsedMs: end.at - since };
    } finally {
      killAll();
      process.removeListener('exit', killAll);
    }
  }

  return {
    pid: child.pid ?? 0,
    output,
    processes,
    ended: (deadlineMs) => waitForEnd(deadlineMs, startedAt),
    stop: (signal = 'SIGTERM') => {
      const since = Date.now();
      child.kill(signal);
      return waitForEnd(STOP_DEADLINE_MS, since);
    },
  };
}

interface End extends Omit<Ending, 'elapsedMs'> {
  readonly at: number;
}

/** Counts what is left at once, and then gives the last output a moment to arrive: an orphan may hold the pipe open. */
async function observeEnd(child: ChildProcess, processes: () => readonly CountedProcess[]): Promise<End> {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const end = { code, signal, at: Date.now(), leftBehind: processes().map(({ command }) => command) };
  await Promise.race([closed, delay(500)]);
  return end;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it is gone already
  }
}
