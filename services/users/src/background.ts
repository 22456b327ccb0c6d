import type { Background, SequencedEvent } from '@trellis/events';
import {
  startPeriodicTask,
  startWritingTasks,
  type BackgroundDependencies,
  type EntityChange,
} from '@trellis/subgraph-kit';
import type { UsersConfig } from './config.ts';
import { followActivity } from './presence/follow-activity.ts';
import { createPresenceSet } from './presence/presence-set.ts';

const SWEEP_PAUSE_MS = 500;
const SWEEP_BATCH = 500;

/** Starts what runs beside the requests: the relay, presence, and the purge of idempotency records. */
export function startBackground(dependencies: BackgroundDependencies<UsersConfig>): readonly Background[] {
  const writing = startWritingTasks(dependencies, 'users', { changesOf });
  return [...writing, ...followPresence(dependencies)];
}

function changesOf({ subject }: SequencedEvent): readonly EntityChange[] {
  return [{ type: 'User', id: subject }];
}

function followPresence({
  config,
  pool,
  logger,
  connectRedis,
}: BackgroundDependencies<UsersConfig>): readonly Background[] {
  if (!connectRedis) return [];
  const windowMs = config.PRESENCE_WINDOW_S * 1_000;
  const presence = createPresenceSet(connectRedis(), windowMs);
  const sweeping = startPeriodicTask({
    name: 'sweeping the users who have gone',
    pauseMs: SWEEP_PAUSE_MS,
    work: async () => {
      while ((await presence.sweep(SWEEP_BATCH)) === SWEEP_BATCH);
    },
    logger,
  });
  return [sweeping, followActivity({ pool, connection: connectRedis(), presence, windowMs, logger })];
}
