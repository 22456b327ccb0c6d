import { performance } from 'node:perf_hooks';
import type { DropRules, SustainedOverload } from './admission.ts';
import { SetAside, type GatePlace, type WaitingOperation } from './gate-place.ts';
import { MeanInterval } from './mean-interval.ts';
import { ProcessStrain, utilizationReader } from './process-strain.ts';
import { FEW_REQUESTS, laneOf, type GateCaller, WaitingLine } from './waiting-line.ts';

/** Settings of {@link ExecutionGate}. */
export interface ExecutionGateOptions {
  /** Operations that always may be in execution at once. @default 8 */
  readonly minimum?: number;
  /** Milliseconds in which those in execution should end: where they are short, more than the minimum are. At most 32. @default 20 */
  readonly spanMs?: number;
  /** Whether more arrive than can be answered: then nothing but the minimum keeps responses quick. @default never */
  readonly overload?: Pick<SustainedOverload, 'isSustained'>;
  /** The share of time, 0 to 1, from which the process counts as busy. @default 0.85 */
  readonly busyFrom?: number;
  /** How busy the process was since the last reading, 0 to 1. @default that of the event loop */
  readonly readUtilization?: () => number;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

const CHECK_INTERVAL_MS = 5;
/** So many that last are set aside while the process is busy: they may wait for it, and not for a subgraph. */
const MAX_ASIDE = 128;
/** So many milliseconds an operation may last that others have to wait for. */
const SLOW_MS = 100;
/** More of them at a time answer no more a second, however short they are. */
const MAX_OF_SHORT = 32;
/** More of them that begin in one turn of the event loop would keep all else waiting for as long as beginning takes. */
const MAX_AT_ONCE = 16;

/**
 * Lets operations begin. As long as the process waits for subgraphs most of the time, all of them begin at once. When it is
 * busy, more of them at a time would end none of them sooner, but each holds what it has collected, and garbage collection
 * pays for all that is held: so only as many are in execution as it takes to stay busy, and the others wait, each caller for
 * its share of the turns.
 * Operations that wait for a slow subgraph do not count: they keep no other one waiting.
 * Callers who have none in execution, nor any that waits for a subgraph, may have one beyond that number, as many as the minimum together.
 */
export class ExecutionGate {
  readonly #minimum: number;
  readonly #spanMs: number;
  readonly #overload: Pick<SustainedOverload, 'isSustained'>;
  readonly #busyFrom: number;
  readonly #readUtilization: () => number;
  readonly #now: () => number;
  readonly #waiting = new WaitingLine<WaitingOperation>();
  #limit: number;
  /** In the order in which they began. No set: one that lives long allocates in V8's old generation when entries come and go. */
  readonly #inside: GatePlace[] = [];
  readonly #aside = new SetAside();
  /** Of those inside, those that have begun beyond the limit. */
  #ahead = 0;
  #readAtMs = 0;
  /** Between two operations that end, while others wait. */
  readonly #ends: MeanInterval;
  /** Between two places that become free, also as operations are set aside. */
  readonly #turns: MeanInterval;
  /** Whether no operation has waited since the last end. */
  #isPaused = false;
  readonly #strain: ProcessStrain;
  #isChecking = false;

  constructor(options: ExecutionGateOptions = {}) {
    this.#minimum = options.minimum ?? 8;
    this.#spanMs = options.spanMs ?? 20;
    this.#overload = options.overload ?? { isSustained: false };
    this.#busyFrom = options.busyFrom ?? 0.85;
    this.#readUtilization = options.readUtilization ?? utilizationReader();
    this.#now = options.now ?? performance.now.bind(performance);
    this.#strain = new ProcessStrain(this.#now);
    this.#ends = new MeanInterval(this.#now);
    this.#turns = new MeanInterval(this.#now);
    this.#limit = this.#minimum;
  }

  /** Operations that wait for others to end. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Milliseconds that the operation has waited that came first; 0 when none waits. */
  get longestWaitMs(): number {
    const { oldest } = this.#waiting;
    return oldest ? this.#now() - oldest.since : 0;
  }

