import { describe, expect, it } from 'vitest';
import { simulateBadVersion, simulateWithoutDifference } from '../testing/simulate-canary.ts';

describe('A comparison of simulated canaries', () => {
  it('stops none of 900 canaries that begin without a difference: at most 1 in 1,000 may', () => {
    const begun = { hours: 10, canaryS: 120, failuresPerS: 2, broken: 0, seed: 1 };
    for (const share of [0.01, 0.05, 0.3])
      expect(simulateWithoutDifference({ ...begun, share }).aborts).toBe(0);
    expect(Math.exp(-9.3) + Math.exp(-7)).toBeLessThan(1.01e-3);
  });

  it('finds no difference in 10 simulated hours without one, three broken accounts included', () => {
    const simulated = simulateWithoutDifference({
      hours: 10,
      share: 0.05,
      failuresPerS: 2,
      broken: 3,
      seed: 1,
    });
    expect(simulated.aborts).toBe(0);
    expect(simulated.byNormalApproximation).toBeGreaterThan(0);
  });

  it.each([
    ['hardly anything fails', 'each operation', 0.0005, 10, 15],
    ['1 % fails anyway, and the version breaks one operation', 'one operation', 0.01, 10, 15],
    ['1 % fails anyway, and it fails here and there', 'each operation', 0.01, 10, 15],
  ] as const)('finds a version that fails for 8 %% where %s', (_where, failsIn, usual, median, p95) => {
    const { medianS, p95S } = simulateBadVersion({
      share: 0.05,
      failing: 0.08,
      failsIn,
      usual,
      times: 1_000,
      seed: 1,
    });
    expect(medianS).toBeLessThanOrEqual(median);
    expect(p95S).toBeLessThanOrEqual(p95);
  });
});
