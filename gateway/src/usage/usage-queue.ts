import { growingPauseMs } from '@trellis/runtime/growing-pause';
import type { OutageLog } from '@trellis/runtime/outage-log';
import type { RecordedInterval } from './usage-lines.ts';

/** Where recorded intervals go. */
export interface UsageSink {
  /** As logs and metrics call it. */
  readonly name: 'folder' | 'postgres' | 'otlp';
  /**
   * Stores an interval whole, or not at all; one that it has already is stored once. It is called again only when it has settled.
   *
   * @returns how many operations it has left out for good: what was stored says that some are missing
   * @throws where it could not; {@link NeverStored} where it never will
   */
  write(interval: RecordedInterval, signal: AbortSignal): Promise<number>;
  /** Says that the process has ended in order, with everything written. Does not reject. */
  close(signal: AbortSignal): Promise<void>;
}

/** An interval that a sink will never take: it is given up. */
export class NeverStored extends Error {
  override readonly name = 'NeverStored';
}

/** A write that the sink has not ended yet, be it in time or not. */
interface RunningWrite {
  readonly interval: RecordedInterval;
  readonly ended: Promise<void>;
}

/** What a {@link UsageQueue} reports to. */
export interface UsageQueueOptions {
  readonly sink: UsageSink;
  readonly outages: OutageLog;
  /** Called with how many operations were given up, for metrics. */
  readonly onLost: (operations: number) => void;
}

/** The end of the gateway lets an attempt that is under way go on until the deadline. */
const NEVER = new AbortController().signal;

/** Intervals that wait for a sink: the oldest go first when there are more, or more characters of them. */
const [MAX_INTERVALS, MAX_CHARACTERS] = [10, 16 * 1024 * 1024];
/** Milliseconds that a sink has for one interval. */
const WRITE_TIMEOUT_MS = 10_000;
/** Between attempts. */
const RETRY = { firstMs: 1_000, longestMs: 60_000, jitter: [0.8, 1.2] } as const;

/**
 * Intervals on their way to one sink, in their order, in the background: a sink that is slow or unavailable holds up neither
 * requests nor other sinks. What it does not take in time is lost and counted; the interval after it says that something is missing.
 */
export class UsageQueue {
  readonly #options: UsageQueueOptions;
  readonly #waiting: RecordedInterval[] = [];
  /** Ends a pause. */
  readonly #closing = new AbortController();
  #hasGap = false;
  /** Of a folder that hangs, each write holds a thread of the process: there is one. */
  #running: RunningWrite | undefined;
  #emptying: Promise<void> | undefined;

  constructor(options: UsageQueueOptions) {
    this.#options = options;
  }

  add(interval: RecordedInterval): void {
    this.#waiting.push(interval);
    while (this.#waiting.length > 1 && this.#isTooMuch()) this.#loseFirst();
    this.#emptying ??= this.#empty().finally(() => (this.#emptying = undefined));
  }

  /**
   * Writes what waits, each interval in one attempt, and closes the sink. Does not reject.
   *
   * @param deadline what is not written by then is lost
   */
  async close(deadline: AbortSignal): Promise<void> {
    this.#closing.abort();
    const { sink } = this.#options;
    await within(deadline, this.#emptying);
    while (this.#waiting.length > 0 && !deadline.aborted && (await this.#writeFirst(deadline)));
    const isWhole = this.#waiting.length === 0 && !this.#hasGap;
    while (this.#waiting.length > 0) this.#loseFirst();
    if (isWhole) await within(deadline, sink.close(deadline));
  }

  async #empty(): Promise<void> {
    const closing = this.#closing.signal;
    let failures = 0;
    while (this.#waiting.length > 0 && !closing.aborted) {
      if (await this.#writeFirst(NEVER)) {
        failures = 0;
        continue;
      }
      await pause(growingPauseMs(failures, RETRY), closing);
      failures += 1;
    }
  }

  /** Waits for the write that runs, or begins one. @returns whether it need not be tried again */
  async #writeFirst(signal: AbortSignal): Promise<boolean> {
    const [first] = this.#waiting;
    if (!first) return true;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(WRITE_TIMEOUT_MS)]);
    const { interval, ended } = (this.#running ??= this.#begin(first, inTime));
    try {
      await Promise.race([ended, rejectsWith(inTime)]);
      return true;
    } catch (error) {
      this.#options.outages.failed(error);
      if (!(error instanceof NeverStored)) return false;
      if (this.#waiting[0] === interval) this.#loseFirst();
      return true;
    }
  }

  #begin(interval: RecordedInterval, inTime: AbortSignal): RunningWrite {
    const written = this.#hasGap ? { ...interval, isComplete: false } : interval;
    const ended = this.#options.sink
      .write(written, inTime)
      .then((leftOut) => this.#stored(interval, leftOut))
      .finally(() => (this.#running = undefined));
    ended.catch(() => undefined); // what still waits for it hears of it
    return { interval, ended };
  }

  #stored(interval: RecordedInterval, leftOut: number): void {
    const { outages, onLost } = this.#options;
    outages.succeeded();
    if (leftOut > 0) onLost(leftOut);
    if (this.#waiting[0] !== interval) return; // lost meanwhile, and written all the same
    this.#waiting.shift();
    this.#hasGap = leftOut > 0;
  }

  #isTooMuch(): boolean {
    return this.#waiting.length > MAX_INTERVALS || charactersOf(this.#waiting) > MAX_CHARACTERS;
  }

  #loseFirst(): void {
    const lost = this.#waiting.shift();
    this.#hasGap = true;
    this.#options.onLost(lost?.operations.length ?? 0);
  }
}

/** It keeps no process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, signal.aborted ? 0 : ms).unref();
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function rejectsWith(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

function charactersOf(intervals: readonly RecordedInterval[]): number {
  return intervals.reduce(
    (sum, { operations }) => operations.reduce((all, { text }) => all + text.length, sum),
    0,
  );
}

/** Waits for work that has a deadline of its own, and for no longer than that. */
async function within(deadline: AbortSignal, work: Promise<void> | undefined): Promise<void> {
  if (!work || deadline.aborted) return;
  const late = new Promise<void>((resolve) => {
    deadline.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([work.catch(() => undefined), late]);
}
