import { createEventStream, startRelay, type Background } from '@trellis/events';
import {
  forgetOldAnswers,
  startPeriodicTask,
  type BackgroundDependencies,
  type SubgraphConfig,
} from '@trellis/subgraph-kit';

const FORGET_PAUSE_MS = 600_000;

/** Starts what runs beside the requests: the relay, and the end of kept answers. */
export function startBackground(dependencies: BackgroundDependencies<SubgraphConfig>): readonly Background[] {
  const { pool, logger, metrics, connectRedis, relayWakeUp } = dependencies;
  const forgetting = startPeriodicTask({
    name: 'forgetting old answers',
    pauseMs: FORGET_PAUSE_MS,
    work: () => forgetOldAnswers(pool),
    logger,
  });
  if (!connectRedis) return [forgetting];
  const stream = createEventStream({ redis: connectRedis(), service: 'users' });
  return [forgetting, startRelay({ service: 'users', pool, stream, wakeUp: relayWakeUp, logger, metrics })];
}
