/** A source of numbers that is the same at every start for the same seed. Not for secrets. */
export interface Random {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** One item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** True in `share` of all cases, 0 to 1. */
  chance(share: number): boolean;
  /** `count` different items, or all of them where there are fewer, in random order. */
  sample<Item>(items: readonly Item[], count: number): readonly Item[];
}

/** Numbers from the 32-bit generator known as mulberry32: one word of state, good enough for made-up content. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item; // below() keeps within the list

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    below,
    pick,
    chance: (share) => next() < share,
    sample: (items, count) => {
      const left = [...items];
      return Array.from({ length: Math.min(count, items.length) }).flatMap(() =>
        left.splice(below(left.length), 1),
      );
    },
  };
}
