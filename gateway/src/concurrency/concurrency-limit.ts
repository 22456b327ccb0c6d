import {
  amountsOf,
  FairQueue,
  ShareLimit,
  sharesAround,
  type QueueCaller,
  type ServedItem,
} from '@trellis/runtime/admission';
import { whenAborted } from '../abort/deadline-signal.ts';

/** How many requests go to a subgraph, or to an issuer, at a time. */
export interface ConcurrencyRules {
  /** Requests in flight. */
  readonly requests: number;
  /** Requests that may wait for one of those to end; more are rejected at once. */
  readonly queue: number;
  /** The part of both, 0 to 1, that one caller may have while there are no others. */
  readonly perCaller: number;
}

/** A place that was waited for. */
export interface Slot {
  /** Charged with what the request took, in milliseconds. */
  readonly done: (durationMs: number) => void;
}

/** Why a request may not even wait. */
export type QueueRejection = 'share' | 'total';

interface Waiting {
  readonly caller: QueueCaller;
  readonly begin: (slot: Slot) => void;
  readonly giveUp: (reason: unknown) => void;
  readonly makeRejection: (why: QueueRejection | 'timeout') => Error;
}

/**
 * Lets a bounded number of requests be in flight, and a bounded number wait for them. No caller gets them all: one that holds
 * many waits for its own to end while others go ahead, and those who wait are served by the time that their requests have taken.
 */
export class ConcurrencyLimit {
  readonly #slots: ShareLimit;
  readonly #queue: FairQueue<Waiting>;

  constructor({ requests, queue, perCaller }: ConcurrencyRules) {
    const perKey = sharesAround(perCaller);
    this.#slots = new ShareLimit({ total: requests, perKey: amountsOf(requests, perKey), leavesRoom: true });
    this.#queue = new FairQueue({
      maxWaiting: queue,
      maxWaitingPerKey: amountsOf(queue, perKey),
      onDisplaced: (waiting) => waiting.giveUp(waiting.makeRejection('total')),
    });
  }

  /** Requests in flight now. */
  get inFlight(): number {
    return this.#slots.held;
  }

  /** Requests that wait now. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Takes a place at once, where there is one for the caller. Each place is to be given back by {@link release}. */
  tryAcquire({ keys }: QueueCaller): boolean {
    return this.#slots.tryAcquire(keys) === undefined;
  }

  /**
   * Waits for a place.
   *
   * @param makeRejection what is thrown when the request may not wait, or its deadline has passed
   * @throws the signal's reason when it is aborted first
   */
  acquire(
    caller: QueueCaller,
    signal: AbortSignal,
    timeoutMs: number,
    makeRejection: Waiting['makeRejection'],
  ): Promise<Slot> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        stopWatching();
      };
      const waiting: Waiting = {
        caller,
        makeRejection,
        begin: (slot) => (end(), resolve(slot)),
        giveUp: (reason) => (end(), reject(reason)),
      };
      const place = this.#queue.add(waiting, caller);
      if (typeof place === 'string') return reject(makeRejection(place));
      const leave = (reason: unknown): void => (place.leave(), waiting.giveUp(reason));
      const timer = setTimeout(() => leave(makeRejection('timeout')), timeoutMs);
      const stopWatching = whenAborted(signal, () => leave(signal.reason));
    });
  }

  /**
   * Gives a slot back: to the waiting caller with the fewest that may have another one.
   *
   * @param slot what was waited for, if anything was
   */
  release({ keys }: QueueCaller, durationMs: number, slot?: Slot): void {
    this.#slots.release(keys);
    slot?.done(durationMs);
    if (this.#queue.waiting > 0) this.#serveWaiting();
  }

  #serveWaiting(): void {
    const mayServe = ({ caller }: Waiting): boolean => this.#slots.rejectionOf(caller.keys) === undefined;
    let served: ServedItem<Waiting> | undefined;
    while (this.inFlight < this.#slots.total && (served = this.#queue.next(mayServe))) {
      this.#slots.acquire(served.item.caller.keys);
      served.item.begin(served);
    }
  }
}
