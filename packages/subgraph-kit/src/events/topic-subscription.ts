import { eventId } from '../event-stream.ts';
import type { EventHistory } from './event-history.ts';
import type { EventQueue } from './event-queue.ts';
import { readItems, type PlacedItem, type TopicDefinition, type TopicRequest } from './topic.ts';

/** An event with the id that a client can go on after. */
export type Identified<Event extends object> = Event & { readonly [eventId]: string };

/** What a {@link TopicSubscription} is made of. */
export interface TopicSubscriptionOptions<Item, Event extends object> {
  readonly definition: TopicDefinition<Item>;
  readonly request: TopicRequest<Item, Event>;
  /** Filled from the moment of the subscription on. */
  readonly queue: EventQueue<PlacedItem<Item>>;
  readonly history: EventHistory;
  /** Where to begin in the history; undefined: not at all. */
  readonly after: number | undefined;
  /** Called once at the end. */
  readonly leave: () => void;
}

/**
 * The events of one subscriber: what the history has, then what happens. Written out rather than as a generator, because a
 * generator that no one has taken anything from can't clean up.
 */
export class TopicSubscription<Item, Event extends object> implements AsyncIterableIterator<
  Identified<Event>
> {
  readonly #options: TopicSubscriptionOptions<Item, Event>;
  readonly #live: AsyncGenerator<Identified<Event>, undefined, undefined>;

  constructor(options: TopicSubscriptionOptions<Item, Event>) {
    this.#options = options;
    this.#live = deliver(options);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Identified<Event>, undefined>> {
    try {
      const result = await this.#live.next();
      if (result.done === true) this.#options.leave();
      return result;
    } catch (error) {
      this.#options.leave();
      throw error;
    }
  }

  /** Ends the waiting of a `next` as well. */
  return(): Promise<IteratorResult<Identified<Event>, undefined>> {
    this.#options.leave();
    return Promise.resolve({ done: true, value: undefined });
  }
}

async function* deliver<Item, Event extends object>(
  options: TopicSubscriptionOptions<Item, Event>,
): AsyncGenerator<Identified<Event>, undefined, undefined> {
  const { request, queue, after } = options;
  let delivered = after ?? 0;
  for await (const placed of after === undefined ? [] : replay(options, after)) {
    delivered = placed.seq;
    if (placed.key === (request.key ?? '') && request.accepts(placed.item)) yield identified(placed, request);
  }
  for (;;) {
    const placed = await queue.take();
    if (!placed) return undefined;
    if (placed.seq > delivered && request.accepts(placed.item)) yield identified(placed, request);
  }
}

/** Until the end of the history; what is published meanwhile waits in the queue. */
async function* replay<Item, Event extends object>(
  { definition, history }: TopicSubscriptionOptions<Item, Event>,
  after: number,
): AsyncGenerator<PlacedItem<Item>, void, undefined> {
  for (let seq = after; ;) {
    const events = await history.readAfter(seq);
    const last = events.at(-1);
    if (!last) return;
    yield* await readItems(definition, events);
    seq = last.seq;
  }
}

function identified<Item, Event extends object>(
  { item, seq }: PlacedItem<Item>,
  { toEvent }: TopicRequest<Item, Event>,
): Identified<Event> {
  return Object.assign(toEvent(item), { [eventId]: String(seq) } as const);
}
