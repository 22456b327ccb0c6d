/** When requests to a subgraph stop. */
export interface BreakerRules {
  /** The share of failed requests, 0 to 1, from which the breaker opens. */
  readonly failureShare: number;
  /** Requests in the window below which it never opens. */
  readonly minRequests: number;
  /** The window that is looked at, milliseconds. */
  readonly windowMs: number;
  /**
   * Milliseconds between two trial requests. Where requests fail at once none of them waits long, and
   * the next try comes after 500 ms at the latest.
   */
  readonly sleepMs: number;
}

/** A `trial` finds out whether the subgraph responds. */
export type SubgraphRequestKind = 'ordinary' | 'trial';

/** `open`: no requests are sent, but for one trial in each sleep window. */
export type BreakerState = 'closed' | 'open';

const BUCKETS = 10;
const SHORT_SLEEP_MS = 500;

/**
 * Counts how requests to one subgraph end, in a sliding window, and opens when too many of them fail. While it is open one
 * request in each sleep window goes through: whichever of these succeeds first closes it, so one that hangs delays nothing.
 */
export class CircuitBreaker {
  readonly #rules: BreakerRules;
  readonly #now: () => number;
  readonly #onChange: (state: BreakerState) => void;
  readonly #bucketMs: number;
  readonly #requests = new Float64Array(BUCKETS);
  readonly #failures = new Float64Array(BUCKETS);
  #bucket = 0;
  #bucketEndsAt: number;
  #open = false;
  #nextTrialAt = 0;
  #sleepMs = 0;

  /** @param now milliseconds on a clock that never goes back */
  constructor(
    rules: BreakerRules,
    onChange: (state: BreakerState) => void = () => undefined,
    now: () => number = performance.now.bind(performance),
  ) {
    this.#rules = rules;
    this.#now = now;
    this.#onChange = onChange;
    this.#bucketMs = rules.windowMs / BUCKETS;
    this.#bucketEndsAt = now() + this.#bucketMs;
  }

  get state(): BreakerState {
    return this.#open ? 'open' : 'closed';
  }

  /** What kind of request may be sent now, if any. While the breaker is open, that uses up the trial of this sleep window. */
  admits(): SubgraphRequestKind | undefined {
    if (!this.#open) return 'ordinary';
    const now = this.#now();
    if (now < this.#nextTrialAt) return undefined;
    this.#nextTrialAt = now + this.#sleepMs;
    return 'trial';
  }

  /** A request ended with a response. What began before the breaker opened says nothing of now. */
  succeeded(kind: SubgraphRequestKind): void {
    if (!this.#open) this.#count(0);
    else if (kind === 'trial') this.#close();
  }

  /** A request ended with a failure of the subgraph. */
  failed(how: 'at-once' | 'after-waiting'): void {
    if (this.#open) return;
    this.#count(1);
    if (this.#isFailing()) this.#trip(how);
  }

  #trip(how: 'at-once' | 'after-waiting'): void {
    const { sleepMs } = this.#rules;
    this.#open = true;
    this.#sleepMs = how === 'at-once' ? Math.min(SHORT_SLEEP_MS, sleepMs) : sleepMs;
    this.#nextTrialAt = this.#now() + this.#sleepMs;
    this.#onChange('open');
  }

  #close(): void {
    this.#open = false;
    this.#requests.fill(0);
    this.#failures.fill(0);
    this.#onChange('closed');
  }

  #count(failures: number): void {
    this.#turn();
    this.#requests[this.#bucket] = (this.#requests[this.#bucket] ?? 0) + 1;
    this.#failures[this.#bucket] = (this.#failures[this.#bucket] ?? 0) + failures;
  }

  #turn(): void {
    const now = this.#now();
    if (now >= this.#bucketEndsAt + this.#rules.windowMs) {
      this.#requests.fill(0);
      this.#failures.fill(0);
      this.#bucketEndsAt = now + this.#bucketMs;
    }
    while (now >= this.#bucketEndsAt) {
      this.#bucket = (this.#bucket + 1) % BUCKETS;
      this.#requests[this.#bucket] = 0;
      this.#failures[this.#bucket] = 0;
      this.#bucketEndsAt += this.#bucketMs;
    }
  }

  #isFailing(): boolean {
    const requests = sum(this.#requests);
    return requests >= this.#rules.minRequests && sum(this.#failures) >= requests * this.#rules.failureShare;
  }
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
