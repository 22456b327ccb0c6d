const WINDOW_MS = 50;
/** So many more arrivals than answers make a window one of excess. */
const EXCESS_SHARE = 1.25;
/** What chance does to a window in which little happens. */
const EXCESS_COUNT = 2;
/** A burst is over in fewer windows. */
const HIGH_FROM = 4;
/** It is low again only after several quiet windows: those who are given up when it becomes high look like responses. */
const LOW_FROM = 1;

/**
 * Detects sustained overload: more arrivals than responses, from many clients that wait their turn. Closed-loop clients,
 * however many they are, make as many arrivals as responses, and a queue that does not grow; open-loop clients
 * make a queue that only rejecting keeps short.
 */
export class Pressure {
  #windowEndsAt = 0;
  #arrivals = 0;
  #responses = 0;
  #isStrained = false;
  #level = 0;
  #isHigh = false;
  #isReported = false;

  /** Whether more have arrived than were answered in most of the windows of 50 ms just past. */
  get isHigh(): boolean {
    return this.#isHigh;
  }

  /**
   * @param now milliseconds on a clock that never goes back
   * @param isStrained whether others wait because the process is busy: where it waits itself, rejecting helps no one
   * @returns whether the pressure has become high since the one before
   */
  arrived(now: number, isStrained: boolean): boolean {
    this.#roll(now);
    this.#arrivals += 1;
    this.#isStrained ||= isStrained;
    const isNewlyHigh = this.#isHigh && !this.#isReported;
    this.#isReported = this.#isHigh;
    return isNewlyHigh;
  }

  answered(now: number): void {
    this.#roll(now);
    this.#responses += 1;
  }

  #roll(now: number): void {
    const sinceEndMs = now - this.#windowEndsAt;
    if (sinceEndMs < 0) return;
    const isMore = this.#arrivals > this.#responses * EXCESS_SHARE + EXCESS_COUNT;
    const isExcess = isMore && this.#isStrained;
    // windows in which nothing happened at all are quiet ones
    const quietWindows = Math.floor(sinceEndMs / WINDOW_MS) + (isExcess ? 0 : 1);
    this.#level = Math.max(0, Math.min(HIGH_FROM, this.#level + (isExcess ? 1 : 0)) - quietWindows);
    this.#isHigh = this.#level >= (this.#isHigh ? LOW_FROM + 1 : HIGH_FROM);
    this.#windowEndsAt = now + WINDOW_MS;
    this.#arrivals = 0;
    this.#responses = 0;
    this.#isStrained = false;
  }
}
