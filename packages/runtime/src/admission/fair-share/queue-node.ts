import { IndexedHeap } from './indexed-heap.ts';

/** An item that waits, in the line of its caller. */
export interface WaitingItem<Item> {
  readonly item: Item;
  readonly node: QueueNode<Item>;
  /** Rises from one item of the queue to the next. */
  readonly order: number;
}

/** Settings of a {@link QueueNode}. */
export interface QueueNodeOptions<Item> {
  readonly key: string;
  readonly parent: QueueNode<Item> | undefined;
  /** Of what is given to its siblings. */
  readonly weight: number;
  /** How many of it may be served at a time. */
  readonly maxServed: number;
}

/**
 * A caller, a network around callers, or all of them: what stands in a `FairQueue` under one key. Time among its
 * children is virtual: the cost that each has been given, divided by its weight. Who has had least is next.
 */
export class QueueNode<Item> {
  readonly key: string;
  readonly parent: QueueNode<Item> | undefined;
  readonly weight: number;
  readonly children: Map<string, QueueNode<Item>> = new Map<string, QueueNode<Item>>();
  /** Of those children that have something to serve, the one that is next first. */
  readonly ready: IndexedHeap<QueueNode<Item>> = new IndexedHeap<QueueNode<Item>>(isNext);
  /** Of those children that wait, the one with most waiting first. */
  readonly crowded: IndexedHeap<QueueNode<Item>> = new IndexedHeap<QueueNode<Item>>(isMoreCrowded);
  /** Of a caller: what waits, the newest last to be served and first to be given up. */
  readonly line: IndexedHeap<WaitingItem<Item>> = new IndexedHeap<WaitingItem<Item>>(isOlder);
  readonly newest: IndexedHeap<WaitingItem<Item>> = new IndexedHeap<WaitingItem<Item>>(isNewer);
  readonly #maxServed: number;
  /** How far its children have come. */
  clock = 0;
  /** How far it has come itself, on the clock of its parent. */
  time = 0;
  /** When it was served last. */
  servedAs = 0;
  waiting = 0;
  served = 0;

  constructor({ key, parent, weight, maxServed }: QueueNodeOptions<Item>) {
    this.key = key;
    this.parent = parent;
    this.weight = weight;
    this.#maxServed = maxServed;
  }

  /** Nothing of it waits, and nothing is served. */
  get isIdle(): boolean {
    return this.waiting === 0 && this.served === 0;
  }

  /** It has had more than those who are served now: that is remembered, or it would be new each time that it comes. */
  get isAhead(): boolean {
    return this.parent !== undefined && this.time > this.parent.clock;
  }

  get isReady(): boolean {
    return this.served < this.#maxServed && (this.line.size > 0 || this.ready.size > 0);
  }

  /** Moves it among its siblings to where it belongs now. */
  rearrange(): void {
    if (!this.parent) return;
    const { ready, crowded } = this.parent;
    if (this.isReady) ready.place(this);
    else ready.delete(this);
    if (this.waiting > 0) crowded.place(this);
    else crowded.delete(this);
  }
}

/** Whether the left one's turn comes first. */
export function isNext<Item>(left: QueueNode<Item>, right: QueueNode<Item>): boolean {
  return left.time === right.time ? left.servedAs < right.servedAs : left.time < right.time;
}

function isMoreCrowded<Item>(left: QueueNode<Item>, right: QueueNode<Item>): boolean {
  return left.waiting / left.weight > right.waiting / right.weight;
}

function isOlder<Item>(left: WaitingItem<Item>, right: WaitingItem<Item>): boolean {
  return left.order < right.order;
}

function isNewer<Item>(left: WaitingItem<Item>, right: WaitingItem<Item>): boolean {
  return left.order > right.order;
}

/** From the root to the caller whose turn it is. */
export function firstPath<Item>(root: QueueNode<Item>): readonly QueueNode<Item>[] {
  const path = [root];
  for (let child = root.ready.first; child; child = child.ready.first) path.push(child);
  return path;
}

/** The same among those that may be served: all who come before are looked at. */
export function servablePath<Item>(
  node: QueueNode<Item>,
  mayServe: (item: Item) => boolean,
): readonly QueueNode<Item>[] | undefined {
  const first = node.line.first;
  if (first) return mayServe(first.item) ? [node] : undefined;
  const ready = [...node.children.values()].filter(({ isReady }) => isReady);
  for (const child of ready.toSorted(
    (left, right) => Number(isNext(right, left)) - Number(isNext(left, right)),
  )) {
    const path = servablePath(child, mayServe);
    if (path) return [node, ...path];
  }
  return undefined;
}
