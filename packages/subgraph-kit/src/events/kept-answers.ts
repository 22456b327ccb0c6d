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

/** What {@link voidingKeptAnswers} needs. */
export interface KeptAnswersOptions {
  /** Where gateways keep answers. */
  readonly redis: RedisConnection;
  /** Which entities answers show otherwise since this event. */
  readonly changesOf: (event: SequencedEvent) => readonly EntityChange[];
  readonly logger: Logger;
}

/** Where gateways hear of changes: docs/response-cache.md. */
const CHANGES = redisNames.invalidations;
const MAX_CHANGES = 10_000;
/** Milliseconds for which events wait for gateways to be told. */
const PATIENCE_MS = 100;

/**
 * A stream whose events make void what gateways keep of the entities they are about, before anybody else hears of them: whoever
 * asks because of an event is not answered with what was before it. A Redis of the gateways that is away delays events by a
 * tenth of a second; what was stored there then ends at its `@cacheControl` time.
 */
export function voidingKeptAnswers(stream: EventStream, options: KeptAnswersOptions): EventStream {
  const outages = createOutageLog({
    logger: options.logger,
    failure: 'could not tell gateways of changes; kept answers end at their time',
    success: 'tells gateways of changes again',
    isTransient: isTransientFailure,
  });
  return {
    ...stream,
    add: async (events) => {
      const telling = tell(events, options).then(outages.succeeded, outages.failed);
      await withinPatience(telling);
      await stream.add(events);
    },
  };
}

async function tell(
  events: readonly SequencedEvent[],
  { redis, changesOf }: KeptAnswersOptions,
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
