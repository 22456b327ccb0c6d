import { afterEach, describe, expect, it, vi } from 'vitest';
import { growingPauseMs } from './growing-pause.ts';

afterEach(() => vi.restoreAllMocks());

describe('A pause that grows', () => {
  it('doubles with each failure, up to the longest', () => {
    const pauses = [0, 1, 2, 3, 4].map((failures) =>
      growingPauseMs(failures, { firstMs: 200, longestMs: 1_000 }),
    );
    expect(pauses).toEqual([200, 400, 800, 1_000, 1_000]);
    expect(growingPauseMs(10, { firstMs: 1 })).toBe(1_024);
  });

  it('stays the longest after more failures than there are numbers', () => {
    expect(growingPauseMs(5_000, { firstMs: 200, longestMs: 1_000 })).toBe(1_000);
  });

  it('of 0 stays 0 after any number of failures', () => {
    for (const failures of [0, 1, 1_023, 1_024, 5_000, Number.POSITIVE_INFINITY])
      expect(growingPauseMs(failures, { firstMs: 0, longestMs: 1_000 })).toBe(0);
  });

  it('without a longest stays a time that timers can wait', () => {
    for (const failures of [40, 1_024, 5_000, Number.POSITIVE_INFINITY])
      expect(growingPauseMs(failures, { firstMs: 200 })).toBe(2_147_483_647);
  });

  it('is a finite time that timers can wait, whatever the settings are', () => {
    const numbers = [Number.NEGATIVE_INFINITY, -1, 0, 0.5, 200, 1e308, Number.POSITIVE_INFINITY, Number.NaN];
    const jitters = [undefined, [0, 0], [0, 1], [0.8, 1.2], [-1, 1], [0, Number.POSITIVE_INFINITY]] as const;
    const pauses = numbers.flatMap((firstMs) =>
      [undefined, ...numbers].flatMap((longestMs) =>
        jitters.map((jitter) => ({ firstMs, longestMs, jitter })),
      ),
    );
    for (const { firstMs, longestMs, jitter } of pauses)
      for (const failures of [...numbers, 1_023, 1_024]) {
        const pause = { firstMs, ...(longestMs !== undefined && { longestMs }), ...(jitter && { jitter }) };
        const pauseMs = growingPauseMs(failures, pause);
        expect(pauseMs >= 0 && pauseMs <= 2_147_483_647, JSON.stringify({ failures, ...pause })).toBe(true);
      }
  });

  it.each([
    [0, 800],
    [0.5, 1_000],
    [0.999_999_999, 1_200],
  ])('is a fifth shorter or longer by chance: %s', (chance, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(chance);
    const pause = { firstMs: 500, longestMs: 1_000, jitter: [0.8, 1.2] } as const;
    expect(growingPauseMs(3, pause)).toBeCloseTo(expected, 3);
  });
});
