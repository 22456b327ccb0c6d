import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { withDeadline } from './deadline.ts';
import { addressesOf, choosePorts, type PlatformAddresses } from './platform-process.ts';
import { countProcesses, MARK_VARIABLE, type CountedProcess } from './process-census.ts';
import { ProgramOutput } from './program-output.ts';
import { inheritedEnvironment, root } from './running-program.ts';

/** Settings of {@link startByNpm}. */
export interface NpmStartOptions {
  /** Where the platform keeps its data. */
  readonly dataDirectory: string;
  /** @default the checkout that this file is of */
  readonly checkout?: string;
  /** Variables beside those that place it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The user's home directory. @default that of the user who runs this */
  readonly home?: string;
}

/** `npm start`, with npm between the shell and the platform. */
export interface NpmStart {
  readonly npm: ChildProcess;
  readonly output: ProgramOutput;
  readonly addresses: PlatformAddresses;
  /** Milliseconds from the command to the line that says `ready`. */
  readonly readyAfterMs: number;
  processes(): readonly CountedProcess[];
  /** Ends everything that is left. */
  killAll(): void;
}

const READY_DEADLINE_MS = 120_000;
const EXIT_DEADLINE_MS = 12_000;

/** Runs `npm start` in a process group of its own, as a shell does, on free ports, and waits until it is ready. */
export async function startByNpm(options: NpmStartOptions): Promise<NpmStart> {
  const mark = { id: randomUUID(), directory: options.dataDirectory };
  const ports = await choosePorts();
  const environment = {
    ...inheritedEnvironment(),
    ...ports,
    ...(options.home && { HOME: options.home }),
    DATA_DIR: options.dataDirectory,
    ...options.environment,
    [MARK_VARIABLE]: mark.id,
  };
  const startedAt = Date.now();
  const npm = spawn('npm', ['start'], {
    cwd: options.checkout ?? root,
    detached: true,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const processes = (): readonly CountedProcess[] => countProcesses(mark);
  const killAll = (): void => processes().forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  const output = new ProgramOutput(npm);
  try {
    await output.waitFor(/^ {2}ready$/m, READY_DEADLINE_MS);
  } catch (error) {
    killAll();
    throw error;
  }
  return {
    npm,
    output,
    addresses: addressesOf(ports),
    readyAfterMs: Date.now() - startedAt,
    processes,
    killAll,
  };
}

/** As a terminal's Ctrl-C: the whole group gets the signal. */
export function interruptGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGINT');
}

/** Waits at most 12 s. @returns the exit code; null when a signal ended it */
export async function exitOf(npm: ChildProcess): Promise<number | null> {
  const exit = once(npm, 'exit') as Promise<[number | null]>;
  const [code] = await withDeadline(exit, EXIT_DEADLINE_MS, () => 'npm did not end');
  return code;
}
