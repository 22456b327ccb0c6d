const WINDOW_SHARE = 0.01;
const PROTECTED_SHARE = 0.8;
/** Counters are halved after so many uses for each place. */
const SAMPLE = 10;
const MAX_COUNT = 15;

/**
 * W-TinyLFU as Caffeine has it, without the climbing of its window's size: a window of 1 %, from where a key gets into the
 * segmented LRU behind it only if it was used more often of late than the one that has to leave for it. Counts are exact
 * here, where Caffeine estimates them.
 *
 * @see "TinyLFU: A Highly Efficient Cache Admission Policy", https://doi.org/10.1145/3149371
 */
export class TinyLfuCache {
  readonly #window = new Map<string, object>();
  readonly #probation = new Map<string, object>();
  readonly #protected = new Map<string, object>();
  readonly #counts = new Map<string, number>();
  readonly #maxWindow: number;
  readonly #maxMain: number;
  readonly #maxEntries: number;
  #uses = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
    this.#maxWindow = Math.max(1, Math.floor(maxEntries * WINDOW_SHARE));
    this.#maxMain = maxEntries - this.#maxWindow;
  }

  get(key: string): object | undefined {
    this.#count(key);
    const value = this.#protected.get(key) ?? this.#window.get(key);
    if (value) {
      const segment = this.#protected.has(key) ? this.#protected : this.#window;
      moveToEnd(segment, key, value);
      return value;
    }
    const proven = this.#probation.get(key);
    if (proven) this.#protect(key, proven);
    return proven;
  }

  set(key: string, value: object): void {
    this.#window.set(key, value);
    const [oldest] = this.#window;
    if (!oldest || this.#window.size <= this.#maxWindow) return;
    this.#window.delete(oldest[0]);
    this.#admit(...oldest);
  }

  #admit(key: string, value: object): void {
    if (this.#probation.size + this.#protected.size < this.#maxMain) {
      this.#probation.set(key, value);
      return;
    }
    const [victim = ''] = this.#probation.keys();
    if (this.#countOf(key) <= this.#countOf(victim)) return;
    this.#probation.delete(victim);
    this.#probation.set(key, value);
  }

  #protect(key: string, value: object): void {
    this.#probation.delete(key);
    this.#protected.set(key, value);
    const [oldest] = this.#protected;
    if (!oldest || this.#protected.size <= this.#maxMain * PROTECTED_SHARE) return;
    this.#protected.delete(oldest[0]);
    this.#probation.set(...oldest);
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #count(key: string): void {
    this.#counts.set(key, Math.min(MAX_COUNT, this.#countOf(key) + 1));
    this.#uses += 1;
    if (this.#uses < this.#maxEntries * SAMPLE) return;
    this.#uses = 0;
    for (const [counted, count] of this.#counts) {
      if (count > 1) this.#counts.set(counted, count >> 1);
      else this.#counts.delete(counted);
    }
  }
}

function moveToEnd(segment: Map<string, object>, key: string, value: object): void {
  segment.delete(key);
  segment.set(key, value);
}
