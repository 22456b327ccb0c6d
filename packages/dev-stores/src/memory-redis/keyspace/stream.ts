import type { Bytes } from '../bytes.ts';
import { FIRST_ID, type StreamId } from './stream-id.ts';

/** One entry: its fields and values in turn, in the order they were given. */
export interface StreamEntry {
  readonly id: StreamId;
  readonly fields: readonly Bytes[];
}

/** What a stream is besides its entries; it outlives them all. */
export interface StreamHistory {
  readonly lastId: StreamId;
  readonly entriesAdded: number;
  readonly maxDeletedId: StreamId;
}

/** How many entries Redis keeps in one node; a trim that may be approximate drops whole nodes only. */
const NODE_ENTRIES = 100;

/** An append-only log in the order of its ids. */
export class Stream {
  #entries: StreamEntry[];
  #history: StreamHistory;

  constructor(
    entries: readonly StreamEntry[] = [],
    history: StreamHistory = { lastId: FIRST_ID, entriesAdded: 0, maxDeletedId: FIRST_ID },
  ) {
    this.#entries = [...entries];
    this.#history = history;
  }

  get length(): number {
    return this.#entries.length;
  }

  get history(): StreamHistory {
    return this.#history;
  }

  get first(): StreamEntry | undefined {
    return this.#entries[0];
  }

  get last(): StreamEntry | undefined {
    return this.#entries.at(-1);
  }

  /** @param entry its id is above the last id that the stream ever had */
  append(entry: StreamEntry): void {
    this.#entries.push(entry);
    const { entriesAdded, maxDeletedId } = this.#history;
    this.#history = { lastId: entry.id, entriesAdded: entriesAdded + 1, maxDeletedId };
  }

  /** Entries with `from <= id <= to`, the oldest first, at most `count`. */
  range(from: StreamId, to: StreamId, count: number = Infinity): StreamEntry[] {
    const start = this.#firstIndex(from);
    const end = this.#firstIndex(to + 1n);
    return this.#entries.slice(start, Math.min(end, start + count));
  }

  /** The same entries, the youngest first. */
  reversedRange(from: StreamId, to: StreamId, count: number = Infinity): StreamEntry[] {
    const start = this.#firstIndex(from);
    const end = this.#firstIndex(to + 1n);
    return this.#entries.slice(Math.max(start, end - count), Math.max(start, end)).toReversed();
  }

  /** @returns whether it was there */
  delete(id: StreamId): boolean {
    const index = this.#firstIndex(id);
    if (this.#entries[index]?.id !== id) return false;
    this.#entries.splice(index, 1);
    if (id > this.#history.maxDeletedId) this.#history = { ...this.#history, maxDeletedId: id };
    return true;
  }

  /** Entries below an id. */
  countBelow(id: StreamId): number {
    return this.#firstIndex(id);
  }

  /**
   * Drops the oldest entries.
   *
   * @param approximate drops whole nodes only, so that some of them stay
   * @returns how many went
   */
  dropOldest(count: number, approximate: boolean): number {
    const all = count >= this.#entries.length;
    const dropped = approximate && !all ? count - (count % NODE_ENTRIES) : count;
    if (dropped > 0) this.#entries = this.#entries.slice(dropped);
    return Math.max(0, dropped);
  }

  #firstIndex(id: StreamId): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.id ?? id) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
