import { createEventStream, startRelay, type Background, type SequencedEvent } from '@trellis/events';
import type { BackgroundDependencies } from './create-subgraph-program.ts';
import { createInvalidatingStream, type EntityChange } from './events/invalidating-stream.ts';
import { purgeIdempotencyRecords } from './idempotency.ts';
import { startPeriodicTask } from './periodic-task.ts';

/** Settings of {@link startWritingTasks}. */
export interface WritingTasksOptions {
  /** Which entities an event has changed: gateways that cache responses invalidate them. @default none */
  readonly changesOf?: (event: SequencedEvent) => readonly EntityChange[];
}

const PURGE_PAUSE_MS = 600_000;

/**
 * Starts what every subgraph with mutations has beside its requests: expired idempotency records are purged and,
 * with a Redis, its relay publishes events.
 *
 * @param service the subgraph, whose database `migrateSubgraph` brought up to date
 */
export function startWritingTasks(
  dependencies: BackgroundDependencies<unknown>,
  service: string,
  { changesOf }: WritingTasksOptions = {},
): readonly Background[] {
  const { pool, logger, metrics, connectRedis, connectResponseCache, relayWakeUp } = dependencies;
  const purging = startPeriodicTask({
    name: 'purging idempotency records',
    pauseMs: PURGE_PAUSE_MS,
    work: () => purgeIdempotencyRecords(pool),
    logger,
  });
  if (!connectRedis) return [purging];
  const events = createEventStream({ redis: connectRedis(), service });
  const stream =
    connectResponseCache && changesOf
      ? createInvalidatingStream(events, { redis: connectResponseCache(), changesOf, logger })
      : events;
  return [purging, startRelay({ service, pool, stream, wakeUp: relayWakeUp, logger, metrics })];
}
