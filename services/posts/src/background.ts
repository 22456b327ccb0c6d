import { createEventStream, startRelay, type Background } from '@trellis/events';
import { inTransaction } from '@trellis/postgres';
import {
  forgetOldAnswers,
  startPeriodicTask,
  type BackgroundDependencies,
  type SubgraphConfig,
} from '@trellis/subgraph-kit';
import { publishDuePosts } from './post-writer.ts';

/** Milliseconds between two looks for drafts whose time has come. */
const PUBLISH_PAUSE_MS = 1_000;
const PUBLISH_BATCH = 100;
const FORGET_PAUSE_MS = 600_000;

/** Starts what runs beside the requests: the relay, scheduled publication, and the end of kept answers. */
export function startBackground(dependencies: BackgroundDependencies<SubgraphConfig>): readonly Background[] {
  const { pool, logger, metrics, connectRedis, relayWakeUp } = dependencies;
  const publishing = startPeriodicTask({
    name: 'scheduled publication',
    pauseMs: PUBLISH_PAUSE_MS,
    work: async () => {
      const published = await inTransaction(pool, (transaction) =>
        publishDuePosts(transaction, PUBLISH_BATCH),
      );
      if (published > 0) relayWakeUp.poke();
    },
    logger,
  });
  const forgetting = startPeriodicTask({
    name: 'forgetting old answers',
    pauseMs: FORGET_PAUSE_MS,
    work: () => forgetOldAnswers(pool),
    logger,
  });
  if (!connectRedis) return [publishing, forgetting];
  const stream = createEventStream({ redis: connectRedis(), service: 'posts' });
  const relay = startRelay({ service: 'posts', pool, stream, wakeUp: relayWakeUp, logger, metrics });
  return [publishing, forgetting, relay];
}
