import {
  createLogger,
  createMetrics,
  startOperationsServer,
  type Deployable,
  type Metrics,
} from '@trellis/deployable';
import type { Environment } from '@trellis/config';
import { hostedPrograms, type HostedProgram, type Prefix } from './hosted-programs.ts';
import type { Host } from './host.ts';
import type { PlatformConfig } from './platform-config.ts';

/**
 * Runs every deployable in this process, with one operations port for all.
 *
 * @throws what the first deployable that can't start throws; the others are closed again
 */
export async function hostInProcess(
  config: PlatformConfig,
  environments: Readonly<Record<Prefix, Environment>>,
): Promise<Host> {
  const metrics = new Map(hostedPrograms.map(({ service }) => [service, createMetrics(service)]));
  const operations = await startOperationsServer({
    port: config.OPERATIONS_PORT,
    metrics: [...metrics.values()],
  });
  const running: Deployable[] = [operations];
  try {
    for (const batch of startingOrder()) {
      const outcomes = await Promise.allSettled(
        batch.map((program) => startProgram(program, config, environments, metrics)),
      );
      running.push(...outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return { operations: `${operations.url}/metrics`, unavailable: [], close: () => closeInOrder(running) };
  } catch (error) {
    await closeInOrder(running);
    throw error;
  }
}

/** All but the gateway at once, then the gateway. */
function startingOrder(): readonly (readonly HostedProgram[])[] {
  const isGateway = ({ prefix }: HostedProgram): boolean => prefix === 'GATEWAY';
  return [hostedPrograms.filter((program) => !isGateway(program)), hostedPrograms.filter(isGateway)];
}

function startProgram(
  { prefix, service, start }: HostedProgram,
  config: PlatformConfig,
  environments: Readonly<Record<Prefix, Environment>>,
  metrics: ReadonlyMap<string, Metrics>,
): Promise<Deployable> {
  return start(environments[prefix], {
    logger: createLogger({ service, level: config.LOG_LEVEL }),
    metrics: metrics.get(service) ?? createMetrics(service),
  });
}

/** The last to start is the first to end. One that can't close does not keep the others from it. */
async function closeInOrder(running: readonly Deployable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const deployable of running.toReversed()) {
    await deployable.close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
