/** Bounds of a {@link SegmentedLru}. */
export interface SegmentedLruOptions<Value> {
  /** How many values are cached. */
  readonly maxEntries: number;
  /** What all values may weigh together. @default unbounded */
  readonly maxWeight?: number | undefined;
  /** What a value weighs, at least 1. Goes with `maxWeight`. */
  readonly weigh?: ((value: Value, key: string) => number) | undefined;
}

/** How much of the room values may hold that were used again. The others have what is left, and what is not taken. */
const PROVEN_SHARE = 0.8;

/** What is among so many of the newest proven values keeps its place when it is used: what has to go is at the other end. */
const NEWEST_SHARE = 0.2;

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly weight: number;
  isProven: boolean;
  /** Rises from one entry to the next of its segment. */
  rank: number;
}

/**
 * A cache that a flood of values that are used once can't wash out (segmented LRU). A new value is on probation; one
 * that is used again is proven, until it was not used for longest among these. What has to go is on probation. Uses of
 * what is used all the time cost a look-up.
 */
export class SegmentedLru<Value extends object> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #proven = new Segment<Value>();
  readonly #onProbation = new Segment<Value>();
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #weigh: (value: Value, key: string) => number;
  /** For how many there is room, estimated from what they weigh. */
  #room: number;

  constructor({ maxEntries, maxWeight = Infinity, weigh = () => 1 }: SegmentedLruOptions<Value>) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
    this.#room = maxEntries;
  }

  /** A use of the value. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!entry.isProven || this.#proven.newerThan(entry) > this.#room * NEWEST_SHARE) this.#prove(entry);
    return entry.value;
  }

  /** Adds or replaces a value. One that is heavier than the whole cache is rejected. */
  set(key: string, value: Value): void {
    const before = this.#entries.get(key);
    if (before) this.#remove(before);
    const weight = this.#weigh(value, key);
    if (weight > this.#maxWeight) return;
    const entry = { key, value, weight, isProven: before?.isProven ?? false, rank: 0 };
    this.#entries.set(key, entry);
    this.#segmentOf(entry).add(entry);
    this.#shrink();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The proven values first; of each kind, roughly, what was used last in front. */
  values(): readonly Value[] {
    return [...this.#proven.newestFirst(), ...this.#onProbation.newestFirst()].map(({ value }) => value);
  }

  #prove(entry: Entry<Value>): void {
    this.#place(entry, true);
    for (let oldest = this.#oldestTooMany(); oldest; oldest = this.#oldestTooMany())
      this.#place(oldest, false);
  }

  /** Of the proven values, where they take more than their share. */
  #oldestTooMany(): Entry<Value> | undefined {
    const { size, weight } = this.#proven;
    const isOver = size > this.#maxEntries * PROVEN_SHARE || weight > this.#maxWeight * PROVEN_SHARE;
    return isOver && size > 1 ? this.#proven.oldest() : undefined;
  }

  /** As the newest of its segment. */
  #place(entry: Entry<Value>, isProven: boolean): void {
    this.#segmentOf(entry).delete(entry);
    entry.isProven = isProven;
    this.#segmentOf(entry).add(entry);
  }

  #remove(entry: Entry<Value>): void {
    this.#segmentOf(entry).delete(entry);
    this.#entries.delete(entry.key);
  }

  #segmentOf({ isProven }: Entry<Value>): Segment<Value> {
    return isProven ? this.#proven : this.#onProbation;
  }

  #shrink(): void {
    while (this.size > this.#maxEntries || this.#proven.weight + this.#onProbation.weight > this.#maxWeight) {
      const oldest = this.#onProbation.oldest() ?? this.#proven.oldest();
      if (!oldest) return;
      this.#remove(oldest);
      this.#room = this.size;
    }
  }
}

/** Entries from the oldest to the newest. */
class Segment<Value> {
  readonly #entries = new Set<Entry<Value>>();
  #weight = 0;
  #lastRank = 0;

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  add(entry: Entry<Value>): void {
    this.#lastRank += 1;
    entry.rank = this.#lastRank;
    this.#entries.add(entry);
    this.#weight += entry.weight;
  }

  delete(entry: Entry<Value>): void {
    this.#entries.delete(entry);
    this.#weight -= entry.weight;
  }

  /** How many were added after this one, those counted that have left since. */
  newerThan({ rank }: Entry<Value>): number {
    return this.#lastRank - rank;
  }

  oldest(): Entry<Value> | undefined {
    const [oldest] = this.#entries;
    return oldest;
  }

  newestFirst(): readonly Entry<Value>[] {
    return [...this.#entries].toReversed();
  }
}
