import { GraphQLError } from 'graphql';

/** Something that happened at the news desk. */
export interface NewsEvent {
  readonly id: string;
  readonly author?: string;
  /** What a stream can be resumed after. */
  readonly eventId?: string;
}

/** What a subscription asks for. */
export interface NewsRequest {
  readonly topic: string;
  /** The field of the subscription. */
  readonly field: string;
  /** The event that was seen last. Absent: what happens from now on. */
  readonly lastEventId?: string | undefined;
}

/** Events that have an id are stored, of all topics together so many. */
const MAX_STORED = 10_000;

/** The events of the news desk, and who listens to them now. */
export class NewsFeed {
  readonly #streams = new Set<NewsStream>();
  readonly #stored: { readonly topic: string; readonly event: NewsEvent }[] = [];

  /** Those that are open. */
  get streams(): ReadonlySet<NewsStream> {
    return this.#streams;
  }

  /**
   * Begins with what has happened since the event that was seen last.
   *
   * @throws GraphQLError EVENTS_MISSED when that is not stored
   */
  subscribe({ topic, field, lastEventId }: NewsRequest): NewsStream {
    const missed = lastEventId === undefined ? [] : this.#storedAfter(lastEventId);
    const stream: NewsStream = new NewsStream(topic, field, () => this.#streams.delete(stream));
    for (const entry of missed) if (entry.topic === topic) stream.push(entry.event);
    this.#streams.add(stream);
    return stream;
  }

  /** Sends an event on all streams of the topic. */
  publish(event: NewsEvent, topic: string): void {
    if (event.eventId !== undefined && this.#stored.push({ topic, event }) > MAX_STORED) this.#stored.shift();
    for (const stream of this.#streams) if (stream.topic === topic) stream.push(event);
  }

  #storedAfter(id: string): readonly { readonly topic: string; readonly event: NewsEvent }[] {
    const index = this.#stored.findIndex(({ event }) => event.eventId === id);
    if (index !== -1) return this.#stored.slice(index + 1);
    throw new GraphQLError('That event is not stored.', { extensions: { code: 'EVENTS_MISSED' } });
  }
}

/** The events of one subscription. Ending it works while a reader waits for the next event, as graphql-js does. */
export class NewsStream implements AsyncIterableIterator<unknown> {
  readonly topic: string;
  readonly #field: string;
  readonly #onEnd: () => void;
  readonly #queue: (NewsEvent | undefined)[] = [];
  #waiting: ((result: IteratorResult<unknown>) => void) | undefined;
  #takenId: string | undefined;

  constructor(topic: string, field: string, onEnd: () => void) {
    this.topic = topic;
    this.#field = field;
    this.#onEnd = onEnd;
  }

  /** The id of the event that was taken last. Events are answered one by one, so it is that of the response. */
  get takenId(): string | undefined {
    return this.#takenId;
  }

  push(event: NewsEvent): void {
    this.#add(event);
  }

  end(): void {
    this.#onEnd();
    this.#add(undefined);
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#queue.length > 0) return Promise.resolve(this.#take(this.#queue.shift()));
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @param event undefined: the end */
  #add(event: NewsEvent | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(this.#take(event));
    else this.#queue.push(event);
  }

  #take(event: NewsEvent | undefined): IteratorResult<unknown> {
    if (!event) return { done: true, value: undefined };
    this.#takenId = event.eventId;
    return { done: false, value: { [this.#field]: newsValueOf(event) } };
  }
}

/** What the resolvers of an event's fields read. */
export function newsValueOf({ id, author }: NewsEvent): unknown {
  return { id, author: author === undefined ? null : { __typename: 'User', id: author }, secret: 'hush' };
}
