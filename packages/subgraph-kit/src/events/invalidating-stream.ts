import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { isTransientFailure, type EventStream, type SequencedEvent } from '@trellis/events';
import type { RedisConnection } from '@trellis/redis';
import { redisNames } from '@trellis/subgraph-protocol/redis-names';

/** An entity of the graph that has changed. */
export interface EntityChange {
  /** The name of its object type. */
  readonly type: string;
  /** The value of its key. */
  readonly id: string;
}

/** What {@link createInvalidatingStream} needs. */
export interface InvalidatingStreamOptions {
  /** Where gateways cache responses. */
  readonly redis: RedisConnection;
  /** Which entities this event has changed. */
  readonly changesOf: (event: SequencedEvent) => readonly EntityChange[];
  readonly logger: Logger;
}

/** Where gateways read invalidations: docs/response-cache.md. */
const CHANGES = redisNames.invalidations;
const MAX_CHANGES = 10_000;
/** Milliseconds for which events wait for the invalidation. */
const PATIENCE_MS = 100;

/**
 * A stream whose events first invalidate what gateways cache of the entities they are about: a client that queries
 * because of an event gets no response from before it. A Redis of the gateways that is unavailable delays events by a
 * tenth of a second; what is cached then expires at its `@cacheControl` time.
 */
export function createInvalidatingStream(
  stream: EventStream,
  options: InvalidatingStreamOptions,
): EventStream {
  const outages = createOutageLog({
    logger: options.logger,
    failure: 'cache invalidation failed; cached responses expire by their TTL',
    success: 'cache invalidation succeeds again',
    isTransient: isTransientFailure,
  });
  return {
    ...stream,
    add: async (events) => {
      const invalidating = invalidate(events, options).then(outages.succeeded, outages.failed);
      await withinPatience(invalidating);
      await stream.add(events);
    },
  };
}

async function invalidate(
  events: readonly SequencedEvent[],
  { redis, changesOf }: InvalidatingStreamOptions,
): Promise<void> {
  const changes = events.flatMap(changesOf);
  await Promise.all(
    changes.map(({ type, id }) =>
      redis.xadd(CHANGES, 'MAXLEN', '~', MAX_CHANGES, '*', 'type', type, 'id', id),
    ),
  );
}

/** What takes longer goes on by itself. */
async function withinPatience(work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const patience = delay(PATIENCE_MS, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([work, patience]);
  done.abort();
}