  /** Estimated milliseconds that an operation would wait whose caller has none here. */
  get newcomerWaitMs(): number {
    return this.#hasRoomAhead() ? 0 : this.turnMs;
  }

  /** Estimated milliseconds from one turn of a caller to the next. */
  get turnMs(): number {
    return this.#waiting.callers * this.#turns.ms;
  }

  /** Whether one more operation may begin beyond the limit. */
  #hasRoomAhead(): boolean {
    return this.#ahead < this.#minimum;
  }

  /** Who has none in execution need not wait until others who have all places give them back. */
  #hasNone({ key }: GatePlace): boolean {
    if (key === undefined || this.#aside.hasOf(key)) return false;
    return this.#inside.every((other) => other.key !== key);
  }

  /**
   * Estimated milliseconds that one more operation would wait, from those before; 0 where the process
   * is not what they wait for.
   */
  get expectedWaitMs(): number {
    const { size } = this.#waiting;
    return size > 0 && this.#isOverstrained() ? size * this.#ends.ms : 0;
  }

  /**
   * Gives up the operations that have waited for longer, where it is the process that they wait for, but for the last few of each caller
   * whose turn comes soon. What they throw is made for each.
   */
  dropWaiting({ longerThanMs, soonMs }: DropRules, reason: () => Error): void {
    if (!this.#isOverstrained()) return;
    const before = this.#now() - longerThanMs;
    const { turnMs } = this;
    for (const waiting of this.#waiting) {
      if (waiting.since > before) return; // in the order in which they came
      const turns = this.#waiting.ofSameCaller(waiting);
      if (turns < FEW_REQUESTS && turns * turnMs <= soonMs) continue;
      this.#waiting.delete(waiting);
      waiting.leave(reason());
    }
  }

  /**
   * Runs an operation as soon as it may begin.
   *
   * @param caller whose turn it takes; absent where it belongs to no caller
   * @throws the signal's reason when it is aborted while the operation waits; the reason of {@link dropWaiting}; what the
   *   operation throws
   */
  async run<T>(operation: () => Promise<T>, signal: AbortSignal, caller?: GateCaller): Promise<T> {
    const isOfLane = caller?.lane !== undefined;
    const place: GatePlace = { sinceMs: 0, key: caller && laneOf(caller), isOfLane, isAhead: false };
    if (this.#hasRoom()) this.#enter(place);
    else await this.#turn(place, signal, caller);
    try {
      return await operation();
    } finally {
      this.#measureEnd(this.#leave(place));
      this.#admit();
    }
  }

  /** Only while others wait does the time between two ends show how many the process can take. */
  #measureEnd(wasInside: boolean): void {
    if (this.#waiting.size === 0) {
      this.#isPaused = true;
      return;
    }
    this.#resume();
    this.#ends.note(1);
    if (wasInside) this.#turns.note(1);
  }

  #resume(): void {
    if (this.#isPaused) for (const mean of [this.#ends, this.#turns]) mean.pause();
    this.#isPaused = false;
  }

  /** As many as are in execution however busy the process is: turns of the event loop with little to do cost as well. */
  get #least(): number {
    if (this.#ends.ms === 0 || this.#overload.isSustained) return this.#minimum;
    const ofShort = Math.ceil(this.#spanMs / this.#ends.ms);
    return Math.max(this.#minimum, Math.min(MAX_OF_SHORT, ofShort));
  }

  /** While more arrive than can be answered, a moment in which subgraphs are slow is no reason to begin all that wait. */
  get #most(): number {
    return this.#overload.isSustained ? MAX_OF_SHORT : Number.POSITIVE_INFINITY;
  }

  #isOverstrained(): boolean {
    return this.#strain.isOver(this.#overload.isSustained);
  }

  #turn(place: GatePlace, signal: AbortSignal, caller: GateCaller | undefined): Promise<void> {
    return new Promise((begin, leave) => {
      this.#waiting.add({ place, caller, since: this.#now(), begin, leave, signal });
      if (this.#hasRoomAhead() && this.#hasNone(place)) this.#admitAhead();
      this.#checkLater();
    });
  }

  #enter(place: GatePlace): void {
    place.sinceMs = this.#now();
    this.#inside.push(place);
    if (this.#isFilling) this.#checkLater();
  }

  /** @returns whether it was there: it may have been set aside before */
  #leave(place: GatePlace): boolean {
    const index = this.#inside.indexOf(place);
    if (index === -1) this.#aside.delete(place);
    else this.#inside.splice(index, 1);
    if (index !== -1 && place.isAhead) this.#ahead -= 1;
    return index !== -1;
  }

