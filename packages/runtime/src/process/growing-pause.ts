/** How long pauses between attempts are. */
export interface GrowingPause {
  /** Milliseconds after the first failure; doubled with each further one. */
  readonly firstMs: number;
  /** Milliseconds that no pause exceeds before its jitter. @default the longest of a timer, 2^31 - 1 */
  readonly longestMs?: number;
  /**
   * The parts of a pause between which chance decides, so that processes that failed together do not try again together:
   * `[0.8, 1.2]` is a fifth more or less. @default [1, 1]: none
   */
  readonly jitter?: readonly [least: number, most: number];
}

/** A timer of Node.js that is longer, or of no finite length, ends after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The next power of two is infinite, and 0 times that is no number. */
const MAX_DOUBLINGS = 1_023;

/**
 * Milliseconds to wait before what has failed is tried again.
 *
 * @param failures how often it had failed before: 0 gives the first pause
 * @returns a number from 0 to the longest time of a timer, some 25 days, whatever the settings are
 */
export function growingPauseMs(failures: number, pause: GrowingPause): number {
  const { firstMs, longestMs = LONGEST_TIMER_MS, jitter: [least, most] = [1, 1] } = pause;
  const grownMs = firstMs * 2 ** Math.min(failures, MAX_DOUBLINGS);
  const cappedMs = Math.min(grownMs, longestMs, LONGEST_TIMER_MS);
  return asTimerMs(cappedMs * (least + (most - least) * Math.random()));
}

/** What is no number becomes the longest: a mistake must not make a busy loop. */
function asTimerMs(ms: number): number {
  return ms < LONGEST_TIMER_MS ? Math.max(ms, 0) : LONGEST_TIMER_MS;
}
