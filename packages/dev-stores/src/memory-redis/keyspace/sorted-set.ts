import type { Bytes } from '../bytes.ts';

/** A member of a sorted set. */
export interface ScoredMember {
  readonly member: Bytes;
  readonly score: number;
}

/**
 * Members in the order of their scores, those of one score in the order of their bytes. One sorted array: a rank is an
 * index, a range is a slice, and an insertion moves memory, which for the sizes of development is faster than a tree.
 */
export class SortedSet {
  readonly #scores = new Map<Bytes, number>();
  readonly #order: ScoredMember[] = [];

  get size(): number {
    return this.#order.length;
  }

  score(member: Bytes): number | undefined {
    return this.#scores.get(member);
  }

  /** Adds a member, or moves it to another score. */
  set(member: Bytes, score: number): void {
    const old = this.#scores.get(member);
    if (old === score) return;
    if (old !== undefined) this.#order.splice(this.#indexOf(member, old), 1);
    const added = { member, score };
    this.#order.splice(
      this.firstIndex((present) => compare(present, added) > 0),
      0,
      added,
    );
    this.#scores.set(member, score);
  }

  /** @returns whether it was there */
  delete(member: Bytes): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#order.splice(this.#indexOf(member, score), 1);
    return this.#scores.delete(member);
  }

  /** Members from index `from` up to, not including, `to`. */
  slice(from: number, to?: number): ScoredMember[] {
    return this.#order.slice(from, to);
  }

  /** Takes out the members from index `from` up to, not including, `to`. */
  remove(from: number, to: number): ScoredMember[] {
    const removed = this.#order.splice(from, Math.max(0, to - from));
    for (const { member } of removed) this.#scores.delete(member);
    return removed;
  }

  /**
   * The lowest index whose member passes; `size` when none does.
   *
   * @param passes false for the members up to some place, true for all after it
   */
  firstIndex(passes: (member: ScoredMember) => boolean): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const member = this.#order[middle];
      if (member !== undefined && passes(member)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #indexOf(member: Bytes, score: number): number {
    const sought = { member, score };
    return this.firstIndex((present) => compare(present, sought) >= 0);
  }
}

function compare(left: ScoredMember, right: ScoredMember): number {
  if (left.score !== right.score) return left.score < right.score ? -1 : 1;
  if (left.member === right.member) return 0;
  return left.member < right.member ? -1 : 1;
}
