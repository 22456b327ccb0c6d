import type { ShareKeys } from '@trellis/runtime/admission';

/** What a cache keeps under a key. It is in one line at a time, or in none. */
export class CacheEntry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly weight: number;
  /** The owner; absent: it counts in no share. */
  readonly owner: ShareKeys | undefined;
  /** Since it came, or was saved last. */
  uses: number;
  /** Set by the line, as its neighbours are. */
  line: CacheLine<Value> | undefined = undefined;
  older: CacheEntry<Value> | undefined = undefined;
  newer: CacheEntry<Value> | undefined = undefined;

  constructor(key: string, value: Value, weight: number, owner: ShareKeys | undefined, uses: number) {
    this.key = key;
    this.value = value;
    this.weight = weight;
    this.owner = owner;
    this.uses = uses;
  }
}

/** Entries of a cache from the oldest to the newest, linked with one another: to take one out, nothing is looked up. */
export class CacheLine<Value> implements Iterable<CacheEntry<Value>> {
  #oldest: CacheEntry<Value> | undefined;
  #newest: CacheEntry<Value> | undefined;
  #size = 0;
  #weight = 0;

  get size(): number {
    return this.#size;
  }

  get weight(): number {
    return this.#weight;
  }

  /** @param entry one that is in no line */
  add(entry: CacheEntry<Value>): void {
    entry.line = this;
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    this.#size += 1;
    this.#weight += entry.weight;
  }

  /** Without effect for an entry of another line. */
  delete(entry: CacheEntry<Value>): void {
    if (entry.line !== this) return;
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    entry.line = undefined;
    entry.older = undefined;
    entry.newer = undefined;
    this.#size -= 1;
    this.#weight -= entry.weight;
  }

  /** @param owner one of whose values it has to be; absent: any owner */
  oldest(owner?: string): CacheEntry<Value> | undefined {
    if (owner === undefined) return this.#oldest;
    let entry = this.#oldest;
    while (entry && entry.owner?.includes(owner) !== true) entry = entry.newer;
    return entry;
  }

  *[Symbol.iterator](): Iterator<CacheEntry<Value>> {
    for (let entry = this.#oldest; entry; entry = entry.newer) yield entry;
  }
}
