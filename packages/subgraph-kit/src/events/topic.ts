import type { SequencedEvent } from '@trellis/events';

/** What an event means for a topic. */
export interface TopicItem<Item> {
  /** Whom it concerns: subscribers name a key. */
  readonly key: string;
  readonly item: Item;
}

/** A kind of thing that can be subscribed to. */
export interface TopicDefinition<Item> {
  /** For metrics, for example `postCreated`. */
  readonly name: string;
  /**
   * Reads what events mean, all at once, however many subscribers there are. What it reads from the database is what
   * is true now.
   *
   * @returns one for each event, in their order; undefined for an event that means nothing here
   */
  readonly read: (events: readonly SequencedEvent[]) => Promise<readonly (TopicItem<Item> | undefined)[]>;
}

/** What a subscriber wants. */
export interface TopicRequest<Item, Event extends object> {
  /** @default '' */
  readonly key?: string;
  /** The event that was seen last. Absent: what happens from now on. */
  readonly lastEventId?: string | undefined;
  /** Whether the subscriber may see it. Asked for each event. */
  readonly accepts: (item: Item) => boolean;
  /** Makes the root value of the subscription's execution: `{postCreated: post}`. */
  readonly toEvent: (item: Item) => Event;
}

/** An item with the place of its event. */
export interface PlacedItem<Item> extends TopicItem<Item> {
  readonly seq: number;
}

/** Reads what events mean for a topic, and leaves out what means nothing. */
export async function readItems<Item>(
  { read }: TopicDefinition<Item>,
  events: readonly SequencedEvent[],
): Promise<readonly PlacedItem<Item>[]> {
  const items = events.length === 0 ? [] : await read(events);
  return events.flatMap(({ seq }, index) => {
    const item = items[index];
    return item ? [{ ...item, seq }] : [];
  });
}
