import { CannotStart, type Resources } from '@trellis/runtime';
import { Counter } from 'prom-client';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { openUsageRecorder, type UsageRecorder } from '../usage/usage-recorder.ts';

/**
 * Begins to record usage, where the configuration names a folder for it.
 *
 * @throws CannotStart where nothing can be written there
 */
export async function openUsage(
  { usage: { directory, intervalS, documents, rows } }: SettingsInUse,
  { logger, metrics }: Resources,
): Promise<UsageRecorder | undefined> {
  if (directory === undefined) return undefined;
  const lost = new Counter({
    name: 'trellis_gateway_usage_lost_total',
    help: 'Operations of an interval that could not be written to usage.directory, and were given up.',
    registers: [metrics],
  });
  const onLost = (operations: number): void => lost.inc(operations);
  return openUsageRecorder({
    directory,
    intervalMs: intervalS * 1_000,
    documents,
    rows,
    logger,
    onLost,
  }).catch((error: unknown) => {
    const reason = (error as Error).message; // node:fs throws nothing else
    throw new CannotStart(`usage.directory: ${reason}`, { cause: error });
  });
}
