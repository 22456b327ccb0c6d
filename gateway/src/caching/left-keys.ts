import { hashOfKey } from './hash-of-key.ts';

/** Remembers which keys came last, but for those that were taken out again: by their hashes, as keys may be long. */
export class LeftKeys {
  readonly #max: number;
  /** Hashes of those that came last, in a ring. */
  readonly #ring: number[] = [];
  /** By hash, as which one it came. */
  readonly #cameAs = new Map<number, number>();
  #count = 0;

  /** @param max of so many that came last */
  constructor(max: number) {
    this.#max = max;
  }

  /** Remembers a key; the one that came so many before is forgotten, unless it has come again. */
  add(key: string): void {
    const hash = hashOfKey(key);
    const slot = this.#count % this.#max;
    const replaced = this.#ring[slot];
    if (replaced !== undefined && this.#cameAs.get(replaced) === this.#count - this.#max)
      this.#cameAs.delete(replaced);
    this.#ring[slot] = hash;
    this.#cameAs.set(hash, this.#count);
    this.#count += 1;
  }

  /** Forgets a key. @returns whether it was remembered */
  takeOut(key: string): boolean {
    return this.#cameAs.size > 0 && this.#cameAs.delete(hashOfKey(key));
  }
}
