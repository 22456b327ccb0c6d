import { randomUUID } from 'node:crypto';
import { StartupError, type Resources } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { Counter } from 'prom-client';
import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { UsageCollectorOptions } from '../usage/usage-collector.ts';
import { UsageDatabase } from '../usage/usage-database.ts';
import { UsageFolder } from '../usage/usage-folder.ts';
import { UsageQueue, type UsageSink } from '../usage/usage-queue.ts';
import { IntervalRecorder, type UsageRecorder } from '../usage/usage-recorder.ts';

/** Where usage may go. */
type Destinations = Pick<GatewayConfig, 'USAGE_DATABASE_URL'>;

/**
 * Begins to record usage, where the configuration says where to. A database and a collector need not be there yet.
 *
 * @param current the settings in force
 * @throws StartupError where nothing can be written to the folder, or a package is missing
 */
export async function openUsage(
  destinations: Destinations,
  settings: SettingsInUse,
  { logger, metrics }: Resources,
  current: () => SettingsInUse,
): Promise<UsageRecorder | undefined> {
  const { intervalS, documents, rows } = settings.usage;
  const [process, intervalMs] = [randomUUID(), intervalS * 1_000];
  const sinks = await openSinks(destinations, settings, process, intervalMs);
  if (sinks.length === 0) return undefined;
  const lost = new Counter({
    name: 'trellis_gateway_usage_lost_total',
    help: 'Operations of an interval that could not be written there, and were given up.',
    labelNames: ['sink'],
    registers: [metrics],
  });
  const queues = sinks.map((sink) => {
    const { name } = sink;
    const outages = createOutageLog({
      logger,
      failure: 'usage cannot be written',
      success: 'usage is written again',
      bindings: { sink: name },
      isTransient: () => true,
    });
    return new UsageQueue({ sink, outages, onLost: (operations) => lost.inc({ sink: name }, operations) });
  });
  return new IntervalRecorder({
    process,
    intervalMs,
    documents,
    rows,
    queues,
    cost: () => current().cost,
  });
}

/** The folder last: from then on there is a mark in it, which only what records removes. */
async function openSinks(
  { USAGE_DATABASE_URL: database }: Destinations,
  { usage: { directory, collector } }: SettingsInUse,
  process: string,
  intervalMs: number,
): Promise<readonly UsageSink[]> {
  const sinks: UsageSink[] = [];
  if (database !== undefined) {
    const tables = new UsageDatabase(database, process, intervalMs);
    await tables.open().catch(throwStartupError('USAGE_DATABASE_URL'));
    sinks.push(tables);
  }
  const { endpoint, headers } = collector;
  if (endpoint !== undefined) sinks.push(await collectorAt({ endpoint, headers }, process));
  if (directory !== undefined) {
    const folder = new UsageFolder(directory, process, intervalMs);
    await folder.open().catch(throwStartupError('usage.directory'));
    sinks.push(folder);
  }
  return sinks;
}

/** OpenTelemetry's exporter is loaded by those who use it: without it, a gateway starts with fewer modules. */
async function collectorAt(options: UsageCollectorOptions, process: string): Promise<UsageSink> {
  const { UsageCollector } = await import('../usage/usage-collector.ts');
  try {
    return new UsageCollector(options, process);
  } catch (error) {
    return throwStartupError('usage.collector')(error);
  }
}

function throwStartupError(setting: string): (error: unknown) => never {
  return (error) => {
    const reason = (error as Error).message; // node:fs, and our own
    throw new StartupError(`${setting}: ${reason}`, { cause: error });
  };
}
