import type { Logger, Metrics } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { clientError } from '@trellis/subgraph-protocol';
import {
  createEventStream,
  createOutboxLog,
  sleep,
  type EventStream,
  type SequencedEvent,
} from '@trellis/events';
import type { Pool } from '@trellis/postgres';
import type { RedisConnection } from '@trellis/redis';
import { createEventHistory, type EventHistory } from './event-history.ts';
import { createFeedMetrics, type FeedMetrics } from './feed-metrics.ts';
import { TopicHub } from './topic-hub.ts';
import type { TopicDefinition, TopicRequest } from './topic.ts';
import type { Identified } from './topic-subscription.ts';

/** Delivers what a service publishes to subscribers of one process. */
export interface EventFeed {
  /** Adds a topic. Call it once for each, when the server is built. */
  topic<Item>(definition: TopicDefinition<Item>): Topic<Item>;
  /** Ends all subscriptions. Safe to call twice. */
  close(): Promise<void>;
}

/** A kind of thing that can be subscribed to. */
export interface Topic<Item> {
  /**
   * What a `subscribe` resolver returns. What is committed after this has resolved is delivered, in order, at most once.
   *
   * @throws GraphQLError BAD_USER_INPUT or EVENTS_MISSED when `lastEventId` can't be gone on after;
   * INTERNAL_SERVER_ERROR when there is no Redis
   */
  subscribe<Event extends object>(
    request: TopicRequest<Item, Event>,
  ): Promise<AsyncIterableIterator<Identified<Event>>>;
}

/** What {@link createEventFeed} needs. */
export interface EventFeedOptions {
  /** Whose stream it is. */
  readonly service: string;
  /** Undefined without Redis: then nothing can be subscribed to. */
  readonly connectRedis: (() => RedisConnection) | undefined;
  /** The database with the service's outbox, for what the stream leaves out. Absent for a stream that has none. */
  readonly pool?: Pool;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const BATCH = 500;
const WAIT_MS = 1_000;
const RETRY_MS = 500;

/**
 * Makes the feed. It reads the service's stream once, from the first subscription on, however many there are. While Redis is
 * unavailable subscribers wait; when it is back, they get what has happened meanwhile.
 */
export function createEventFeed(options: EventFeedOptions): EventFeed {
  const controller = new AbortController();
  const hubs: TopicHub<unknown>[] = [];
  const metrics = createFeedMetrics(options.metrics);
  let reader: Promise<Reader> | undefined;
  const begin = async (): Promise<Reader> => {
    reader ??= startReader(options, hubs, metrics, controller.signal);
    try {
      return await reader;
    } catch (error) {
      reader = undefined;
      throw error;
    }
  };
  return {
    topic: <Item>(definition: TopicDefinition<Item>): Topic<Item> => {
      const hub = new TopicHub(definition, metrics);
      hubs.push(hub);
      return { subscribe: async (request) => hub.subscribe(request, (await begin()).history) };
    },
    close: async () => {
      controller.abort();
      for (const hub of hubs) hub.close();
      await reader?.then(({ ended }) => ended).catch(() => undefined); // it never began
    },
  };
}

/** The one reader of a process. */
interface Reader {
  readonly history: EventHistory;
  readonly ended: Promise<void>;
}

async function startReader(
  { service, connectRedis, pool, logger }: EventFeedOptions,
  hubs: readonly TopicHub<unknown>[],
  metrics: FeedMetrics,
  signal: AbortSignal,
): Promise<Reader> {
  if (!connectRedis) {
    throw clientError('INTERNAL_SERVER_ERROR', 'There are no subscriptions here: the subgraph has no Redis.');
  }
  const stream = createEventStream({ redis: connectRedis(), service });
  const history = createEventHistory(stream, pool && createOutboxLog(pool));
  const from = await stream.last();
  const ended = follow({ stream, history, hubs, metrics, logger, signal, connection: connectRedis() }, from);
  return { history, ended };
}

interface Following {
  readonly stream: EventStream;
  /** No one else uses it: it is blocked while it waits. */
  readonly connection: RedisConnection;
  readonly history: EventHistory;
  readonly hubs: readonly TopicHub<unknown>[];
  readonly metrics: FeedMetrics;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

async function follow(following: Following, from: number): Promise<void> {
  const { signal, logger } = following;
  let seq = from;
  const outages = createOutageLog({ logger, failure: 'event feed failed; retrying' });
  while (!signal.aborted) {
    try {
      seq = await deliverNext(following, seq);
      outages.succeeded();
    } catch (error) {
      if (!signal.aborted) outages.failed(error);
      await sleep(RETRY_MS, signal);
    }
  }
}

/** All topics read before any delivers: what fails is read again, and no one gets an event twice. */
async function deliverNext(
  { stream, connection, history, hubs, metrics }: Following,
  seq: number,
): Promise<number> {
  const streamed = await stream.readAfter(connection, seq, BATCH, WAIT_MS);
  const events: readonly SequencedEvent[] = await history.complete(streamed, seq);
  const last = events.at(-1);
  if (!last) return seq;
  const deliveries = await Promise.all(hubs.map((hub) => hub.prepare(events)));
  for (const deliver of deliveries) deliver();
  metrics.delay.observe(Math.max(0, Date.now() - last.occurredAt.getTime()) / 1_000);
  return last.seq;
}
