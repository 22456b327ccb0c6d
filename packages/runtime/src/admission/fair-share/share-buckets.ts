import { amountAt, DEFAULT_SHARES, type LevelAmounts } from './share-limit.ts';
import type { ShareKeys } from './share-keys.ts';

/** How much in which time. The amounts come back evenly, not all at the end of it. */
export interface BucketRate {
  /** Of one key, by its level; `amountsOf(n, DEFAULT_SHARES.ofCaller)` is a good one. */
  readonly amounts: LevelAmounts;
  readonly windowMs: number;
}

/** Settings of {@link ShareBuckets}. */
export interface ShareBucketsOptions extends BucketRate {
  /** Keys that are remembered of each level. @default 10000 */
  readonly maxKeys?: number | undefined;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Of so many keys the one that has the least to pay off makes room. */
const LOOKED_AT = 8;
/** Sums of fractions of a window come out a little over it. */
const ROUNDING_MS = 1e-3;

/**
 * A token bucket for each key of a hierarchy, in this process: an amount is taken only where every level has it. What a
 * bucket holds follows from the time at which it is full again; those that are full are not remembered. When there are too
 * many others, the one that lacks least makes room, so that new keys, as many as someone likes, push out one another and
 * none that is nearly empty; and what they take counts in the networks around them.
 */
export class ShareBuckets {
  #amounts: LevelAmounts;
  #windowMs: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  /** For each level: by key, when the bucket is full again. */
  readonly #fullAt: Map<string, number>[] = [];
  /** For each level, when the bucket would be full again: of the call that runs. */
  readonly #next: number[] = [];

  constructor({ amounts, windowMs, maxKeys = DEFAULT_SHARES.maxKeys, now }: ShareBucketsOptions) {
    this.#amounts = amounts;
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
    this.#now = now ?? performance.now.bind(performance);
  }

  /**
   * From now on the buckets hold other amounts, which come back in another time. What was taken stays taken: it comes back as fast as
   * the new amounts do. Otherwise a little of a long window would be more than all of a short one.
   */
  set rate({ amounts, windowMs }: BucketRate) {
    const now = this.#now();
    const costsBefore = this.#fullAt.map((_buckets, level) => this.#costMs(1, level));
    this.#amounts = amounts;
    this.#windowMs = windowMs;
    for (const [level, buckets] of this.#fullAt.entries())
      stretch(buckets, now, this.#costMs(1, level) / (costsBefore[level] ?? 1));
  }

  /** How many buckets are remembered. */
  get size(): number {
    return this.#fullAt.reduce((sum, level) => sum + level.size, 0);
  }

  /** @returns milliseconds until the amount is available; 0 when it was taken */
  take(keys: ShareKeys, amount = 1): number {
    const now = this.#now();
    let level = 0;
    for (const key of keys) {
      const fullAt = this.#fullAtOf(key, level, now);
      const waitMs = this.#waitMs(fullAt, amount, level, now);
      if (waitMs > 0) return this.waitMs(keys, amount);
      this.#next[level] = fullAt + this.#costMs(amount, level);
      level += 1;
    }
    level = 0;
    for (const key of keys) {
      this.#set(key, level, this.#next[level] ?? now, now);
      level += 1;
    }
    return 0;
  }

  /**
   * Takes nothing.
   *
   * @param amount one that no bucket can hold is available when the bucket is full
   * @returns milliseconds until the amount is available
   */
  waitMs(keys: ShareKeys, amount = 1): number {
    const now = this.#now();
    let longest = 0;
    let level = 0;
    for (const key of keys) {
      longest = Math.max(longest, this.#waitMs(this.#fullAtOf(key, level, now), amount, level, now));
      level += 1;
    }
    return longest;
  }

  /** Takes an amount that is known afterwards, available or not: the next request waits for what is missing. */
  charge(keys: ShareKeys, amount: number): void {
    const now = this.#now();
    let level = 0;
    for (const key of keys) {
      this.#set(key, level, this.#fullAtOf(key, level, now) + this.#costMs(amount, level), now);
      level += 1;
    }
  }

  #waitMs(fullAt: number, amount: number, level: number, now: number): number {
    const emptyForMs = fullAt - now + this.#refillMs(amount, level);
    return Math.max(0, Math.ceil(emptyForMs - this.#windowMs - ROUNDING_MS));
  }

  #set(key: string, level: number, fullAt: number, now: number): void {
    const buckets = this.#bucketsOf(level);
    if (buckets.size >= this.#maxKeys && !buckets.has(key)) makeRoom(buckets, now);
    buckets.set(key, fullAt);
  }

  #bucketsOf(level: number): Map<string, number> {
    return (this.#fullAt[level] ??= new Map<string, number>());
  }

  #fullAtOf(key: string, level: number, now: number): number {
    return Math.max(now, this.#fullAt[level]?.get(key) ?? now);
  }

  /** How long the bucket takes to get so much again. */
  #costMs(amount: number, level: number): number {
    return (amount * this.#windowMs) / amountAt(this.#amounts, level);
  }

  #refillMs(amount: number, level: number): number {
    return Math.min(this.#windowMs, this.#costMs(amount, level));
  }
}

/** What each bucket lacks takes so many times as long to come back. Full ones are forgotten. */
function stretch(buckets: Map<string, number>, now: number, times: number): void {
  for (const [key, fullAt] of buckets)
    if (fullAt <= now) buckets.delete(key);
    else buckets.set(key, now + (fullAt - now) * times);
}

/** Forgets full buckets at the front, or the one of those there that lacks least; the others go to the end. */
function makeRoom(buckets: Map<string, number>, now: number): void {
  const front = firstOf(buckets, LOOKED_AT);
  const full = front.filter(([, fullAt]) => fullAt <= now);
  const [leaving] = front.toSorted(([, left], [, right]) => left - right);
  for (const [key] of front) buckets.delete(key);
  const gone = new Set([leaving, ...full]);
  for (const entry of front) if (!gone.has(entry)) buckets.set(...entry);
}

function firstOf(buckets: ReadonlyMap<string, number>, count: number): readonly [string, number][] {
  const first: [string, number][] = [];
  for (const entry of buckets) {
    first.push(entry);
    if (first.length === count) break;
  }
  return first;
}
