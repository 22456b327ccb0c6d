import { AsyncResource } from 'node:async_hooks';
import { FairQueue, type QueuePlace, type QueueCaller } from '@trellis/runtime/admission';

/** As many as a browser has under way to one host; a caller who has fewer has little. */
export const FEW_REQUESTS = 6;

/** What waits in a {@link WaitingLine}. */
export interface InLine {
  /** Absent where it belongs to no caller. */
  readonly caller: GateCaller | undefined;
}

const ANONYMOUS: GateCaller = Object.freeze({ keys: ['anonymous'] as const, isKnown: false });
const UNBOUNDED = Number.POSITIVE_INFINITY;

/** How many of something each caller, or lane, has. */
export class CallerCounts {
  readonly #counts = new Map<string, number>();

  /** Callers who have any. */
  get size(): number {
    return this.#counts.size;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

/**
 * Those who wait for a turn. As long as they are of one caller they have it in the order in which they came, which costs next
 * to nothing; when several callers wait, each has its share of the turns.
 */
export class WaitingLine<Item extends InLine> {
  #items = new Map<Item, QueuePlace | undefined>();
  #callers = new CallerCounts();
  #shared: FairQueue<Item> | undefined;

  get size(): number {
    return this.#items.size;
  }

  /** Callers of whom something waits. */
  get callers(): number {
    return this.#callers.size;
  }

  /** How many wait of the caller, or lane, of something that waits, itself included. */
  ofSameCaller(item: Item): number {
    return this.#callers.of(keyOf(item));
  }

  /** Who has waited longest. */
  get oldest(): Item | undefined {
    const [oldest] = this.#items.keys();
    return oldest;
  }

  /** In the order in which they came. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.keys();
  }

  add(item: Item): void {
    this.#callers.add(keyOf(item));
    if (this.#callers.size > 1) this.#share();
    this.#items.set(item, this.#shared && placeIn(this.#shared, item));
  }

  delete(item: Item): void {
    this.#items.get(item)?.leave();
    this.#forget(item);
  }

  /**
   * Takes out whose turn it is.
   *
   * @param mayServe of whom it may be; what waits of one caller is alike in that. @default any caller
   */
  next(mayServe: (item: Item) => boolean = () => true): Item | undefined {
    const item = this.#shared ? takeNext(this.#shared, mayServe) : this.#oldestIf(mayServe);
    if (item) this.#forget(item);
    return item;
  }

  #oldestIf(mayServe: (item: Item) => boolean): Item | undefined {
    const { oldest } = this;
    return oldest && mayServe(oldest) ? oldest : undefined;
  }

  #share(): void {
    if (this.#shared) return;
    const shared = new FairQueue<Item>({
      maxWaiting: UNBOUNDED,
      maxWaitingPerKey: [UNBOUNDED],
      onDisplaced: () => undefined, // there is always room
    });
    for (const item of this.#items.keys()) this.#items.set(item, placeIn(shared, item));
    this.#shared = shared;
  }

  #forget(item: Item): void {
    if (!this.#items.delete(item)) return;
    this.#callers.remove(keyOf(item));
    if (this.#items.size === 0) this.#startAgain();
  }

  /** With other maps: dead tables of these, once they are old, would keep all alive that waits later (see `Watchers`). */
  #startAgain(): void {
    this.#items = new Map();
    this.#callers = new CallerCounts();
    this.#shared = undefined;
  }
}

function takeNext<Item extends InLine>(
  queue: FairQueue<Item>,
  mayServe: (item: Item) => boolean,
): Item | undefined {
  const served = queue.next(mayServe);
  served?.done(1);
  return served?.item;
}

function placeIn<Item extends InLine>(queue: FairQueue<Item>, item: Item): QueuePlace | undefined {
  const place = queue.add(item, item.caller ?? ANONYMOUS);
  return typeof place === 'string' ? undefined : place; // nothing is rejected by a queue without bounds
}

function keyOf({ caller = ANONYMOUS }: InLine): string {
  return laneOf(caller);
}

/** Who waits at the execution gate. */
export interface GateCaller extends QueueCaller {
  /** Those of one lane count as one caller among the others; within it each has a share. Absent: the caller counts as such. */
  readonly lane?: string | undefined;
}

const EVENTS = 'events';

/**
 * Events of subscriptions and ticks of live queries have one lane: however many topics are busy, they take the turns of one
 * caller from those who wait for a response, and share them among themselves.
 */
export function eventLane(caller: QueueCaller | undefined): GateCaller {
  if (!caller) return { keys: [EVENTS], isKnown: false, lane: EVENTS };
  const [narrowest, ...wider] = caller.keys;
  return { keys: [narrowest, ...wider, EVENTS], isKnown: caller.isKnown, lane: EVENTS };
}

/** By what a caller counts as one among others. */
export function laneOf({ lane, keys }: GateCaller): string {
  return lane ?? keys[0];
}

/** Settings of {@link FairTurns}. */
export interface FairTurnsOptions {
  /** Milliseconds of each turn of the event loop. */
  readonly turnMs: number;
  /**
   * Turns of the event loop without such work after one that is full of it, while more waits. Node accepts one connection in each
   * turn: were all of them long, clients that have just connected would wait for many. @default 0
   */
  readonly turnsBetween?: number;
}

/** Immediates of one turn: work that goes on after a promise mostly takes so long that there is time for fewer. */
const MAX_STEPS = 16;

/** Work that waits for a later turn. */
interface WaitingWork extends InLine {
  readonly begin: () => void;
  /** In which it came: a later turn is another's, and spans would be below its span. */
  readonly context: AsyncResource;
}

/**
 * Lets work of a kind have some milliseconds of each turn of the event loop, and no more: were hundreds of them done at once, all others
 * would wait for all of them. What has to wait has its turn by shares of callers. As long as there is little of it, it is done at
 * once.
 *
 * Work that returns a promise has more to do when the reactions of promises run. Nothing else begins before that, so that the time it
 * takes is known: the next one has an immediate of its own in the same turn of the event loop.
 */
export class FairTurns {
  readonly #turnMs: number;
  readonly #turnsBetween: number;
  readonly #waiting = new WaitingLine<WaitingWork>();
  #spentMs = 0;
  #endsAtMs = 0;
  /** Whether what began last has more to do before its time is known. */
  #goesOn = false;
  #isNextExpected = false;
  #turnsToWait: number;
  /** Immediates that the next turn has. */
  #steps = 0;

  constructor({ turnMs, turnsBetween = 0 }: FairTurnsOptions) {
    this.#turnMs = turnMs;
    this.#turnsBetween = turnsBetween;
    this.#turnsToWait = turnsBetween;
  }

  /**
   * @param caller whose turn it takes; absent where it belongs to no caller
   * @param signal absent where the work finds out itself that it is not wanted any more
   * @returns what the work returns, at once where there is time left
   * @throws what the work throws, and the signal's reason when it is aborted before its turn
   */
  run<Result>(
    caller: GateCaller | undefined,
    signal: AbortSignal | undefined,
    work: () => Result,
  ): Result | Promise<Awaited<Result>> {
    if (this.#waiting.size === 0 && this.#spentMs < this.#turnMs && !this.#goesOn)
      return this.#measured(work);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        try {
          signal?.throwIfAborted();
          resolve(this.#measured(work) as Awaited<Result>);
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.add({ caller, begin, context: new AsyncResource('TRELLIS_TURN') });
      this.#expectNext();
    });
  }

  /** What waits for a turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  #measured<Result>(work: () => Result): Result {
    const startedAtMs = performance.now();
    try {
      const result = work();
      if (result instanceof Promise) this.#goesOn = true;
      return result;
    } finally {
      this.#spentMs += performance.now() - startedAtMs;
      this.#expectNext();
    }
  }

  #expectNext(): void {
    if (!this.#isNextExpected) setImmediate(() => this.#nextTurn());
    this.#isNextExpected = true;
    if (this.#turnsToWait > 0) return;
    for (; this.#steps < Math.min(this.#waiting.size - 1, MAX_STEPS); this.#steps += 1)
      setImmediate(() => this.#step());
  }

  #nextTurn(): void {
    this.#isNextExpected = false;
    this.#steps = 0;
    if (this.#waiting.size > 0 && this.#turnsToWait > 0) {
      this.#turnsToWait -= 1;
      this.#expectNext();
      return;
    }
    this.#spentMs = 0;
    this.#endsAtMs = performance.now() + this.#turnMs;
    this.#turnsToWait = this.#turnsBetween;
    this.#step();
    if (this.#waiting.size > 0) this.#expectNext();
  }

  #step(): void {
    this.#goesOn = false;
    while (this.#waiting.size > 0 && !this.#goesOn && performance.now() < this.#endsAtMs) {
      const next = this.#waiting.next();
      next?.context.runInAsyncScope(next.begin);
    }
  }
}
