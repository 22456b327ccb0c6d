/** Settings of {@link CircuitBreaker}. */
export interface CircuitBreakerOptions {
  /** Percent of the calls of a window that have to fail before no more are made. @default 50 */
  readonly failurePercent?: number | undefined;
  /** Calls in a window below which nothing is concluded. @default 20 */
  readonly minCalls?: number | undefined;
  /** Milliseconds that calls are counted for. @default 10_000 */
  readonly windowMs?: number | undefined;
  /**
   * Milliseconds after a time-out until one call is let through again, to see. What failed at once cost nobody any time, and
   * is tried again after 500 ms at the latest. @default 5_000
   */
  readonly pauseMs?: number | undefined;
}

/** How one call ended: `unknown` when it was given up by whoever made it. */
export type CallOutcome = 'succeeded' | 'failed' | 'timed-out' | 'unknown';

/** A `trial` finds out whether the subgraph is back. */
export type CallKind = 'ordinary' | 'trial';

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly until: number }
  | { readonly kind: 'trying' };

const SLICES = 10;
const SHORT_PAUSE_MS = 500;

/**
 * Whether a subgraph is to be asked. One that fails most calls is left alone for a while, so that nobody waits for what will
 * not come; then a single call finds out whether it is back.
 */
export class CircuitBreaker {
  readonly #failureShare: number;
  readonly #minCalls: number;
  readonly #sliceMs: number;
  readonly #pauseMs: number;
  readonly #now: () => number;
  #slices: Slice[] = [];
  #state: State = { kind: 'closed' };

  /** @param now milliseconds that only rise */
  constructor(options: CircuitBreakerOptions = {}, now: () => number = () => performance.now()) {
    this.#failureShare = (options.failurePercent ?? 50) / 100;
    this.#minCalls = options.minCalls ?? 20;
    this.#sliceMs = (options.windowMs ?? 10_000) / SLICES;
    this.#pauseMs = options.pauseMs ?? 5_000;
    this.#now = now;
  }

  /** Lets a call through, whose outcome has to be told then. @returns nothing when it must not be made */
  enter(): CallKind | undefined {
    const state = this.#state;
    if (state.kind === 'closed') return 'ordinary';
    if (state.kind === 'trying' || this.#now() < state.until) return undefined;
    this.#state = { kind: 'trying' };
    return 'trial';
  }

  /** Tells how a call ended. What began before the breaker opened says nothing of now. */
  leave(kind: CallKind, outcome: CallOutcome): void {
    if (kind === 'trial') this.#conclude(outcome);
    else if (this.#state.kind === 'closed' && outcome !== 'unknown') this.#count(outcome);
  }

  #conclude(outcome: CallOutcome): void {
    this.#slices = [];
    if (outcome === 'succeeded') this.#state = { kind: 'closed' };
    else this.#open(outcome);
  }

  #count(outcome: CallOutcome): void {
    const slice = this.#currentSlice();
    slice.calls += 1;
    if (outcome === 'succeeded') return;
    slice.failures += 1;
    if (this.#isBroken()) this.#open(outcome);
  }

  #open(outcome: Exclude<CallOutcome, 'succeeded'>): void {
    const pausesMs = {
      'timed-out': this.#pauseMs,
      failed: Math.min(SHORT_PAUSE_MS, this.#pauseMs),
      unknown: 0,
    };
    this.#state = { kind: 'open', until: this.#now() + pausesMs[outcome] };
  }

  #currentSlice(): Slice {
    const number = Math.floor(this.#now() / this.#sliceMs);
    const last = this.#slices.at(-1);
    if (last?.number === number) return last;
    const slice = { number, calls: 0, failures: 0 };
    this.#slices = [...this.#slices.filter((old) => old.number > number - SLICES), slice];
    return slice;
  }

  #isBroken(): boolean {
    const calls = this.#slices.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = this.#slices.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= this.#minCalls && failures >= calls * this.#failureShare;
  }
}

/** Calls of a part of the window. */
interface Slice {
  readonly number: number;
  calls: number;
  failures: number;
}
