import { LRUCache } from 'lru-cache';

const MAX_NAMES = 200;
const MAX_CANDIDATES = 1_000;
/** Used so often, a name is one that a client program has. */
const USES = 10;
const MAX_CHARACTERS = 100;

/**
 * The names that operations are counted under: 200 at most, each from its tenth use on, so that a flood of names makes no
 * series. The others count as `other`, operations without a name as the empty name.
 */
export class OperationNames {
  readonly #names = new Set<string>();
  readonly #uses = new LRUCache<string, number>({ max: MAX_CANDIDATES });

  /** The label for one more operation of this name. */
  labelOf(name: string | undefined): string {
    if (name === undefined) return '';
    if (this.#names.has(name)) return name;
    if (this.#names.size >= MAX_NAMES || name.length > MAX_CHARACTERS) return 'other';
    const uses = (this.#uses.get(name) ?? 0) + 1;
    if (uses < USES) {
      this.#uses.set(name, uses);
      return 'other';
    }
    this.#uses.delete(name);
    this.#names.add(name);
    return name;
  }
}
