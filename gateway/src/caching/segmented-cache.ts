/** Bounds of a {@link SegmentedCache}. */
export interface SegmentedCacheOptions<Value> {
  /** How many values are kept. */
  readonly maxEntries: number;
  /** What all values may weigh together. @default unbounded */
  readonly maxWeight?: number | undefined;
  /** What a value weighs, at least 1. Goes with `maxWeight`. */
  readonly weigh?: ((value: Value, key: string) => number) | undefined;
}

/** How much of the room values may hold that were used again. The others have what is left, and what is not taken. */
const PROVEN_SHARE = 0.8;

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A cache that a flood of values nobody asks for twice can't wash out (segmented LRU). A new value is on probation; one
 * that is used again is proven, until it was not used for longest among these. What has to go is on probation.
 */
export class SegmentedCache<Value extends object> {
  readonly #proven: Segment<Value>;
  readonly #onProbation: Segment<Value>;
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #weigh: (value: Value, key: string) => number;

  constructor({ maxEntries, maxWeight = Infinity, weigh = () => 1 }: SegmentedCacheOptions<Value>) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
    this.#proven = new Segment();
    this.#onProbation = new Segment();
  }

  /** A use of the value. */
  get(key: string): Value | undefined {
    const proven = this.#proven.take(key);
    const entry = proven ?? this.#onProbation.take(key);
    if (entry === undefined) return undefined;
    this.#proven.put(key, entry);
    if (proven === undefined) this.#demote();
    return entry.value;
  }

  /** Takes a value in, or anew. One that is heavier than all the room is not kept. */
  set(key: string, value: Value): void {
    const wasProven = this.#proven.take(key) !== undefined;
    this.#onProbation.take(key);
    const entry = { value, weight: this.#weigh(value, key) };
    if (entry.weight > this.#maxWeight) return;
    if (wasProven) this.#proven.put(key, entry);
    else this.#onProbation.put(key, entry);
    this.#shrink();
  }

  get size(): number {
    return this.#proven.size + this.#onProbation.size;
  }

  /** The proven values first; of each kind, what was used last in front. */
  values(): readonly Value[] {
    return [...this.#proven.newestFirst(), ...this.#onProbation.newestFirst()];
  }

  #demote(): void {
    while (this.#isOver(this.#proven, PROVEN_SHARE)) this.#onProbation.put(...this.#proven.takeOldest());
  }

  #isOver({ size, weight }: Segment<Value>, share: number): boolean {
    return size > 1 && (size > this.#maxEntries * share || weight > this.#maxWeight * share);
  }

  #shrink(): void {
    while (this.size > this.#maxEntries || this.#proven.weight + this.#onProbation.weight > this.#maxWeight) {
      const segment = this.#onProbation.size > 0 ? this.#onProbation : this.#proven;
      segment.takeOldest();
    }
  }
}

/** Entries in the order of their use. */
class Segment<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  put(key: string, entry: Entry<Value>): void {
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
  }

  take(key: string): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    return entry;
  }

  takeOldest(): [string, Entry<Value>] {
    const [oldest] = this.#entries;
    if (!oldest) throw new RangeError('The segment is empty.');
    this.take(oldest[0]);
    return oldest;
  }

  newestFirst(): readonly Value[] {
    return [...this.#entries.values()].map(({ value }) => value).toReversed();
  }
}
