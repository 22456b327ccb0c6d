import type { Logger, Metrics } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import { inTransaction, type Pool, type Transaction } from '@trellis/postgres';
import type { RedisConnection } from '@trellis/redis';
import { Counter, Gauge } from 'prom-client';
import { createConsumerCursor, type ConsumerCursor } from './consumer-cursor.ts';
import type { SequencedEvent } from './domain-event.ts';
import type { EventSource, SnapshotItem } from './event-source.ts';
import type { EventStream, StreamedEvent } from './event-stream.ts';
import { isTransientFailure } from './is-transient-failure.ts';
import { startLeadership, type Background } from './leadership.ts';
import { sleep } from './wake-up.ts';

/** What a consumer does with what it hears. Everything happens in the transaction that also moves its cursor. */
export interface EventHandler {
  /** Applies one event. The events of a source come in the order of their numbers, each once. */
  readonly apply: (transaction: Transaction, event: SequencedEvent) => Promise<void>;
  /**
   * Applies several events that follow one another, for a consumer that can do so in fewer statements than one each. What it
   * does must be what `apply` would do one by one. @default `apply` for each
   */
  readonly applyAll?: (transaction: Transaction, events: readonly SequencedEvent[]) => Promise<void>;
  /** Takes what it knows from this source for outdated: a snapshot follows. */
  readonly beginSnapshot: (transaction: Transaction) => Promise<void>;
  /** Applies a page of what the source holds. */
  readonly restore: (transaction: Transaction, items: readonly SnapshotItem[]) => Promise<void>;
  /** Forgets what is still outdated: the source holds it no more. */
  readonly endSnapshot: (transaction: Transaction) => Promise<void>;
}

/** What {@link startConsumer} needs. */
export interface ConsumerOptions {
  /** Who consumes. */
  readonly service: string;
  /** The service whose events are consumed. */
  readonly source: string;
  /** The consumer's own database. */
  readonly pool: Pool;
  readonly stream: EventStream;
  /** For reading the stream; no one else may use it. */
  readonly redis: RedisConnection;
  /** The source's own record, for what the stream has lost. */
  readonly upstream: EventSource;
  readonly handler: EventHandler;
  readonly logger: Logger;
  readonly metrics: ConsumerMetrics;
}

/** What consumers count. */
export interface ConsumerMetrics {
  readonly lag: Gauge<'source'>;
  readonly deadLetters: Counter<'source'>;
}

const BATCH = 500;
const STREAM_WAIT_MS = 1_000;
/** Milliseconds after which the source is asked, in case the stream has lost something and says nothing. */
const ASK_SOURCE_MS = 10_000;
const RETRY_MS = 500;
const MAX_ATTEMPTS = 5;
const ATTEMPT_PAUSE_MS = 200;
/** Milliseconds for which a source that starts together with its consumers may take to respond. */
const SOURCE_STARTS_MS = 15_000;

