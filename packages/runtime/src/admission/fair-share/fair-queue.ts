import { amountAt, DEFAULT_SHARES, type LevelAmounts } from './share-limit.ts';
import { firstPath, QueueNode, servablePath, type WaitingItem } from './queue-node.ts';
import type { ShareKeys } from './share-keys.ts';

/** Settings of a {@link FairQueue}. */
export interface FairQueueOptions<Item> {
  /** Items that may wait. */
  readonly maxWaiting: number;
  /** Items of one key that may wait, by its level. */
  readonly maxWaitingPerKey: LevelAmounts;
  /** Items of one key that may be served at a time, by its level. @default as many as are taken */
  readonly maxServedPerKey?: LevelAmounts | (() => LevelAmounts) | undefined;
  /** What an item costs before any has been measured. Unit: whatever costs are measured in. @default 1 */
  readonly expectedCost?: number | undefined;
  /** Called with an item that has to leave because the queue is full and its caller has most waiting. */
  readonly onDisplaced: (item: Item) => void;
}

/** Who waits. */
export interface QueueCaller {
  readonly keys: ShareKeys;
  /** Whether the caller has proved who it is: known callers together come before all others together. */
  readonly isKnown: boolean;
}

/** The caller, or a network around it, has as much waiting as it may; or the queue is full of others' who have no more. */
export type QueueRejection = 'share' | 'total';

/** Where an item waits. */
export interface QueuePlace {
  /** Takes the item out of the queue; without effect when it has left. */
  readonly leave: () => void;
}

/** An item whose turn has come. */
export interface ServedItem<Item> {
  readonly item: Item;
  /** To be called once, when it is done: charges what it has cost, measured. */
  readonly done: (cost: number) => void;
}

/** How much of the newest cost is in the expected one. */
const NEWEST_COST_SHARE = 0.1;
/** Callers that are remembered though nothing of theirs waits, because they have had much. */
const MAX_IDLE = 1_000;

/**
 * A queue in which each caller has its share of what is done, measured in what it costs: start-time fair queueing. Who has
 * had least is next, whatever the others have waiting; within a caller, first come is first served. The keys of a caller form
 * a hierarchy, and shares are given from the widest key to the narrowest: all networks of a /48 together have the share of
 * one. What an item costs is known when it is done: until then, what one costs on average is charged. A full queue takes
 * what is new from someone who has less waiting than another, whose newest item leaves for it.
 *
 * Each step takes logarithmic time. What is remembered is bounded by what waits, what is served, and 1,000 callers.
 */
