/**
 * Leads from values, one after the other, to a leaf: the same one for the same values. To find it costs a look-up for each value,
 * and makes nothing twice.
 */
export class ValueTrie<Leaf> {
  /** What stands at the end of the values that lead here. */
  leaf: Leaf | undefined = undefined;
  #next: Map<unknown, ValueTrie<Leaf>> | undefined = undefined;

  /** Where one more value leads to. */
  at(value: unknown): ValueTrie<Leaf> {
    this.#next ??= new Map();
    let next = this.#next.get(value);
    if (!next) this.#next.set(value, (next = new ValueTrie()));
    return next;
  }

  /** Forgets where a value leads to. */
  cutAt(value: unknown): void {
    this.#next?.delete(value);
  }

  /**
   * Forgets what values lead to, one after the other, and what leads to nothing else.
   *
   * @returns whether nothing is left
   */
  cutUnder([first, ...rest]: readonly unknown[]): boolean {
    if (first === undefined) return true;
    if (this.#next?.get(first)?.cutUnder(rest) ?? true) this.#next?.delete(first);
    return (this.#next?.size ?? 0) === 0;
  }

  /** Forgets everything. */
  clear(): void {
    this.#next = undefined;
    this.leaf = undefined;
  }
}
