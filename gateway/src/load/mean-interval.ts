/** The share of the newest interval in the mean. */
const SMOOTHING = 0.1;

/** How far apart things happen, as a smoothed mean. */
export class MeanInterval {
  readonly #now: () => number;
  #lastAt = 0;
  #meanMs = 0;

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds; 0 while nothing is known. */
  get ms(): number {
    return this.#meanMs;
  }

  /** So many have happened at once. */
  note(count: number): void {
    const now = this.#now();
    const share = this.#meanMs > 0 ? 1 - (1 - SMOOTHING) ** count : 1;
    if (this.#lastAt > 0) this.#meanMs += ((now - this.#lastAt) / count - this.#meanMs) * share;
    this.#lastAt = now;
  }

  /** The time from the last one to the next is no interval. */
  pause(): void {
    this.#lastAt = 0;
  }
}
