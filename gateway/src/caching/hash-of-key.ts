import { randomInt } from 'node:crypto';

/** Differs from process to process, so that no one can choose keys that are taken for one another. */
const SEED = randomInt(2 ** 32);

/**
 * A number for a key, 30 bits, so that it takes no memory of its own: cheap, evenly spread, and not for anything secret. Two
 * of a thousand keys are taken for one another once in two thousand times. After cyrb53.
 */
export function hashOfKey(key: string): number {
  let [high, low] = [0xde_ad_be_ef ^ SEED, 0x41_c6_ce_57 ^ SEED];
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return high >>> 2;
}
