/** A binary heap whose items can be moved and taken out wherever they are, each in logarithmic time. */
export class IndexedHeap<Item> {
  readonly #items: Item[] = [];
  readonly #places = new Map<Item, number>();
  readonly #precedes: (left: Item, right: Item) => boolean;

  /** @param precedes whether the left item comes first; what it looks at may change between an item's {@link place} calls */
  constructor(precedes: (left: Item, right: Item) => boolean) {
    this.#precedes = precedes;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item that comes first. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Takes an item in, or moves it to where it belongs now. */
  place(item: Item): void {
    const at = this.#places.get(item) ?? this.#items.length;
    this.#sink(item, this.#rise(item, at));
  }

  delete(item: Item): void {
    const at = this.#places.get(item);
    if (at === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#sink(last, this.#rise(last, at));
  }

  /** @returns where the item may stand, all before it being right */
  #rise(item: Item, from: number): number {
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#items[parentAt];
      if (parent === undefined || !this.#precedes(item, parent)) break;
      this.#put(parent, at);
      at = parentAt;
    }
    return at;
  }

  #sink(item: Item, from: number): void {
    let at = from;
    for (;;) {
      const childAt = this.#firstChildOf(at, item);
      const child = this.#items[childAt];
      if (child === undefined || child === item || !this.#precedes(child, item)) break;
      this.#put(child, at);
      at = childAt;
    }
    this.#put(item, at);
  }

  /** The item itself may still stand where a child would be: it is on its way. */
  #firstChildOf(at: number, item: Item): number {
    const leftAt = 2 * at + 1;
    const left = this.#items[leftAt];
    const right = this.#items[leftAt + 1];
    if (right === undefined || right === item) return leftAt;
    return left === undefined || left === item || this.#precedes(right, left) ? leftAt + 1 : leftAt;
  }

  #put(item: Item, at: number): void {
    this.#items[at] = item;
    this.#places.set(item, at);
  }
}