/** Registers the metrics that all consumers of a process share. */
export function createConsumerMetrics(metrics: Metrics): ConsumerMetrics {
  const registers = [metrics];
  return {
    lag: new Gauge({
      name: 'trellis_events_lag_seq',
      help: 'Consumer lag in events, by source, in the process that consumes.',
      labelNames: ['source'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'trellis_events_dead_letters_total',
      help: 'Dead letters, by source.',
      labelNames: ['source'],
      registers,
    }),
  };
}

/**
 * Consumes the events of another service: at least once delivered, applied exactly once. One process of the consuming service
 * does it at a time. The stream is the fast way; whatever is missing in it, and everything while Redis is unavailable, is read from
 * the source itself. An event that can't be applied becomes a dead letter after five attempts, and delays nothing that follows.
 */
export function startConsumer(options: ConsumerOptions): Background {
  const cursor = createConsumerCursor(options.source);
  return startLeadership({
    pool: options.pool,
    name: `${options.service} consuming ${options.source}`,
    logger: options.logger,
    work: async (_connection, signal) => {
      const outages = createOutageLog({
        logger: options.logger,
        failure: 'could not consume events; trying again',
        success: 'consumes events again',
        bindings: { source: options.source },
        isTransient: isTransientFailure,
        startingMs: SOURCE_STARTS_MS,
      });
      const consumption: Consumption = { ...options, cursor, outages, signal };
      while (!signal.aborted) {
        await consume(consumption).catch(async (error: unknown) => {
          if (signal.aborted) return;
          consumption.outages.failed(error);
          await sleep(RETRY_MS, signal);
        });
      }
    },
  });
}

/** Someone wants the source to be read again from the beginning. */
class CursorDeleted extends Error {
  override readonly name = 'CursorDeleted';
}

function isRetryable(error: unknown): boolean {
  return error instanceof CursorDeleted || isTransientFailure(error);
}

interface Consumption extends ConsumerOptions {
  readonly cursor: ConsumerCursor;
  readonly outages: OutageLog;
  readonly signal: AbortSignal;
}

/** Begins where the cursor stands, with a snapshot where there is none. Ends when the cursor is deleted. */
async function consume(consumption: Consumption): Promise<void> {
  const { cursor, pool, signal } = consumption;
  let seq = (await cursor.read(pool)) ?? (await takeSnapshot(consumption));
  seq = await catchUp(consumption, seq);
  consumption.outages.succeeded();
  let askAgainAtMs = Date.now() + ASK_SOURCE_MS;
  while (!signal.aborted) {
    const streamed = await readStream(consumption, seq);
    if (streamed.length === 0 && (await cursor.read(pool)) === undefined) return;
    const events = Date.now() < askAgainAtMs ? followOn(streamed, seq) : undefined;
    seq = events ? await applyAll(consumption, events, seq) : await catchUp(consumption, seq);
    if (!events) askAgainAtMs = Date.now() + ASK_SOURCE_MS;
    reportLag(consumption, (streamed.at(-1)?.seq ?? seq) - seq);
  }
}

/** While Redis is unavailable the source is asked every second. */
async function readStream(
  { stream, redis, signal, upstream }: Consumption,
  seq: number,
): Promise<readonly StreamedEvent[]> {
  try {
    return await stream.readAfter(redis, seq, BATCH, STREAM_WAIT_MS);
  } catch {
    await sleep(STREAM_WAIT_MS, signal);
    const page = await upstream.readAfter(seq, BATCH, signal);
    return page?.events.map((event) => ({ ...event, complete: true })) ?? [];
  }
}

/** The events, if they are whole and follow the cursor without a gap. */
function followOn(streamed: readonly StreamedEvent[], seq: number): readonly SequencedEvent[] | undefined {
  return streamed.every((event, index) => event.complete && event.seq === seq + 1 + index)
    ? streamed
    : undefined;
}

/** Reads from the source until there is nothing left to read. */
async function catchUp(consumption: Consumption, from: number): Promise<number> {
  const { upstream, signal } = consumption;
  let seq = from;
  while (!signal.aborted) {
    const page = await upstream.readAfter(seq, BATCH, signal);
    if (!page || page.head < seq) return takeSnapshot(consumption);
    if (page.events.length === 0) return seq;
    seq = await applyAll(consumption, page.events, seq);
    reportLag(consumption, page.head - seq);
  }
  return seq;
}

/**
 * Applies what the source holds now. The events that happen meanwhile are sequenced after `head`, and are applied again on
 * top of what the snapshot may show of them already.
 */
async function takeSnapshot(consumption: Consumption): Promise<number> {
  const { upstream, handler, pool, cursor, signal, logger, source } = consumption;
  const head = (await upstream.readAfter(Number.MAX_SAFE_INTEGER, 1, signal))?.head ?? 0;
  logger.info({ source, head }, 'snapshot started');
  await inTransaction(pool, handler.beginSnapshot);
  let after: string | null = null;
  do {
    const page = await upstream.readSnapshot(after, signal);
    await inTransaction(pool, (transaction) => handler.restore(transaction, page.items));
    after = page.next;
  } while (after !== null);
  await inTransaction(pool, async (transaction) => {
    await handler.endSnapshot(transaction);
    await cursor.move(transaction, head);
  });
  return head;
}

/** All in one transaction; where that fails for a reason of its own, one by one. */
async function applyAll(
  consumption: Consumption,
  events: readonly SequencedEvent[],
  seq: number,
): Promise<number> {
  if (events.length === 0) return seq;
  try {
    return await applyInOneTransaction(consumption, events);
  } catch (error) {
    if (isRetryable(error)) throw error;
    let last = seq;
    for (const event of events) last = await applyOrMoveToDeadLetters(consumption, event);
    return last;
  }
}

/** The cursor in the database decides what has been applied, not the one in memory. */
function applyInOneTransaction(
  { pool, cursor, handler }: Consumption,
  events: readonly SequencedEvent[],
): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const applied = await cursor.lock(transaction);
    if (applied === undefined) throw new CursorDeleted();
    await applyEach(
      handler,
      transaction,
      events.filter(({ seq }) => seq > applied),
    );
    const seq = Math.max(applied, events.at(-1)?.seq ?? 0);
    await cursor.move(transaction, seq);
    return seq;
  });
}

async function applyEach(
  handler: EventHandler,
  transaction: Transaction,
  events: readonly SequencedEvent[],
): Promise<void> {
  if (handler.applyAll) return handler.applyAll(transaction, events);
  for (const event of events) await handler.apply(transaction, event);
}

async function applyOrMoveToDeadLetters(consumption: Consumption, event: SequencedEvent): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyInOneTransaction(consumption, [event]);
    } catch (error) {
      if (isRetryable(error) || consumption.signal.aborted) throw error;
      if (attempt >= MAX_ATTEMPTS) return moveToDeadLetters(consumption, event, error);
      await sleep(ATTEMPT_PAUSE_MS, consumption.signal);
    }
  }
}

async function moveToDeadLetters(
  { pool, cursor, logger, metrics, source }: Consumption,
  event: SequencedEvent,
  error: unknown,
): Promise<number> {
  logger.error({ err: error, source, seq: event.seq, type: event.type }, 'event moved to dead letters');
  metrics.deadLetters.inc({ source });
  await inTransaction(pool, async (transaction) => {
    await cursor.moveToDeadLetters(transaction, event, error);
    await cursor.move(transaction, event.seq);
  });
  return event.seq;
}

function reportLag({ metrics, source }: Consumption, lag: number): void {
  metrics.lag.set({ source }, Math.max(0, lag));
}
