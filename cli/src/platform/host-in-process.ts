import {
  createLogger,
  createMetrics,
  type Deployable,
  type Environment,
  type Logger,
  type Metrics,
  type Resources,
  startOperationsServer,
} from '@trellis/runtime';
import { programs, type HostedProgram, type Prefix } from '../programs.ts';
import type { Host } from './host.ts';
import type { PlatformConfig } from './environment-table.ts';
import { startLater } from './start-later.ts';

/** What {@link hostInProcess} needs to know. */
export interface InProcessOptions {
  readonly config: PlatformConfig;
  readonly environments: Readonly<Record<Prefix, Environment>>;
  /** Prints a line for each failed start, and for a later one that succeeds. */
  readonly print: (line: string) => void;
}

/** Without these no user can sign in, and no query runs. */
const NEEDED: ReadonlySet<Prefix> = new Set(['AUTH', 'GATEWAY']);

/**
 * Runs every deployable in this process, with one operations port for all. A subgraph that can't start does not keep the
 * rest from serving: it is tried again until it does.
 *
 * @throws what the auth-server or the gateway throws when it can't start; the others are closed again
 */
export async function hostInProcess(options: InProcessOptions): Promise<Host> {
  const { config, environments } = options;
  const metrics = new Map(programs.map(({ service }) => [service, createMetrics(service)]));
  const started = new Map<string, Deployable>();
  const operations = await startOperationsServer({
    port: config.OPERATIONS_PORT,
    metrics: [...metrics.values()],
    routes: programs.flatMap(({ prefix, service, operations: routes }) =>
      routes(environments[prefix], resourcesOf(service, config, metrics), () => started.get(service)),
    ),
  });
  const running: Closable[] = [operations];
  const unavailable: string[] = [];
  const start = async (program: HostedProgram): Promise<Deployable> => {
    const deployable = await startProgram(program, config, environments, metrics);
    started.set(program.service, deployable);
    return deployable;
  };
  const startAgain = (program: HostedProgram, failure: unknown): void => {
    const { service } = program;
    unavailable.push(service);
    running.push(startLater({ service, start: () => start(program), failure, print: options.print }));
  };
  try {
    for (const batch of startingOrder()) running.push(...(await startBatch(batch, start, startAgain)));
    return { operations: `${operations.url}/metrics`, unavailable, close: () => closeInOrder(running) };
  } catch (error) {
    await closeInOrder(running);
    throw error;
  }
}

type Closable = Pick<Deployable, 'close'>;

/** @throws what one throws that is needed; those of the batch that have started are closed again */
async function startBatch(
  batch: readonly HostedProgram[],
  start: (program: HostedProgram) => Promise<Deployable>,
  startAgain: (program: HostedProgram, failure: unknown) => void,
): Promise<readonly Closable[]> {
  const outcomes = await Promise.allSettled(batch.map(start));
  const started = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  const failures = batch.flatMap((program, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected' ? [{ program, reason: outcome.reason as unknown }] : [];
  });
  const fatal = failures.find(({ program }) => NEEDED.has(program.prefix));
  if (fatal) {
    await closeInOrder(started);
    throw fatal.reason;
  }
  for (const { program, reason } of failures) startAgain(program, reason);
  return started;
}

/** All but the gateway at once, then the gateway. */
function startingOrder(): readonly (readonly HostedProgram[])[] {
  const isGateway = ({ prefix }: HostedProgram): boolean => prefix === 'GATEWAY';
  return [programs.filter((program) => !isGateway(program)), programs.filter(isGateway)];
}

function startProgram(
  { prefix, service, start }: HostedProgram,
  config: PlatformConfig,
  environments: Readonly<Record<Prefix, Environment>>,
  metrics: ReadonlyMap<string, Metrics>,
): Promise<Deployable> {
  const resources = resourcesOf(service, config, metrics);
  resources.metrics.clear(); // of what an attempt that failed has registered
  resources.metrics.setDefaultLabels({ service });
  return start(environments[prefix], resources);
}

function resourcesOf(
  service: string,
  config: PlatformConfig,
  metrics: ReadonlyMap<string, Metrics>,
): Resources {
  return { logger: loggerOf(service, config), metrics: metrics.get(service) ?? createMetrics(service) };
}

function loggerOf(service: string, config: PlatformConfig): Logger {
  return createLogger({ service, level: config.LOG_LEVEL });
}

/** The last to start is the first to end. One that can't close does not keep the others from it. */
async function closeInOrder(running: readonly Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const deployable of running.toReversed()) {
    await deployable.close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
