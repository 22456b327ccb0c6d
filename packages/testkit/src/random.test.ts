import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';

describe('Random numbers of a seed', () => {
  it('are those of mulberry32, so that a seed that was printed once shows the same again', () => {
    const { next } = createRandom(1);
    expect([next(), next(), next()].map((value) => value * 2 ** 32)).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ]);
  });

  it('are the same whichever way they are asked for', () => {
    const [one, other] = [createRandom(7), createRandom(7)];
    expect(one.below(1_000)).toBe(Math.floor(other.next() * 1_000));
    expect(one.chance(50)).toBe(other.below(100) < 50);
  });
});
