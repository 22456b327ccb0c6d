import type { Logger, Metrics } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import type { Pool } from '@trellis/postgres';
import pg from 'pg';
import { Gauge } from 'prom-client';
import type { EventStream } from './event-stream.ts';
import { isTransientFailure } from './is-transient-failure.ts';
import { startLeadership, type Background, type Leader } from './leadership.ts';
import { createOutboxLog, type OutboxLog } from './outbox-log.ts';
import { maintainPartitions } from './outbox-partitions.ts';
import { NOTIFY, relayChannel, type RelayWakeUp } from './relay-wake-up.ts';
import { createWakeUp, sleep, type WakeUp } from './wake-up.ts';

/** What {@link startRelay} needs. */
export interface RelayOptions {
  /** The service whose outbox it is. */
  readonly service: string;
  readonly pool: Pool;
  readonly stream: EventStream;
  /** Poked after each commit, so that an event leaves at once. */
  readonly wakeUp: RelayWakeUp;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Days for which events are stored. @default 3 */
  readonly retentionDays?: number;
  /** Milliseconds between two looks that nothing asked for. They find what a lost notification was about. @default 1_000 */
  readonly pollMs?: number;
}

const BATCH = 500;
const DEFAULT_POLL_MS = 1_000;
/** Milliseconds between two looks where no notification arrives: a proxy such as PgBouncer may drop them. */
const DEAF_POLL_MS = 50;
const STREAM_CHECK_MS = 1_000;
const STREAM_RETRY_MS = 500;
const MAINTENANCE_MS = 3_600_000;
const DEFAULT_RETENTION_DAYS = 3;

/** One time of leading. */
interface Term extends RelayOptions {
  readonly leader: Leader;
  readonly log: OutboxLog;
  readonly signal: AbortSignal;
  /** Poked when there is something to publish. */
  readonly sequenced: WakeUp;
  /** The greatest number that the stream has been given. */
  published: number;
  /** Whether a notification has arrived. The relay sends the first one itself. */
  hears: boolean;
}

/**
 * Runs the relay of a service: sequences what was committed, and gives it to the stream. One process of a service does it at a
 * time. The outbox is the truth: a stream that is down is filled later, and one that has lost something is filled again.
 */
export function startRelay(options: RelayOptions): Background {
  const leadership: { current?: Term } = {};
  observePublished(options.metrics, () => leadership.current?.published ?? 0);
  return startLeadership({
    pool: options.pool,
    name: `relay of ${options.service}`,
    logger: options.logger,
    work: async (leader, signal) => {
      const ending = new AbortController();
      const term: Term = {
        ...options,
        leader,
        log: createOutboxLog(leader.statements),
        signal: AbortSignal.any([signal, ending.signal]),
        sequenced: createWakeUp(),
        published: 0,
        hears: false,
      };
      leadership.current = term;
      await listen(term);
      options.wakeUp.lead(true);
      const tasks = [sequenceEvents(term), publishEvents(term)].map((task) =>
        task.finally(() => ending.abort()),
      );
      await Promise.allSettled(tasks); // both have let go of the connection
      options.wakeUp.lead(false);
      await Promise.all(tasks);
    },
  });
}

function observePublished(metrics: Metrics, read: () => number): void {
  const published = new Gauge({
    name: 'trellis_events_published_seq',
    help: 'Sequence of the newest event in the stream, in the relaying process.',
    registers: [],
    collect() {
      this.set(read());
    },
  });
  metrics.registerMetric(published);
}

/** Hears of commits of other processes, where there is a session to listen in. It ends with the term. */
async function listen(term: Term): Promise<void> {
  const { pool, service, wakeUp } = term;
  const { session } = term.leader;
  if (!session) return;
  session.on('notification', () => {
    term.hears = true;
    wakeUp.wake();
  });
  const channel = relayChannel(service);
  await session.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  await pool.query(NOTIFY, [channel]);
}

async function sequenceEvents(term: Term): Promise<void> {
  let maintainAtMs = 0;
  while (!term.signal.aborted) {
    if (Date.now() >= maintainAtMs) {
      await maintain(term);
      maintainAtMs = Date.now() + MAINTENANCE_MS;
    }
    const count = await term.log.sequence(BATCH);
    if (count > 0) term.sequenced.poke();
    const pauseMs = term.hears ? (term.pollMs ?? DEFAULT_POLL_MS) : DEAF_POLL_MS;
    if (count < BATCH) await term.wakeUp.sleep(pauseMs, term.signal);
  }
}

/** Housekeeping never stops the relay: what could not be done now is done an hour later. */
async function maintain({ leader, published, retentionDays, logger }: Term): Promise<void> {
  try {
    await maintainPartitions(leader.statements, published, retentionDays ?? DEFAULT_RETENTION_DAYS);
  } catch (error) {
    logger.warn({ err: error }, 'outbox partition maintenance failed');
  }
}

async function publishEvents(term: Term): Promise<void> {
  const outages = createOutageLog({
    logger: term.logger,
    failure: 'could not publish events; they wait in the outbox',
    success: 'publishes events again',
    isTransient: isTransientFailure,
  });
  while (!term.signal.aborted) {
    try {
      await fillStream(term, outages);
    } catch (error) {
      if (term.signal.aborted) return;
      outages.failed(error);
      await sleep(STREAM_RETRY_MS, term.signal);
    }
  }
}

/** Fills the stream from where it ends, until it fails, or turns out to have lost what it had. */
async function fillStream(term: Term, outages: OutageLog): Promise<void> {
  term.published = await findResumption(term);
  outages.succeeded();
  while (!term.signal.aborted) {
    const events = await term.log.readAfter(term.published, BATCH);
    if (events.length > 0) {
      await term.stream.add(events);
      term.published = events.at(-1)?.seq ?? term.published;
    } else {
      await term.sequenced.sleep(STREAM_CHECK_MS, term.signal);
      if ((await term.stream.last()) < term.published) return;
    }
  }
}

/** A stream that is ahead of the outbox belongs to a database that is gone. */
async function findResumption({ stream, log, logger }: Term): Promise<number> {
  const [last, head] = [await stream.last(), await log.head()];
  if (last > head) {
    logger.warn({ last, head }, 'stream ahead of the outbox; restarting the stream');
    await stream.clear();
  }
  return Math.max(last > head ? 0 : last, head - stream.maxLength);
}
