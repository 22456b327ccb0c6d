import { createEventStream, startRelay, type Background } from '@trellis/events';
import type { BackgroundDependencies } from './create-subgraph-program.ts';
import { forgetOldAnswers } from './idempotency.ts';
import { startPeriodicTask } from './periodic-task.ts';

const FORGET_PAUSE_MS = 600_000;

/**
 * Starts what every subgraph with mutations has beside its requests: kept answers are forgotten when their time is over and,
 * with a Redis, its relay gives what it tells to others.
 *
 * @param service the subgraph, whose database has the tables of `sql/idempotent-answer.sql` and of the outbox
 */
export function startWritingTasks(
  { pool, logger, metrics, connectRedis, relayWakeUp }: BackgroundDependencies<unknown>,
  service: string,
): readonly Background[] {
  const forgetting = startPeriodicTask({
    name: 'forgetting old answers',
    pauseMs: FORGET_PAUSE_MS,
    work: () => forgetOldAnswers(pool),
    logger,
  });
  if (!connectRedis) return [forgetting];
  const stream = createEventStream({ redis: connectRedis(), service });
  return [forgetting, startRelay({ service, pool, stream, wakeUp: relayWakeUp, logger, metrics })];
}
