/** A callback, and its place in the list. */
interface Watcher {
  readonly callback: () => void;
  /** Where it is in the list; -1 when it has left. */
  at: number;
}

/**
 * Those who watch something, in no order. A list, since they come and go with each subgraph request: V8 gives a `Set` that is filled and
 * emptied one table after the other, and each knows the next. One that is dead and old keeps all later ones alive, with those who
 * watched, until the next full garbage collection, and each collection of young objects copies them (ADR 15).
 */
export class Watchers {
  readonly #list: Watcher[] = [];

  /** Who is added twice is called twice. @returns takes it out; without effect the second time */
  add(callback: () => void): () => void {
    const watcher = { callback, at: this.#list.length };
    this.#list.push(watcher);
    return () => this.#remove(watcher);
  }

  /** Calls those that were added before, but for those that leave meanwhile. */
  callAll(): void {
    for (const watcher of this.#list.slice()) if (watcher.at !== -1) watcher.callback();
  }

  #remove(watcher: Watcher): void {
    if (watcher.at === -1) return;
    const last = this.#list.pop();
    if (last && last !== watcher) {
      this.#list[watcher.at] = last;
      last.at = watcher.at;
    }
    watcher.at = -1;
  }
}

/**
 * The signal of a request that must be answered in time: it goes wherever work is done for the request, so its deadline is
 * known there too. Otherwise it is what Node's own signal is, but costs a fraction of that, and has one list of watchers
 * instead of listeners, which are slow to add and to remove.
 *
 * @see DOM §3.2, "Interface AbortSignal"
 */
export class DeadlineSignal extends EventTarget implements AbortSignal {
  onabort: AbortSignal['onabort'] = null;
  #isAborted = false;
  #reason: unknown;
  /** By `performance.now()`. */
  #deadline: number;
  readonly #watchers = new Watchers();

  /** @param timeoutMs from now; what happens then is up to who made the signal */
  constructor(timeoutMs: number = Number.POSITIVE_INFINITY) {
    super();
    this.#deadline = performance.now() + timeoutMs;
  }

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Milliseconds until the time of the request is over; `Infinity` where it is not bounded. */
  get timeLeftMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** The request has begun to be answered: what is still done for it is bounded by other means. */
  clearDeadline(): void {
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  /** Ends everything that is done for the request. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#watchers.callAll();
    const event = new Event('abort');
    this.onabort?.(event);
    this.dispatchEvent(event);
  }

  /** Calls back when it is aborted. @returns stops it */
  watch(callback: () => void): () => void {
    return this.#watchers.add(callback);
  }
}

/** Milliseconds until the time of a request is over; `Infinity` for one whose time is not bounded. */
export function timeLeftMs(signal: AbortSignal): number {
  return signal instanceof DeadlineSignal ? signal.timeLeftMs : Number.POSITIVE_INFINITY;
}

const watchersOfSignals = new WeakMap<AbortSignal, Watchers>();

/**
 * Calls back when a signal is aborted. The signal of a request has one listener however many subgraph requests it makes:
 * adding and removing listeners costs more than much of what a subgraph request does.
 *
 * @returns stops it
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  return signal instanceof DeadlineSignal ? signal.watch(callback) : watchersOf(signal).add(callback);
}

/** The listener stays as long as the signal does, and must know none of those who have ever watched it. */
function watchersOf(signal: AbortSignal): Watchers {
  const known = watchersOfSignals.get(signal);
  if (known) return known;
  const watchers = new Watchers();
  watchersOfSignals.set(signal, watchers);
  signal.addEventListener('abort', () => watchers.callAll(), { once: true });
  return watchers;
}

/**
 * Waits for a promise until it settles or the signal is aborted.
 *
 * @throws what it rejects with, or the signal's reason; the promise goes on for others
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopWatching = whenAborted(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(stopWatching);
  });
}
