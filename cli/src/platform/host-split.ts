import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '@trellis/runtime';
import {
  keepRunning,
  startGuarded,
  type GuardedProcess,
  type GuardedProcessOptions,
  type RunningProcess,
} from '@trellis/dev-stores';
import { internalAddressOf } from './addresses.ts';
import { programs, type HostedProgram, type Prefix } from '../programs.ts';
import type { Host } from './host.ts';
import type { PlatformConfig } from './environment-table.ts';
import type { Ports } from './ports.ts';

/** What {@link hostSplit} needs to know. */
export interface SplitOptions {
  readonly config: PlatformConfig;
  readonly environments: Readonly<Record<Prefix, Environment>>;
  readonly ports: Ports;
  /** Ends the wait for processes to serve. */
  readonly signal: AbortSignal;
  /** Prints a line for each end and restart. */
  readonly print: (line: string) => void;
  /** Starts a process. @default startGuarded */
  readonly start?: (options: GuardedProcessOptions) => Promise<GuardedProcess>;
}

/** A program with its process, which comes back when it ends. */
interface Hosted {
  readonly program: HostedProgram;
  readonly process: RunningProcess;
  /** How often it has ended by itself. */
  readonly ends: () => number;
}

const READY_DEADLINE_MS = 45_000;
const POLL_MS = 100;
/** The gateway may take this long to finish what is in flight before those that it asks end as well. */
const GATEWAY_HEAD_START_MS = 2_000;
const STANDARD_ERROR = 2;
/**
 * Runs each deployable in a process of its own. One that ends is started again, and the others go on meanwhile; one that
 * can't start does not keep the rest from serving.
 */
export async function hostSplit(options: SplitOptions): Promise<Host> {
  const hosted = await Promise.all(
    programs.map((program, index) => run(program, environmentOf(program, index, options), options)),
  );
  const ready = await Promise.all(hosted.map((one) => becomesReady(one, options)));
  const { OPERATIONS_PORT: first } = options.config;
  return {
    operations:
      first === 0 ? 'a free port each' : `ports ${first} to ${first + hosted.length - 1}, /metrics each`,
    unavailable: hosted.filter((_one, index) => !ready[index]).map(({ program }) => program.service),
    close: () => closeInOrder(hosted),
  };
}

/** Each has an operations port of its own: the first the configured one, the next the next. */
function environmentOf({ prefix }: HostedProgram, index: number, options: SplitOptions): Environment {
  const { OPERATIONS_PORT: first } = options.config;
  return { ...options.environments[prefix], OPERATIONS_PORT: String(first === 0 ? 0 : first + index) };
}

async function run(
  program: HostedProgram,
  environment: Environment,
  { print, start = startGuarded }: SplitOptions,
): Promise<Hosted> {
  let ends = 0;
  const process = await keepRunning({
    start: () => start(describeProcess(program, environment)),
    onExit: ({ code, signal }) => {
      ends += 1;
      print(`${program.service} has ended (${signal ?? `status ${code}`}); it is started again.`);
    },
    onFailedRestart: (error) => print(`${program.service} could not be started again: ${String(error)}`),
  });
  return { program, process, ends: () => ends };
}

function describeProcess({ packageName }: HostedProgram, environment: Environment): GuardedProcessOptions {
  return {
    command: process.execPath,
    args: argumentsOf(import.meta.resolve(packageName)),
    cwd: process.cwd(),
    environment: definedOnly(environment),
    stopSignal: 'SIGTERM',
    forceSignal: 'SIGKILL',
    output: STANDARD_ERROR,
  };
}

/** From sources where this program runs from sources. */
function argumentsOf(entry: string): readonly string[] {
  const fromSource = entry.endsWith('.ts');
  const main = fileURLToPath(new URL(fromSource ? './main.ts' : './main.js', entry));
  return fromSource ? ['--conditions=trellis-source', '--import', import.meta.resolve('tsx'), main] : [main];
}

function definedOnly(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** @returns false when it ended instead, at the deadline, and when the wait is aborted */
async function becomesReady({ program, ends }: Hosted, options: SplitOptions): Promise<boolean> {
  const { environments, ports, signal } = options;
  const address = internalAddressOf(program.prefix, ports, environments[program.prefix]);
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline && ends() === 0 && !signal.aborted) {
    const response = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_500) }).catch(
      () => undefined,
    );
    if (response?.ok) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** The gateway first, so that no request reaches a service that has ended. */
async function closeInOrder(hosted: readonly Hosted[]): Promise<void> {
  const isGateway = ({ program }: Hosted): boolean => program.prefix === 'GATEWAY';
  const gateway = Promise.all(hosted.filter(isGateway).map(({ process }) => process.stop()));
  await Promise.race([gateway, delay(GATEWAY_HEAD_START_MS, undefined, { ref: false })]);
  const others = hosted.filter((one) => !isGateway(one)).map(({ process }) => process.stop());
  await Promise.all([gateway, ...others]);
}
