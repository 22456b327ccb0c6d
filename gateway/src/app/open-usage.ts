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
import { AFTER_A_RELOAD, IntervalRecorder } from '../usage/usage-recorder.ts';
import type { Opened } from './replaceable.ts';

/** Where usage goes, and how often: another one takes another recorder. */
export interface UsageTo {
  readonly database: string | undefined;
  readonly directory: string | undefined;
  /** Of a collector. */
  readonly endpoint: string | undefined;
  readonly intervalS: number;
}

/** What recorders ask for at each use. */
export interface CurrentUsage {
  /** The settings in force. */
  readonly settings: () => SettingsInUse;
  /** What is sent to a collector beside records. */
  readonly headersFor: (endpoint: string) => Readonly<Record<string, string>>;
}

/** Where usage may go. */
export function usageTo(
  { USAGE_DATABASE_URL: database }: Pick<GatewayConfig, 'USAGE_DATABASE_URL'>,
  { usage: { directory, collector, intervalS } }: SettingsInUse,
): UsageTo {
  return { database, directory, endpoint: collector.endpoint, intervalS };
}

/**
 * Says how a recorder of usage is opened. A database and a collector need not be there yet; where nothing can be written to the folder,
 * or a package is missing, opening rejects with a StartupError.
 *
 * @returns what opens one, where the settings say where to
 */
export function createUsageOpener(
  { logger, metrics }: Resources,
  current: CurrentUsage,
): (to: UsageTo) => Promise<Opened<IntervalRecorder> | undefined> {
  let lost: Counter | undefined;
  const queueTo = (sink: UsageSink): UsageQueue => {
    const { name } = sink;
    const outages = createOutageLog({
      logger,
      failure: 'usage cannot be written',
      success: 'usage is written again',
      bindings: { sink: name },
      isTransient: () => true,
    });
    const counter = (lost ??= countLost(metrics));
    return new UsageQueue({ sink, outages, onLost: (operations) => counter.inc({ sink: name }, operations) });
  };
  return async (to) => {
    const process = randomUUID();
    const { sinks, folder } = await openSinks(to, process, current);
    if (sinks.length === 0) return undefined;
    const recorder = new IntervalRecorder({
      process,
      intervalMs: to.intervalS * 1_000,
      bounds: () => current.settings().usage,
      queues: sinks.map(queueTo),
      cost: () => current.settings().cost,
    });
    return {
      value: recorder,
      close: (why) => (why === 'unused' ? leave(recorder, folder) : end(recorder, why)),
    };
  };
}

function end(recorder: IntervalRecorder, why: 'end' | 'replaced'): Promise<void> {
  return why === 'replaced' ? recorder.close(AFTER_A_RELOAD) : recorder.close();
}

/** Nothing was written yet but the mark in a folder. */
async function leave(recorder: IntervalRecorder, folder: UsageFolder | undefined): Promise<void> {
  recorder.stop();
  await folder?.close();
}

function countLost(metrics: Resources['metrics']): Counter {
  return new Counter({
    name: 'trellis_gateway_usage_lost_total',
    help: 'Operations of an interval that could not be written there, and were given up.',
    labelNames: ['sink'],
    registers: [metrics],
  });
}

interface OpenSinks {
  readonly sinks: readonly UsageSink[];
  readonly folder: UsageFolder | undefined;
}

/** The folder last: from then on there is a mark in it, which only what records removes. */
async function openSinks(
  { database, directory, endpoint, intervalS }: UsageTo,
  process: string,
  { headersFor }: CurrentUsage,
): Promise<OpenSinks> {
  const sinks: UsageSink[] = [];
  const intervalMs = intervalS * 1_000;
  if (database !== undefined) {
    const tables = new UsageDatabase(database, process, intervalMs);
    await tables.open().catch(throwStartupError('USAGE_DATABASE_URL'));
    sinks.push(tables);
  }
  if (endpoint !== undefined)
    sinks.push(await collectorAt({ endpoint, headers: () => headersFor(endpoint) }, process));
  if (directory === undefined) return { sinks, folder: undefined };
  const folder = new UsageFolder(directory, process, intervalMs);
  await folder.open().catch(throwStartupError('usage.directory'));
  return { sinks: [...sinks, folder], folder };
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
