import { createRandom, type Random } from '@trellis/demo-data';

/** What is asked for, in order. */
export type Trace = readonly string[];

/** Room of the caches that are compared: that of the gateway for plans. */
export const ROOM = 1_500;

const KEYS = 10_000;
const REQUESTS = 150_000;

/** The traces by their names, the same for the same seed. */
export function createTraces(seed: number): Readonly<Record<string, Trace>> {
  const random = createRandom(seed);
  return {
    'Zipf 0.8': zipf(random, 0.8),
    'Zipf 1.1': zipf(random, 1.1),
    'Zipf, every other key once': everyOtherOnce(zipf(random, 0.8)),
    'Zipf, a flood of keys once': flooded(random, 1),
    'Zipf, a flood of keys twice': flooded(random, 2),
    'Zipf that drifts': drifting(random),
    'another population': anotherPopulation(),
    'loop of 2,000': loop(2_000, 20),
  };
}

/** 1,500 keys used again and again, then 1,000 others that are cycled. */
export function anotherPopulation(): Trace {
  return [...rounds('old', ROOM, 20), ...rounds('new', 1_000, 20)];
}

function rounds(name: string, count: number, times: number): Trace {
  const keys = Array.from({ length: count }, (_, index) => `${name} ${index}`);
  return Array.from({ length: times }, () => keys).flat();
}

function loop(count: number, times: number): Trace {
  return rounds('loop', count, times);
}

function zipf(random: Random, skew: number, name = 'key'): Trace {
  const pick = zipfian(random, skew);
  return Array.from({ length: REQUESTS }, () => `${name} ${pick()}`);
}

function zipfian(random: Random, skew: number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= KEYS; rank += 1) sums.push((sum += rank ** -skew));
  return () => {
    const at = (random.below(2 ** 31) / 2 ** 31) * sum;
    let [low, high] = [0, KEYS - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function everyOtherOnce(trace: Trace): Trace {
  return trace.flatMap((key, index) => [key, `once ${index}`]);
}

/** In the middle, ten times the room of keys that come so often in a row and never again, one beside each usual request. */
function flooded(random: Random, times: number): Trace {
  const usual = zipf(random, 0.8);
  const start = usual.length / 3;
  return usual.flatMap((key, index) => {
    const number = index - start;
    if (number < 0 || number >= ROOM * 10) return [key];
    return [key, ...Array.from({ length: times }, () => `flood ${number}`)];
  });
}

/** A tenth of the keys is replaced ten times. */
function drifting(random: Random): Trace {
  const pick = zipfian(random, 0.8);
  return Array.from({ length: REQUESTS }, (_, index) => {
    const rank = pick();
    const age = Math.floor((index / REQUESTS) * 10);
    return `key ${rank} ${Math.floor((age + (rank % 10)) / 10)}`;
  });
}
