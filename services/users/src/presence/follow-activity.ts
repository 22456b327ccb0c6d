import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { sleep, startLeadership, type Background } from '@trellis/events';
import type { Pool } from '@trellis/postgres';
import { createActivityStream, type ActivityBatch } from '@trellis/subgraph-protocol';
import type { RedisConnection } from '@trellis/redis';
import { parseId } from '@trellis/subgraph-kit';
import type { PresenceSet } from './presence-set.ts';

/** What {@link followActivity} needs. */
export interface FollowActivityOptions {
  /** Decides which process follows. */
  readonly pool: Pool;
  /** No one else uses it: it is blocked while it waits. */
  readonly connection: RedisConnection;
  readonly presence: PresenceSet;
  /** How far back it begins: older signs count for nothing. */
  readonly windowMs: number;
  readonly logger: Logger;
}

const WAIT_MS = 1_000;
const RETRY_MS = 500;

/** Records the activity that gateways publish. One process does it at a time; a repeated record changes nothing. */
export function followActivity(options: FollowActivityOptions): Background {
  const { pool, logger } = options;
  return startLeadership({
    pool,
    name: 'presence of users',
    logger,
    work: (_connection, signal) => follow(options, signal),
  });
}

async function follow(options: FollowActivityOptions, signal: AbortSignal): Promise<void> {
  const stream = createActivityStream(options.connection);
  let after: string | number = Date.now() - options.windowMs;
  const outages = createOutageLog({ logger: options.logger, failure: 'presence feed failed; retrying' });
  while (!signal.aborted) {
    try {
      for (const batch of await stream.readAfter(options.connection, after, WAIT_MS)) {
        await note(options.presence, batch);
        after = batch.id;
      }
      outages.succeeded();
    } catch (error) {
      if (!signal.aborted) outages.failed(error);
      await sleep(RETRY_MS, signal);
    }
  }
}

/** Subjects of other issuers are no users of this graph. */
async function note(presence: PresenceSet, { userIds, atMs }: ActivityBatch): Promise<void> {
  const ids = userIds.map(parseId).filter((id) => id !== undefined);
  if (ids.length > 0) await presence.record([...new Set(ids)], new Date(atMs));
}
