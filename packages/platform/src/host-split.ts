import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '@trellis/config';
import { keepRunning, startGuarded, type GuardedProcess, type RunningProcess } from '@trellis/supervision';
import { hostedPrograms, type HostedProgram, type Prefix } from './hosted-programs.ts';
import type { Host } from './host.ts';
import type { PlatformConfig } from './platform-config.ts';
import { addressOf, type Ports } from './service-environments.ts';

const READY_DEADLINE_MS = 45_000;
const POLL_MS = 100;
const STANDARD_ERROR = 2;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Runs each deployable in a process of its own. One that ends is started again, and the others go on meanwhile; one that
 * can't start does not keep the rest from serving.
 *
 * @param tell where starts again are told
 */
export async function hostSplit(
  config: PlatformConfig,
  environments: Readonly<Record<Prefix, Environment>>,
  ports: Ports,
  tell: (line: string) => void,
): Promise<Host> {
  const running = await Promise.all(
    hostedPrograms.map((program, index) =>
      runProgram(program, environmentOf(program, index, config, environments), tell),
    ),
  );
  const outcomes = await Promise.all(
    hostedPrograms.map(async ({ prefix, service }) =>
      (await becomesReady(addressOf(prefix, ports))) ? [] : [service],
    ),
  );
  return { unavailable: outcomes.flat(), close: () => closeInOrder(running) };
}

/** Each has an operations port of its own: the first the configured one, the next the next. */
function environmentOf(
  { prefix }: HostedProgram,
  index: number,
  config: PlatformConfig,
  environments: Readonly<Record<Prefix, Environment>>,
): Environment {
  const operationsPort = config.OPERATIONS_PORT === 0 ? 0 : config.OPERATIONS_PORT + index;
  return { ...environments[prefix], OPERATIONS_PORT: String(operationsPort) };
}

function runProgram(
  program: HostedProgram,
  environment: Environment,
  tell: (line: string) => void,
): Promise<RunningProcess> {
  return keepRunning({
    start: () => startProcess(program, environment),
    onExit: ({ code, signal }) =>
      tell(`${program.service} has ended (${signal ?? `status ${code}`}); it is started again.`),
    onFailedRestart: (error) => tell(`${program.service} could not be started again: ${String(error)}`),
  });
}

function startProcess({ directory }: HostedProgram, environment: Environment): Promise<GuardedProcess> {
  return startGuarded({
    command: process.execPath,
    args: [
      '--conditions=trellis-source',
      '--import',
      import.meta.resolve('tsx'),
      `${root}${directory}/src/main.ts`,
    ],
    cwd: root,
    environment: definedOnly(environment),
    stopSignal: 'SIGTERM',
    forceSignal: 'SIGKILL',
    output: STANDARD_ERROR,
  });
}

function definedOnly(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

async function becomesReady(address: string): Promise<boolean> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_500) }).catch(
      () => undefined,
    );
    if (answer?.ok) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** The gateway first, so that nobody asks what is already gone. */
async function closeInOrder(running: readonly RunningProcess[]): Promise<void> {
  await running.at(-1)?.stop();
  await Promise.all(running.slice(0, -1).map((process) => process.stop()));
}
