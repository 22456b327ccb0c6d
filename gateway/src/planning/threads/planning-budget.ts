import {
  amountsOf,
  DEFAULT_SHARES,
  ShareBuckets,
  type BucketRate,
  type ShareKeys,
} from '@trellis/runtime/admission';
import { thisThread, type ThreadClock } from './thread-time.ts';

/** Milliseconds of processor time for operations that are new, which each caller has in a window. */
export interface PlanningAmount {
  /** Of one caller; networks around it have more, by the usual multiples. */
  readonly callerMs: number;
  readonly windowMs: number;
}

/** What is expected of a text that waits to be planned. */
export interface PlanningReservation {
  /** It has been planned in so many milliseconds: that is charged instead. */
  settle(spentMs: number): void;
  /** It will not be planned. */
  release(): void;
}

/** What a character of an operation takes before any was planned. */
const EXPECTED_MS_PER_CHARACTER = 0.02;
/** Of this thread; opened once. */
let clock: ThreadClock | undefined;
/**
 * What shorter texts take is not interrupted: it is measured by the time of day. The clock of the thread costs a
 * system call each time it is read.
 */
const CLOCKED_CHARACTERS = 2_000;

/** How much of the newest one is in what is expected. */
const NEWEST_SHARE = 0.1;

/**
 * What callers may have done for operations that are new: planned beside the event loop, parsed and compiled in it. What waits
 * counts as well, by the length of its text: else a caller could have as much waiting as fits before the first of it
 * is done and charged.
 */
export class PlanningBudget {
  readonly #buckets: ShareBuckets;
  #msPerCharacter = EXPECTED_MS_PER_CHARACTER;

  constructor(amount: PlanningAmount) {
    this.#buckets = new ShareBuckets(rateOf(amount));
  }

  /** From now on callers have another amount. */
  set amount(amount: PlanningAmount) {
    this.#buckets.rate = rateOf(amount);
  }

  /** @returns milliseconds until the caller has something left; 0 where it has */
  waitMs(keys: ShareKeys): number {
    return this.#buckets.waitMs(keys, 0);
  }

  /** Charges what work on a text takes of this thread's processor time, also where it throws. */
  measured<Result>(keys: ShareKeys, characters: number, work: () => Result): Result {
    const readMs = clockFor(characters);
    const startedAtMs = readMs();
    try {
      return work();
    } finally {
      this.charge(keys, readMs() - startedAtMs);
    }
  }

  charge(keys: ShareKeys, durationMs: number): void {
    this.#buckets.charge(keys, durationMs);
  }

  reserve(keys: ShareKeys, characters: number): PlanningReservation {
    const reservedMs = characters * this.#msPerCharacter;
    this.charge(keys, reservedMs);
    return {
      settle: (spentMs) => {
        this.charge(keys, spentMs - reservedMs);
        this.#msPerCharacter += (spentMs / Math.max(1, characters) - this.#msPerCharacter) * NEWEST_SHARE;
      },
      release: () => this.charge(keys, -reservedMs),
    };
  }
}

function clockFor(characters: number): ThreadClock {
  if (characters < CLOCKED_CHARACTERS) return timeOfDay;
  return (clock ??= thisThread().clock);
}

function timeOfDay(): number {
  return performance.now();
}

function rateOf({ callerMs, windowMs }: PlanningAmount): BucketRate {
  return { amounts: amountsOf(callerMs, DEFAULT_SHARES.ofCaller), windowMs };
}
