import type { ThreadClock } from './thread-time.ts';

/** Work that is over sooner was hardly interrupted: no thread gets a processor for less. */
const BRIEF_MS = 2;
/** For so long, brief work is measured without a look at the thread's clock. */
const UNREAD_MS = 20;
/** So much of the processor time between two readings may belong to later work: the scheduler counts in ticks. */
const TICK_MS = 5;

/**
 * Measures the processor time of a thread's work, one piece after the other. To read the thread's clock takes a system call, which is
 * much beside a plan of half a millisecond: brief work is taken to last as long as it took. What is wrong about that is put right at the
 * next reading, 20 ms later.
 */
export class WorkMeter {
  readonly #clock: ThreadClock;
  readonly #now: ThreadClock;
  #clockMs: number;
  #readAtMs: number;
  #startedAtMs: number;

  /** @param now the time of day */
  constructor(clock: ThreadClock, now: ThreadClock = () => performance.now()) {
    this.#clock = clock;
    this.#now = now;
    this.#clockMs = clock();
    this.#readAtMs = now();
    this.#startedAtMs = this.#readAtMs;
  }

  /** Milliseconds of processor time that the thread has had after its last work, to some milliseconds. */
  get clockMs(): number {
    return this.#clockMs;
  }

  begin(): void {
    this.#startedAtMs = this.#now();
  }

  /** @returns milliseconds of processor time since {@link WorkMeter.begin} */
  end(): number {
    const nowMs = this.#now();
    const passedMs = nowMs - this.#startedAtMs;
    if (passedMs <= BRIEF_MS && nowMs - this.#readAtMs < UNREAD_MS) {
      this.#clockMs += passedMs;
      return passedMs;
    }
    const clockMs = this.#clock();
    const workedMs = Math.max(0, Math.min(passedMs, clockMs - this.#clockMs));
    this.#clockMs = Math.min(clockMs, Math.max(clockMs - TICK_MS, this.#clockMs + workedMs));
    this.#readAtMs = nowMs;
    return workedMs;
  }
}
