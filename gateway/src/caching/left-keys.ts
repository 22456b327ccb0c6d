import { randomInt } from 'node:crypto';

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

/** Differs from process to process, so that clients can't choose keys that are taken for one another. */
const SEED = randomInt(2 ** 32);

/**
 * A number for a key, 30 bits, so that it takes no memory of its own: cheap, evenly spread, and not for anything secret. Two
 * of a thousand keys are taken for one another once in two thousand times. After cyrb53.
 */
function hashOfKey(key: string): number {
  let [high, low] = [0xde_ad_be_ef ^ SEED, 0x41_c6_ce_57 ^ SEED];
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return high >>> 2;
}
