import { EventEmitter, once } from 'node:events';
import type { NewsSubgraph } from '../../src/testing/event-graph.ts';

/** A subgraph that publishes 1, 2, 3 and so on. Each number is the id that a subscription can be resumed after as well. */
export interface NumberedEvents {
  /** The newest number. */
  readonly last: number;
  /** Settles when so many more have been published. */
  further(count: number): Promise<void>;
  /** Publishes nothing any more. */
  stop(): void;
}

/** Begins to publish, evenly. All events are by one author. */
export function startNumberedEvents(news: NewsSubgraph, perSecond: number): NumberedEvents {
  const published = new EventEmitter().setMaxListeners(0);
  let last = 0;
  const clock = setInterval(() => {
    const id = String((last += 1));
    news.publish({ id, eventId: id, author: '1' });
    published.emit('event');
  }, 1_000 / perSecond);
  return {
    get last() {
      return last;
    },
    async further(count) {
      for (let seen = 0; seen < count; seen += 1) await once(published, 'event');
    },
    stop: () => clearInterval(clock),
  };
}
