import type { Background, SequencedEvent } from '@trellis/events';
import { inTransaction } from '@trellis/postgres';
import {
  startPeriodicTask,
  startWritingTasks,
  type BackgroundDependencies,
  type EntityChange,
  type SubgraphConfig,
} from '@trellis/subgraph-kit';
import { publishDuePosts } from './post-writer.ts';

/** Milliseconds between two looks for drafts whose time has come. */
const PUBLISH_PAUSE_MS = 1_000;
const PUBLISH_BATCH = 100;

/** Starts what runs beside the requests: the relay, scheduled publication, and the purge of idempotency records. */
export function startBackground(dependencies: BackgroundDependencies<SubgraphConfig>): readonly Background[] {
  const { pool, logger, relayWakeUp } = dependencies;
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
  return [publishing, ...startWritingTasks(dependencies, 'posts', { changesOf })];
}

function changesOf({ subject }: SequencedEvent): readonly EntityChange[] {
  return [{ type: 'Post', id: subject }];
}
