const WINDOW_MS = 100;
/** So many more arrivals than answers make a window one of excess. */
const EXCESS_SHARE = 1.25;
/** What chance does to a window in which little happens. */
const EXCESS_COUNT = 2;
/** A burst is over in fewer windows. */
const HIGH_FROM = 3;
/** So that one quiet window ends nothing. */
const MAX_LEVEL = 5;

/**
 * Tells more arrivals than answers from many clients who wait their turn. Those who ask again when they are answered, however
 * many they are, make as many arrivals as answers, and a queue that does not grow; those who ask whether they are answered or
 * not make a queue that only refusing keeps short.
 */
export class Pressure {
  #windowEndsAt = 0;
  #arrivals = 0;
  #answers = 0;
  #level = 0;

  /** Whether more have arrived than were answered in most of the windows of 100 ms just past. */
  get isHigh(): boolean {
    return this.#level >= HIGH_FROM;
  }

  /** @param now milliseconds on a clock that never goes back. @returns whether the pressure has just become high */
  arrived(now: number): boolean {
    const was = this.isHigh;
    this.#roll(now);
    this.#arrivals += 1;
    return this.isHigh && !was;
  }

  answered(now: number): void {
    this.#roll(now);
    this.#answers += 1;
  }

  #roll(now: number): void {
    const sinceEndMs = now - this.#windowEndsAt;
    if (sinceEndMs < 0) return;
    const isExcess = this.#arrivals > this.#answers * EXCESS_SHARE + EXCESS_COUNT;
    // windows in which nothing happened at all are quiet ones
    const quietWindows = Math.floor(sinceEndMs / WINDOW_MS) + (isExcess ? 0 : 1);
    this.#level = Math.max(0, Math.min(MAX_LEVEL, this.#level + (isExcess ? 1 : 0)) - quietWindows);
    this.#windowEndsAt = now + WINDOW_MS;
    this.#arrivals = 0;
    this.#answers = 0;
  }
}