  /** Those that have begun beyond the limit take no place from the others. */
  #hasRoom(): boolean {
    return this.#inside.length - this.#ahead < this.#limit;
  }

  /** Early enough to know, before the first has to wait, whether those in execution only wait for subgraphs. */
  get #isFilling(): boolean {
    return this.#inside.length * 2 > this.#minimum;
  }

  #admit(): void {
    while (this.#waiting.size > 0 && this.#hasRoom()) {
      const next = this.#waiting.next();
      if (!next) return;
      this.#enter(next.place);
      next.begin();
    }
    this.#admitAhead();
  }

  /** Those whose callers have none in execution, by their turns. */
  #admitAhead(): void {
    if (this.#waiting.size === 0 || !this.#hasRoomAhead()) return;
    const keys = new Set(this.#inside.map(({ key }) => key)).add(undefined);
    while (this.#hasRoomAhead()) {
      const next = this.#waiting.next(({ place: { key } }) => !keys.has(key) && !this.#aside.hasOf(key));
      if (!next) return;
      keys.add(next.place.key);
      this.#ahead += 1;
      next.place.isAhead = true;
      this.#enter(next.place);
      next.begin();
    }
  }

  /** Looked for now and then: listening to each signal would cost every operation more than waiting does. */
  #dropAborted(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.signal.aborted) continue;
      this.#waiting.delete(waiting);
      waiting.leave(waiting.signal.reason as Error);
    }
  }

  #checkLater(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#readUtilization(); // from here on
    this.#readAtMs = this.#now();
    setTimeout(() => this.#read(), CHECK_INTERVAL_MS);
  }

  #read(): void {
    const isBusy = this.#readUtilization() >= this.#busyFrom;
    this.#setSlowAside(isBusy);
    if (this.#waiting.size > 0) this.#letBegin(isBusy);
    if (this.#waiting.size === 0) this.#limit = this.#least;
    this.#isChecking = false;
    if (this.#waiting.size > 0 || this.#isFilling) this.#checkLater();
  }

  #letBegin(isBusy: boolean): void {
    this.#strain.read(isBusy);
    this.#limit = isBusy
      ? Math.max(this.#least, Math.floor(this.#limit / 2))
      : Math.min(this.#most, this.#limit * 2, this.#inside.length - this.#ahead + MAX_AT_ONCE);
    this.#dropAborted();
    this.#admit();
  }

  /**
   * What was in execution all the time since the last reading, and left the process idle, waits for a subgraph. While others
   * wait, one reading is not enough to detect it: otherwise a subgraph under overload would get still more.
   */
  #setSlowAside(isBusy: boolean): void {
    const isPatient = isBusy || this.#waiting.size > 0 || this.#overload.isSustained;
    const before = isPatient ? this.#now() - SLOW_MS : this.#readAtMs;
    const count = this.#inside.filter(({ sinceMs }) => sinceMs <= before).length; // they come first
    const room = isBusy ? Math.max(0, MAX_ASIDE - this.#aside.size) : count;
    const slow = this.#inside.splice(0, Math.min(count, room));
    for (const place of slow) {
      if (place.isAhead) this.#ahead -= 1;
      this.#aside.add(place);
    }
    if (slow.length === 0 || this.#waiting.size === 0) return;
    this.#resume();
    this.#turns.note(Math.min(slow.length, this.#limit));
  }
}
