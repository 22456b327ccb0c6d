import type { ShareKeys } from '@trellis/runtime/admission';
import { CacheEntry, CacheLine } from './cache-line.ts';
import { CacheShares } from './cache-shares.ts';
import { LeftKeys } from './left-keys.ts';

/** Bounds of an {@link S3FifoCache}. */
export interface S3FifoCacheOptions<Value> {
  /** How many values are stored. */
  readonly maxEntries: number;
  /** What all values may weigh together. @default unbounded */
  readonly maxWeight?: number | undefined;
  /** What a value weighs, at least 1. Goes with `maxWeight`. */
  readonly weigh?: ((value: Value, key: string) => number) | undefined;
  /** What the values may weigh together that were asked for once. @default all the room that the others leave */
  readonly maxNewWeight?: number | undefined;
}

/** How much of the room belongs to values that are new. What the others don't take is theirs as well. */
const NEW_SHARE = 0.1;
/** How much of the room one value with an owner may take: making room for more would cost the others all of theirs. */
const MAX_PART = 1 / 8;
/** Uses that are remembered of a value: each of them saves it once. */
const MAX_USES = 3;

/**
 * A cache that a flood of values that are used once can't wash out, and that a new population fills in two rounds:
 * S3-FIFO. A new value stands in a short line; when it gets to the end of that unused it leaves, and its key is remembered.
 * Who was used there, or comes again while the key is remembered, goes to the long line, where each use since saves a value
 * once from leaving at the end. A use costs a look-up: nothing is moved.
 *
 * Who brings a value owns it. As long as there is room, an owner may have all of it; when there is none, an owner who has more than
 * its share makes room: one caller's flood, however often it sends each value, leaves half of the cache to the others.
 *
 * @see "FIFO queues are all you need for cache eviction", SOSP 2023, https://doi.org/10.1145/3600006.3613147
 */
export class S3FifoCache<Value extends object> {
  readonly #entries = new Map<string, CacheEntry<Value>>();
  readonly #new = new CacheLine<Value>();
  readonly #proven = new CacheLine<Value>();
  readonly #left: LeftKeys;
  readonly #shares = new CacheShares();
  /** Of the room for what is new. */
  readonly #newShares = new CacheShares();
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #maxNewWeight: number;
  readonly #weigh: (value: Value, key: string) => number;

  constructor(options: S3FifoCacheOptions<Value>) {
    const { maxEntries, maxWeight = Infinity, maxNewWeight = Infinity, weigh = () => 1 } = options;
    this.#maxEntries = maxEntries;
    this.#left = new LeftKeys(maxEntries);
    this.#maxWeight = maxWeight;
    this.#maxNewWeight = maxNewWeight;
    this.#weigh = weigh;
  }

  /** A use of the value. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.uses < MAX_USES) entry.uses += 1;
    return entry.value;
  }

  /**
   * Adds or replaces a value. One that is heavier than the whole cache, or of an owner and heavier than an eighth of it, is not stored.
   *
   * @param owner the owner; absent: it counts in no share
   */
  set(key: string, value: Value, owner?: ShareKeys): void {
    const before = this.#entries.get(key);
    const isProven = before ? before.line === this.#proven : this.#left.takeOut(key);
    this.#take(key, value, owner, isProven);
  }

  /** Takes a value in that is known to be asked for again. It counts in no share. */
  setProven(key: string, value: Value): void {
    this.#left.takeOut(key);
    this.#take(key, value, undefined, true);
  }

  #take(key: string, value: Value, owner: ShareKeys | undefined, isProven: boolean): void {
    const before = this.#entries.get(key);
    if (before) this.#remove(before);
    const weight = this.#weigh(value, key);
    if (weight > this.#maxWeight * (owner ? MAX_PART : 1)) return;
    const entry = new CacheEntry(key, value, weight, owner, before?.uses ?? 0);
    while (this.#isFullFor(weight)) this.#makeRoom();
    if (!isProven) this.#makeRoomForNew(weight);
    this.#entries.set(key, entry);
    if (owner) this.#shares.add(owner, this.#partOf(entry));
    if (isProven) this.#proven.add(entry);
    else this.#addNew(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What was used most often of late first; of equals, what came last. */
  values(): readonly Value[] {
    return [...this.#new, ...this.#proven]
      .toReversed()
      .toSorted((left, right) => right.uses - left.uses)
      .map(({ value }) => value);
  }

  #isFullFor(weight: number): boolean {
    return this.size >= this.#maxEntries || this.#new.weight + this.#proven.weight + weight > this.#maxWeight;
  }

  /** Of all the room, by whichever bound it takes up more of. */
  #partOf({ weight }: CacheEntry<Value>): number {
    return Math.max(1 / this.#maxEntries, weight / this.#maxWeight);
  }

  /** Evicts or promotes one value: of an owner above its share first, else of all. */
  #makeRoom(): void {
    const { over } = this.#shares;
    const newest = this.#new.oldest(over);
    const proven = this.#proven.oldest(over);
    if (newest && (!proven || this.#isNewOverShare())) this.#judgeNew(newest);
    else if (proven) this.#judgeProven(proven);
  }

  /** However much room there is: what is asked for once is mostly not asked for again. */
  #makeRoomForNew(weight: number): void {
    while (this.#new.size > 0 && this.#new.weight + weight > this.#maxNewWeight) {
      const oldest = this.#new.oldest(this.#newShares.over) ?? this.#new.oldest();
      if (oldest) this.#judgeNew(oldest);
    }
  }

  #addNew(entry: CacheEntry<Value>): void {
    this.#new.add(entry);
    if (entry.owner) this.#newShares.add(entry.owner, entry.weight / this.#maxNewWeight);
  }

  #takeOut(entry: CacheEntry<Value>): void {
    if (entry.line === this.#new && entry.owner)
      this.#newShares.remove(entry.owner, entry.weight / this.#maxNewWeight);
    entry.line?.delete(entry);
  }

  #isNewOverShare(): boolean {
    const { size, weight } = this.#new;
    return size >= this.#maxEntries * NEW_SHARE || weight >= this.#maxWeight * NEW_SHARE;
  }

  #judgeNew(entry: CacheEntry<Value>): void {
    this.#takeOut(entry);
    if (entry.uses > 0) {
      entry.uses -= 1; // The others are stored: in a full cache, what was just moved would be the next to leave.
      this.#proven.add(entry);
      return;
    }
    this.#remove(entry);
    this.#left.add(entry.key);
  }

  #judgeProven(entry: CacheEntry<Value>): void {
    this.#proven.delete(entry);
    if (entry.uses > 0) {
      entry.uses -= 1;
      this.#proven.add(entry);
    } else this.#remove(entry);
  }

  #remove(entry: CacheEntry<Value>): void {
    this.#takeOut(entry);
    this.#entries.delete(entry.key);
    if (entry.owner) this.#shares.remove(entry.owner, this.#partOf(entry));
  }
}
