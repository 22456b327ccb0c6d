import type { SequencedEvent } from '@trellis/events';
import type { EventHistory } from './event-history.ts';
import { EventQueue } from './event-queue.ts';
import type { FeedMetrics } from './feed-metrics.ts';
import { TopicSubscription, type Identified } from './topic-subscription.ts';
import { readItems, type PlacedItem, type TopicDefinition, type TopicRequest } from './topic.ts';

/** Events that may wait for one subscriber. */
const CAPACITY = 1_000;

type Queue<Item> = EventQueue<PlacedItem<Item>>;

/** The subscribers of one topic, by key. */
export class TopicHub<Item> {
  readonly #definition: TopicDefinition<Item>;
  readonly #metrics: FeedMetrics;
  readonly #queues = new Map<string, Set<Queue<Item>>>();

  constructor(definition: TopicDefinition<Item>, metrics: FeedMetrics) {
    this.#definition = definition;
    this.#metrics = metrics;
  }

  /** Collects events from this moment on, and goes back in the history where it is asked for. */
  async subscribe<Event extends object>(
    request: TopicRequest<Item, Event>,
    history: EventHistory,
  ): Promise<AsyncIterableIterator<Identified<Event>>> {
    const { key = '', lastEventId } = request;
    const after = lastEventId === undefined ? undefined : await history.placeOf(lastEventId);
    const queue: Queue<Item> = new EventQueue(CAPACITY);
    const leave = this.#enter(key, queue);
    return new TopicSubscription({ definition: this.#definition, request, queue, history, after, leave });
  }

  /** Reads what events mean, where anybody wants to know. @returns hands it out */
  async prepare(events: readonly SequencedEvent[]): Promise<() => void> {
    if (this.#queues.size === 0) return () => {};
    const items = await readItems(this.#definition, events);
    return () => {
      for (const item of items) this.#deliver(item);
    };
  }

  /** Ends all subscriptions after what waits for them. */
  close(): void {
    for (const queues of this.#queues.values()) for (const queue of queues) queue.end();
  }

  #deliver(item: PlacedItem<Item>): void {
    const topic = this.#definition.name;
    for (const queue of this.#queues.get(item.key) ?? []) {
      if (queue.push(item)) this.#metrics.delivered.inc({ topic });
      else this.#metrics.overrun.inc({ topic });
    }
  }

  #enter(key: string, queue: Queue<Item>): () => void {
    const queues = this.#queues.get(key) ?? new Set();
    this.#queues.set(key, queues.add(queue));
    this.#metrics.begun.inc({ topic: this.#definition.name });
    this.#metrics.subscribers.inc({ topic: this.#definition.name });
    return () => {
      if (!queues.delete(queue)) return;
      queue.clear();
      if (queues.size === 0 && this.#queues.get(key) === queues) this.#queues.delete(key);
      this.#metrics.subscribers.dec({ topic: this.#definition.name });
    };
  }
}