export class FairQueue<Item> {
  readonly #options: FairQueueOptions<Item>;
  readonly #root: QueueNode<Item> = new QueueNode<Item>({
    key: '',
    parent: undefined,
    weight: 1,
    maxServed: Infinity,
  });
  readonly #idle = new Set<QueueNode<Item>>();
  #expectedCost: number;
  #order = 0;

  constructor(options: FairQueueOptions<Item>) {
    this.#options = options;
    this.#expectedCost = options.expectedCost ?? 1;
  }

  /** Items that wait. */
  get waiting(): number {
    return this.#root.waiting;
  }

  /** Items that were taken and are not done. */
  get served(): number {
    return this.#root.served;
  }

  /** Whether {@link next} has something to give. */
  get isReady(): boolean {
    return this.#root.ready.size > 0;
  }

  /** Items of a caller that wait. */
  waitingOf(caller: QueueCaller): number {
    return this.#knownPath(caller).at(-1)?.waiting ?? 0;
  }

  /** @returns the item's place, or why there is none */
  add(item: Item, caller: QueueCaller): QueuePlace | QueueRejection {
    if (this.#isOverShare(caller)) return 'share';
    if (this.waiting >= this.#options.maxWaiting && !this.#displaceFor(caller)) return 'total';
    const node = this.#leafOf(caller);
    const waiting: WaitingItem<Item> = { item, node, order: (this.#order += 1) };
    this.#enter(waiting);
    return { leave: () => this.#leave(waiting) };
  }

  /**
   * @param mayServe whether an item's caller may be served now, where that depends on more than the queue knows. @default all
   * @returns the item that is next; nothing where none waits, or all who wait are served as much as they may
   */
  next(mayServe?: (item: Item) => boolean): ServedItem<Item> | undefined {
    const path = firstPath(this.#root);
    const first = path.at(-1)?.line.first;
    if (!first) return undefined;
    if (!mayServe || mayServe(first.item)) return this.#serveAlong(path, first);
    const other = servablePath(this.#root, mayServe);
    const waiting = other?.at(-1)?.line.first;
    return other && waiting && this.#serveAlong(other, waiting);
  }

  #serveAlong(path: readonly QueueNode<Item>[], waiting: WaitingItem<Item>): ServedItem<Item> {
    for (const { parent, time } of path) if (parent) parent.clock = Math.max(parent.clock, time);
    return this.#serve(waiting);
  }

  #isOverShare(caller: QueueCaller): boolean {
    const path = this.#knownPath(caller).slice(1);
    return path.some(({ waiting }, index) => {
      const level = caller.keys.length - 1 - index;
      return waiting >= amountAt(this.#options.maxWaitingPerKey, level);
    });
  }

  /** Those of the caller's nodes that there are, the widest first. */
  #knownPath({ keys, isKnown }: QueueCaller): readonly QueueNode<Item>[] {
    const path: QueueNode<Item>[] = [];
    let node: QueueNode<Item> | undefined = this.#root.children.get(classKey(isKnown));
    for (let level = keys.length - 1; node; level -= 1) {
      path.push(node);
      node = level < 0 ? undefined : node.children.get(nodeKey(keys, level));
    }
    return path;
  }

  #leafOf({ keys, isKnown }: QueueCaller): QueueNode<Item> {
    const { known, anonymous } = DEFAULT_SHARES.weights;
    const weight = isKnown ? known : anonymous;
    let node = this.#childOf(this.#root, classKey(isKnown), weight, Infinity);
    const { maxServedPerKey = [Infinity] } = this.#options;
    const amounts = typeof maxServedPerKey === 'function' ? maxServedPerKey() : maxServedPerKey;
    for (let level = keys.length - 1; level >= 0; level -= 1) {
      const maxServed = amountAt(amounts, level);
      node = this.#childOf(node, nodeKey(keys, level), 1, maxServed);
    }
    return node;
  }

  #childOf(parent: QueueNode<Item>, key: string, weight: number, maxServed: number): QueueNode<Item> {
    const known = parent.children.get(key);
    if (known) return known;
    const child = new QueueNode<Item>({ key, parent, weight, maxServed });
    parent.children.set(key, child);
    return child;
  }

  #enter(waiting: WaitingItem<Item>): void {
    waiting.node.line.place(waiting);
    waiting.node.newest.place(waiting);
    for (let node: QueueNode<Item> | undefined = waiting.node; node; node = node.parent) {
      this.#idle.delete(node);
      if (node.waiting === 0 && node.parent) node.time = Math.max(node.time, node.parent.clock);
      node.waiting += 1;
      node.rearrange();
    }
  }

  #leave(waiting: WaitingItem<Item>): void {
    if (!this.#takeOut(waiting)) return;
    for (let node: QueueNode<Item> | undefined = waiting.node; node; node = node.parent) {
      node.waiting -= 1;
      node.rearrange();
      this.#forgetIfIdle(node);
    }
  }

  /** @returns whether it was there */
  #takeOut(waiting: WaitingItem<Item>): boolean {
    const { line, newest } = waiting.node;
    const before = line.size;
    line.delete(waiting);
    newest.delete(waiting);
    return line.size < before;
  }

  #serve(waiting: WaitingItem<Item>): ServedItem<Item> {
    const charged = this.#expectedCost;
    this.#takeOut(waiting);
    this.#order += 1;
    for (let node: QueueNode<Item> | undefined = waiting.node; node; node = node.parent) {
      node.waiting -= 1;
      node.served += 1;
      node.servedAs = this.#order;
      node.time += charged / node.weight;
      node.rearrange();
    }
    let isDone = false;
    const done = (cost: number): void => {
      if (isDone) return;
      isDone = true;
      this.#done(waiting.node, cost, charged);
    };
    return { item: waiting.item, done };
  }

  #done(leaf: QueueNode<Item>, cost: number, charged: number): void {
    this.#expectedCost += (cost - this.#expectedCost) * NEWEST_COST_SHARE;
    for (let node: QueueNode<Item> | undefined = leaf; node; node = node.parent) {
      node.served -= 1;
      node.time += (cost - charged) / node.weight;
      node.rearrange();
      this.#forgetIfIdle(node);
    }
  }

  /** Who has had more than the others is remembered until they have caught up, or no one asks for anything. */
  #forgetIfIdle(node: QueueNode<Item>): void {
    if (!node.isIdle) return;
    if (node === this.#root) this.#forgetAll();
    else if (node.isAhead) this.#remember(node);
    else node.parent?.children.delete(node.key);
  }

  #forgetAll(): void {
    this.#root.children.clear();
    this.#root.clock = 0;
    this.#idle.clear();
  }

  #remember(node: QueueNode<Item>): void {
    this.#idle.delete(node);
    this.#idle.add(node);
    const [oldest] = this.#idle;
    if (!oldest || (oldest.isAhead && this.#idle.size <= MAX_IDLE)) return;
    this.#idle.delete(oldest);
    oldest.parent?.children.delete(oldest.key);
  }

  /** Makes room at the cost of the one with most waiting, if that has more than the caller would have. */
  #displaceFor(caller: QueueCaller): boolean {
    const own = this.#knownPath(caller);
    let isOwn = true;
    let node = this.#root;
    for (let depth = 0; node.crowded.first; depth += 1) {
      const most: QueueNode<Item> = node.crowded.first;
      const mine = isOwn ? own[depth] : undefined;
      if (isOwn && most !== mine) {
        if (!hasMore(most, mine?.waiting ?? 0, weightAt(depth, caller))) return false;
        isOwn = false;
      }
      node = most;
    }
    return !isOwn && this.#displace(node.newest.first);
  }

  #displace(waiting: WaitingItem<Item> | undefined): boolean {
    if (!waiting) return false;
    this.#leave(waiting);
    this.#options.onDisplaced(waiting.item);
    return true;
  }
}

function hasMore<Item>(most: QueueNode<Item>, waiting: number, weight: number): boolean {
  return most.waiting / most.weight > (waiting + 1) / weight;
}

function weightAt(depth: number, { isKnown }: QueueCaller): number {
  if (depth > 0) return 1;
  return isKnown ? DEFAULT_SHARES.weights.known : DEFAULT_SHARES.weights.anonymous;
}

function classKey(isKnown: boolean): string {
  return isKnown ? 'known' : 'anonymous';
}

/** Only the narrowest key has items of its own, also where another caller's hierarchy has it further up. */
function nodeKey(keys: ShareKeys, level: number): string {
  return `${level === 0 ? '=' : '>'}${keys[level]}`;
}
