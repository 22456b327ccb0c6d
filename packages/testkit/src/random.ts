/** FNV-1a with a final mix: the same number for the same text, evenly spread. */
export function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01_00_01_93);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c_1b_3c_6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 up to 1, which never comes. A function by itself, for what takes a source of numbers. */
  readonly next: () => number;
  /** An integer from 0 to below `limit`. */
  below(limit: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** A generator by mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (percent) => below(100) < percent,
    pick<T>(items: readonly T[]): T {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('There is nothing to pick from.');
      return item;
    },
  };
}
