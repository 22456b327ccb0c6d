import { FairQueue, type QueuePlace } from '@trellis/admission';
import { laneOf, type GateCaller } from './event-lane.ts';

/** What waits in a {@link WaitingLine}. */
export interface InLine {
  /** Absent where it is no one's in particular. */
  readonly caller: GateCaller | undefined;
}

const ANONYMOUS: GateCaller = Object.freeze({ keys: ['anonymous'] as const, isKnown: false });
const UNBOUNDED = Number.POSITIVE_INFINITY;

/**
 * Those who wait for a turn. As long as they are of one caller they have it in the order in which they came, which costs next
 * to nothing; when several callers wait, each has its share of the turns.
 */
export class WaitingLine<Item extends InLine> {
  readonly #items = new Map<Item, QueuePlace | undefined>();
  readonly #callers = new Map<string, number>();
  #shared: FairQueue<Item> | undefined;

  get size(): number {
    return this.#items.size;
  }

  /** Callers of whom something waits. */
  get callers(): number {
    return this.#callers.size;
  }

  /** Who has waited longest. */
  get oldest(): Item | undefined {
    const [oldest] = this.#items.keys();
    return oldest;
  }

  /** Whether something waits of the caller, or of the lane, that has this name. */
  holdsOf(key: string): boolean {
    return this.#callers.has(key);
  }

  /** What has waited longest of that caller, or lane. */
  oldestOf(key: string): Item | undefined {
    for (const item of this.#items.keys()) if (keyOf(item) === key) return item;
    return undefined;
  }

  /** In the order in which they came. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.keys();
  }

  add(item: Item): void {
    const key = keyOf(item);
    this.#callers.set(key, (this.#callers.get(key) ?? 0) + 1);
    if (this.#callers.size > 1) this.#share();
    this.#items.set(item, this.#shared && placeIn(this.#shared, item));
  }

  delete(item: Item): void {
    this.#items.get(item)?.leave();
    this.#forget(item);
  }

  /** Takes out whose turn it is. */
  next(): Item | undefined {
    const served = this.#shared?.next();
    served?.done(1);
    const item = served?.item ?? this.oldest;
    if (item) this.#forget(item);
    return item;
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
    const key = keyOf(item);
    const left = (this.#callers.get(key) ?? 1) - 1;
    if (left > 0) this.#callers.set(key, left);
    else this.#callers.delete(key);
    if (this.#items.size === 0) this.#shared = undefined;
  }
}

function placeIn<Item extends InLine>(queue: FairQueue<Item>, item: Item): QueuePlace | undefined {
  const place = queue.add(item, item.caller ?? ANONYMOUS);
  return typeof place === 'string' ? undefined : place; // nothing is rejected by a queue without bounds
}

function keyOf({ caller = ANONYMOUS }: InLine): string {
  return laneOf(caller);
}
