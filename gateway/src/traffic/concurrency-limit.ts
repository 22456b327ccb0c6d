import { whenAborted } from '../execution/when-aborted.ts';

/** How much one subgraph is asked at a time. */
export interface ConcurrencyRules {
  /** Calls in flight. */
  readonly calls: number;
  /** Calls that may wait for one of those to end; more are refused at once. */
  readonly queue: number;
}

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: (reason: unknown) => void;
}

/** Lets a bounded number of calls be in flight, and a bounded number wait for them, first come first served. */
export class ConcurrencyLimit {
  readonly #rules: ConcurrencyRules;
  readonly #waiting = new Set<Waiting>();
  #inFlight = 0;

  constructor(rules: ConcurrencyRules) {
    this.#rules = rules;
  }

  /** Calls in flight now. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls that wait now. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a place at once, where there is one. Each place is to be given back by {@link release}. */
  tryAcquire(): boolean {
    if (this.#inFlight >= this.#rules.calls) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Whether another call may wait. */
  canWait(): boolean {
    return this.#waiting.size < this.#rules.queue;
  }

  /**
   * Waits for a place.
   *
   * @param onTimeout makes what is thrown when the time is over
   * @throws the signal's reason when it is aborted first
   */
  acquire(signal: AbortSignal, timeoutMs: number, onTimeout: () => Error): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        stopWatching();
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        begin: () => (end(), resolve()),
        giveUp: (reason) => (end(), reject(reason)),
      };
      const timer = setTimeout(() => waiting.giveUp(onTimeout()), timeoutMs);
      const stopWatching = whenAborted(signal, () => waiting.giveUp(signal.reason));
      this.#waiting.add(waiting);
    });
  }

  /** Gives a place back: to whoever has waited longest, if anybody waits. */
  release(): void {
    const [next] = this.#waiting;
    if (next) next.begin();
    else this.#inFlight -= 1;
  }

  /** Ends all waiting. */
  refuseWaiting(reason: Error): void {
    for (const waiting of this.#waiting) waiting.giveUp(reason);
  }
}
