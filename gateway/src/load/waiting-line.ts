import {
  FairQueue,
  type QueuePlace,
  type QueueCaller,
  amountsOf,
  DEFAULT_SHARES,
  ShareLimit,
  type ShareKeys,
  type ShareLimitOptions,
  type ShareRejection,
} from '@trellis/admission';

/** As many as a browser has under way to one host; a caller who has fewer has little. */
export const FEW_REQUESTS = 6;

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

  /** How many wait of the caller, or lane, of something that waits, itself included. */
  ofSameCaller(item: Item): number {
    return this.#callers.get(keyOf(item)) ?? 0;
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
    const key = keyOf(item);
    this.#callers.set(key, (this.#callers.get(key) ?? 0) + 1);
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
   * @param mayServe of whom it may be; what waits of one caller is alike in that. @default anyone
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
    const key = keyOf(item);
    const left = (this.#callers.get(key) ?? 1) - 1;
    if (left > 0) this.#callers.set(key, left);
    else this.#callers.delete(key);
    if (this.#items.size === 0) this.#shared = undefined;
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

/**
 * Spreads work that comes in bursts over turns of the event loop: a few at a time, so that others have their turn in
 * between. What comes alone is done at once.
 */
export class TurnQueue {
  readonly #perTurn: number;
  #waiting: (() => void)[] = [];
  #done = 0;
  #isScheduled = false;

  /** @param perTurn jobs of one turn */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Jobs that wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Runs a job now, or after those that wait. It must not throw. */
  run(job: () => void): void {
    if (this.#waiting.length > 0 || this.#done >= this.#perTurn) this.#waiting.push(job);
    else this.#do(job);
    this.#schedule();
  }

  #do(job: () => void): void {
    this.#done += 1;
    job();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#done = 0;
    for (const job of this.#waiting.splice(0, this.#perTurn)) this.#do(job);
    if (this.#done > 0) this.#schedule(); // until a turn has nothing to do
  }
}

/** How many connections there may be. */
export interface ConnectionRules {
  /** Of a process. */
  readonly maxConnections: number;
  /** Of one address; networks around it may have more. */
  readonly maxConnectionsPerAddress: number;
}

/** The place of one connection. */
export interface ConnectionPlace {
  /** Counts it elsewhere: its client has turned out to be someone. */
  moveTo(keys: ShareKeys): void;
  /** The connection has ended. More than once does no harm. */
  leave(): void;
}

/** Counts connections, so that no address takes the places of all others. Who has none yet gets one as long as there is any. */
export class ConnectionPlaces {
  readonly #rulesNow: () => ConnectionRules;
  readonly #limit: ShareLimit;
  #rules: ConnectionRules;

  /** @param rulesNow those that hold for the next connection */
  constructor(rulesNow: () => ConnectionRules) {
    this.#rulesNow = rulesNow;
    this.#rules = rulesNow();
    this.#limit = new ShareLimit({ ...amountsBy(this.#rules), leavesRoom: true });
  }

  /** Connections now. */
  get size(): number {
    return this.#limit.held;
  }

  /**
   * @param keys none where it counts in no one's share: many clients come through a proxy
   * @returns the place, or why there is none
   */
  take(keys: readonly string[]): ConnectionPlace | ShareRejection {
    this.#takeRules();
    const rejection = this.#limit.tryAcquire(keys);
    if (rejection !== undefined) return rejection;
    let counted: readonly string[] | undefined = keys;
    return {
      moveTo: (next) => {
        if (!counted) return;
        this.#limit.release(counted);
        this.#limit.acquire(next);
        counted = next;
      },
      leave: () => {
        if (counted) this.#limit.release(counted);
        counted = undefined;
      },
    };
  }

  #takeRules(): void {
    const rules = this.#rulesNow();
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#limit.resize(amountsBy(rules));
  }
}

/** Of all, and of one key at each level. */
function amountsBy({
  maxConnections,
  maxConnectionsPerAddress,
}: ConnectionRules): Pick<ShareLimitOptions, 'total' | 'perKey'> {
  const [, ...ofNetworks] = amountsOf(maxConnections, DEFAULT_SHARES.ofTotal);
  const perKey = [maxConnectionsPerAddress, ...ofNetworks.map(atLeast(maxConnectionsPerAddress))] as const;
  return { total: maxConnections, perKey };
}

function atLeast(amount: number): (other: number) => number {
  return (other) => Math.max(amount, other);
}
