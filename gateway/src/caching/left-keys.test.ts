import { describe, expect, it } from 'vitest';
import { LeftKeys } from './left-keys.ts';

describe('Keys that have left a cache', () => {
  it('are remembered as long as they are among the last, and once', () => {
    const left = new LeftKeys(3);
    for (const key of ['a', 'b', 'c', 'd']) left.add(key);
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => left.takeOut(key))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(left.takeOut('b')).toBe(false);
  });

  it('are remembered from when they came last', () => {
    const left = new LeftKeys(3);
    for (const key of ['a', 'b', 'a', 'c', 'd']) left.add(key);
    expect(['a', 'b', 'c', 'd'].map((key) => left.takeOut(key))).toEqual([true, false, true, true]);
    left.add('x');
    left.takeOut('x');
    left.add('x');
    left.add('y');
    expect(['x', 'y'].map((key) => left.takeOut(key))).toEqual([true, true]);
  });

  it('hold no more than there is room for, whatever comes and goes', () => {
    const left = new LeftKeys(10);
    for (let index = 0; index < 1_000; index += 1) {
      left.add(`key ${(index * 7) % 23}`);
      if (index % 3 === 0) left.takeOut(`key ${index % 23}`);
    }
    const known = Array.from({ length: 23 }, (_, index) => left.takeOut(`key ${index}`)).filter(Boolean);
    expect(known.length).toBeLessThanOrEqual(10);
    expect(known.length).toBeGreaterThan(0);
  });
});
