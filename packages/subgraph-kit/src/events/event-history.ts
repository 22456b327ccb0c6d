import { badUserInput, clientError } from '@trellis/subgraph-protocol';
import type { EventStream, OutboxLog, SequencedEvent, StreamedEvent } from '@trellis/events';

/** Replays events that were published before. */
export interface EventHistory {
  /**
   * The number behind which a client goes on.
   *
   * @throws GraphQLError BAD_USER_INPUT when it is no id of an event; EVENTS_MISSED when what followed has been purged
   */
  placeOf(lastEventId: string): Promise<number>;
  /** Reads on from a number, at most a page. */
  readAfter(seq: number): Promise<readonly SequencedEvent[]>;
  /** The events as they are in the record of the service, where the stream has left something out. */
  complete(events: readonly StreamedEvent[], after: number): Promise<readonly SequencedEvent[]>;
}

const PAGE = 500;
const ID = /^[1-9]\d{0,15}$/;

/**
 * The history of a stream: as far back as the stream reaches.
 *
 * @param outbox the service's own record; absent for a stream that is not filled from one
 */
export function createEventHistory(stream: EventStream, outbox: OutboxLog | undefined): EventHistory {
  const complete = async (
    events: readonly StreamedEvent[],
    after: number,
  ): Promise<readonly SequencedEvent[]> => {
    if (!outbox || isWhole(events, after)) return events;
    return outbox.readAfter(after, PAGE);
  };
  return {
    complete,
    placeOf: async (lastEventId) => {
      if (!ID.test(lastEventId)) throw badUserInput('This is no id of an event.', 'lastEventId', lastEventId);
      const seq = Number(lastEventId);
      const [first, last] = await Promise.all([stream.first(), stream.last()]);
      if (seq >= first - 1 && seq <= last) return seq;
      throw clientError(
        'EVENTS_MISSED',
        'Events since that one are no longer stored. Query again, and subscribe without it.',
      );
    },
    readAfter: async (seq) => complete(await stream.readRange(seq, PAGE), seq),
  };
}

/** Numbers of an outbox follow one another, and a payload that is too large is not in the stream. */
function isWhole(events: readonly StreamedEvent[], after: number): boolean {
  return events.every((event, index) => event.complete && event.seq === after + 1 + index);
}
