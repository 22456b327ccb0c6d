import { createEventStream, startRelay, type Background, type SequencedEvent } from '@trellis/events';
import type { BackgroundDependencies } from './create-subgraph-program.ts';
import { voidingKeptAnswers, type EntityChange } from './events/kept-answers.ts';
import { forgetOldAnswers } from './idempotency.ts';
import { startPeriodicTask } from './periodic-task.ts';

/** Settings of {@link startWritingTasks}. */
export interface WritingTasksOptions {
  /** Which entities answers show otherwise since an event: gateways are told, where they keep answers. @default none */
  readonly changesOf?: (event: SequencedEvent) => readonly EntityChange[];
}

const FORGET_PAUSE_MS = 600_000;

/**
 * Starts what every subgraph with mutations has beside its requests: kept answers are forgotten when their time is over and,
 * with a Redis, its relay gives what it tells to others.
 *
 * @param service the subgraph, whose database {@link migrateSubgraph} brought up to date
 */
export function startWritingTasks(
  dependencies: BackgroundDependencies<unknown>,
  service: string,
  { changesOf }: WritingTasksOptions = {},
): readonly Background[] {
  const { pool, logger, metrics, connectRedis, connectResponseCache, relayWakeUp } = dependencies;
  const forgetting = startPeriodicTask({
    name: 'forgetting old answers',
    pauseMs: FORGET_PAUSE_MS,
    work: () => forgetOldAnswers(pool),
    logger,
  });
  if (!connectRedis) return [forgetting];
  const events = createEventStream({ redis: connectRedis(), service });
  const stream =
    connectResponseCache && changesOf
      ? voidingKeptAnswers(events, { redis: connectResponseCache(), changesOf, logger })
      : events;
  return [forgetting, startRelay({ service, pool, stream, wakeUp: relayWakeUp, logger, metrics })];
}
