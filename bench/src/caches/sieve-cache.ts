interface Node {
  readonly key: string;
  readonly value: object;
  isVisited: boolean;
  newer: Node | undefined;
  older: Node | undefined;
}

/**
 * SIEVE: one line, and a hand that goes from the oldest to the newest, spares what was used and takes the first that was not.
 *
 * @see "SIEVE is simpler than LRU", NSDI 2024
 */
export class SieveCache {
  readonly #nodes = new Map<string, Node>();
  readonly #maxEntries: number;
  #newest: Node | undefined;
  #oldest: Node | undefined;
  #hand: Node | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): object | undefined {
    const node = this.#nodes.get(key);
    if (node) node.isVisited = true;
    return node?.value;
  }

  set(key: string, value: object): void {
    if (this.#nodes.size >= this.#maxEntries) this.#evict();
    const node: Node = { key, value, isVisited: false, newer: undefined, older: this.#newest };
    if (this.#newest) this.#newest.newer = node;
    this.#newest = node;
    this.#oldest ??= node;
    this.#nodes.set(key, node);
  }

  #evict(): void {
    let node = this.#hand ?? this.#oldest;
    while (node?.isVisited) {
      node.isVisited = false;
      node = node.newer ?? this.#oldest;
    }
    if (node) this.#unlink(node);
  }

  #unlink(node: Node): void {
    this.#hand = node.newer;
    if (node.newer) node.newer.older = node.older;
    else this.#newest = node.older;
    if (node.older) node.older.newer = node.newer;
    else this.#oldest = node.newer;
    this.#nodes.delete(node.key);
  }
}
