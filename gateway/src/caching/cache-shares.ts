import { amountAt, amountsOf, DEFAULT_SHARES, ShareLimit, type ShareKeys } from '@trellis/runtime/admission';

/** Unit of a share of the room: whole numbers, so that additions and removals cancel out exactly. */
const UNITS = 1_000_000;

/**
 * Who has how much of a cache. A share bounds no owner as long as there is room: it says whose values make room when there is
 * none.
 */
export class CacheShares {
  readonly #amounts = amountsOf(UNITS, DEFAULT_SHARES.ofTotal);
  readonly #limit = new ShareLimit({ total: UNITS, perKey: this.#amounts });
  readonly #over = new Set<string>();

  /** An owner who has more than the share; there are few at a time, as shares are large. */
  get over(): string | undefined {
    if (this.#over.size === 0) return undefined;
    const [first] = this.#over;
    return first;
  }

  /** @param part of all the room, 0 to 1 */
  add(owner: ShareKeys, part: number): void {
    this.#limit.acquire(owner, unitsOf(part));
    this.#judge(owner);
  }

  /** @param part as it was added */
  remove(owner: ShareKeys, part: number): void {
    this.#limit.release(owner, unitsOf(part));
    this.#judge(owner);
  }

  #judge(owner: ShareKeys): void {
    for (let level = 0; level < owner.length; level += 1) {
      const key = owner[level] ?? '';
      if (this.#limit.heldBy(key) > amountAt(this.#amounts, level)) this.#over.add(key);
      else if (this.#over.size > 0) this.#over.delete(key);
    }
  }
}

function unitsOf(part: number): number {
  return Math.ceil(part * UNITS);
}
