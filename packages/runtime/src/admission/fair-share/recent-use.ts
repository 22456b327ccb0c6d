import { DEFAULT_SHARES } from './share-limit.ts';
import type { ShareKeys } from './share-keys.ts';

/** Settings of {@link RecentUse}. */
export interface RecentUseOptions {
  /** Milliseconds in which use is counted. @default 1000 */
  readonly windowMs?: number;
  /** Keys that are counted of each level; further ones are not. @default 10000 */
  readonly maxKeys?: number;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/** What was used in one window, at one level of the keys. */
class LevelUse {
  readonly byKey = new Map<string, number>();
  total = 0;

  /** More than others have on average, and much of all: one of two has three quarters, one of many a tenth. */
  isHeavy(key: string): boolean {
    const { size } = this.byKey;
    const own = this.byKey.get(key) ?? 0;
    return size > 1 && own > Math.max(MUCH, TIMES_THE_MEAN / size) * this.total;
  }
}

const TIMES_THE_MEAN = 1.5;
const MUCH = 0.1;

/**
 * Counts what callers have asked for a moment ago, and says who has had more than a fair share of it: for what can only be
 * shared by rejecting requests. Where one caller is alone no one has more than a fair share.
 */
export class RecentUse {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  #before: readonly LevelUse[] = [];
  #current: LevelUse[] = [];
  #endsAt = 0;

  constructor({ windowMs = 1_000, maxKeys = DEFAULT_SHARES.maxKeys, now }: RecentUseOptions = {}) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
    this.#now = now ?? performance.now.bind(performance);
  }

  /** Counts what a caller asks for, whether it gets it or not. */
  note(keys: ShareKeys, amount = 1): void {
    this.#turn();
    for (let level = 0; level < keys.length; level += 1) {
      const use = (this.#current[level] ??= new LevelUse());
      const key = keys[level] ?? '';
      const known = use.byKey.get(key);
      if (known === undefined && use.byKey.size >= this.#maxKeys) continue;
      use.byKey.set(key, (known ?? 0) + amount);
      use.total += amount;
    }
  }

  /** Whether the caller, or a network around it, had more than a fair share of the last window. */
  isHeavy(keys: ShareKeys): boolean {
    this.#turn();
    return keys.some((key, level) => this.#before[level]?.isHeavy(key) === true);
  }

  #turn(): void {
    const now = this.#now();
    if (now < this.#endsAt) return;
    this.#before = now < this.#endsAt + this.#windowMs ? this.#current : [];
    this.#current = [];
    this.#endsAt = now + this.#windowMs;
  }
}
