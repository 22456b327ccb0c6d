import { describe, expect, it } from 'vitest';
import { compareTurns, type TurnPair } from './compare-turns.ts';
import { formatComparisons } from './comparison-table.ts';
import { spentBetween } from './thread-times.ts';

const pair = (before: number, now: number): TurnPair => ({
  before: { totalMs: before, mainMs: before / 2 },
  now: { totalMs: now, mainMs: now / 4 },
});

describe('A paired benchmark', () => {
  it('takes the median of the ratios within pairs: a machine that slows down is in both turns', () => {
    const comparison = compareTurns([pair(1, 1.1), pair(2, 2.2), pair(4, 4.4), pair(8, 8.8), pair(1, 3)]);
    expect(comparison.ratio).toBeCloseTo(1.1);
    expect(comparison.before).toEqual({ totalMs: 2, mainMs: 1 });
    expect(comparison.now.totalMs).toBe(3);
  });

  it('takes the mean of both in the middle of an even number, and says where half of the ratios lie', () => {
    const comparison = compareTurns([pair(1, 0.8), pair(1, 1), pair(1, 1.2), pair(1, 1.6)]);
    expect(comparison.ratio).toBeCloseTo(1.1);
    expect(comparison.quartiles[0]).toBeCloseTo(0.95);
    expect(comparison.quartiles[1]).toBeCloseTo(1.3);
    expect(() => compareTurns([])).toThrow(RangeError);
  });

  it('says of each row whether it costs more than three hundredths more', () => {
    const row = (name: string, now: number) => ({ name, unit: 'request', ...compareTurns([pair(1, now)]) });
    const table = formatComparisons([row('level', 1.03), row('dearer', 1.04)]);
    expect(table).toMatch(/^\| level \| request \| 1 \| 1.0000 \| 1.0300 \| 1.030 \| .* \| met \|$/m);
    expect(table).toMatch(/^\| dearer \|.*\| not met \|$/m);
  });

  it('counts a thread that has begun, and none that has ended', () => {
    const before = new Map([
      [7, 100],
      [8, 5_000],
    ]);
    const after = new Map([
      [7, 130],
      [9, 12],
    ]);
    expect(spentBetween(7, before, after)).toEqual({ totalMs: 42, mainMs: 30 });
  });
});
