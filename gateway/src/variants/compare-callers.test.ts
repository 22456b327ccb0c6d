import { describe, expect, it } from 'vitest';
import { CallerComparison, CallersInWindow, evidenceOf } from './compare-callers.ts';
import { simulateBadVersion, simulateWithoutDifference } from '../testing/simulate-canary.ts';

describe('The evidence against a canary', () => {
  it('is 0 where it has no more than its share of the callers with a failure', () => {
    expect(evidenceOf({ main: 0, canary: 0 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 100, canary: 0 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 95, canary: 5 }, 0.05)).toBe(0);
    expect(evidenceOf({ main: 0, canary: 9 }, 1)).toBe(0);
  });

  it('bounds the binomial tail from above: it is never surer than the exact probability', () => {
    for (const share of [0.01, 0.05, 0.3, 0.5])
      for (const all of [5, 12, 60, 200])
        for (let canary = 1; canary <= all; canary += 1) {
          const evidence = evidenceOf({ main: all - canary, canary }, share);
          expect(Math.exp(-evidence)).toBeGreaterThanOrEqual(tailOf(all, canary, share) * (1 - 1e-9));
        }
  });
});

/** P(X ≥ least), X binomial. */
function tailOf(all: number, least: number, share: number): number {
  let [tail, logOfTerm] = [0, all * Math.log(1 - share)];
  for (let hits = 0; hits <= all; hits += 1) {
    if (hits >= least) tail += Math.exp(logOfTerm);
    logOfTerm += Math.log((all - hits) / (hits + 1)) + Math.log(share / (1 - share));
  }
  return tail;
}

describe('Callers in a window', () => {
  it('count once, whatever they send, and leave when the window has passed', () => {
    const window = new CallersInWindow(60);
    for (let second = 0; second < 30; second += 1) window.add('canary', 7, second);
    window.add('main', 8, 30);
    expect(window.at(59)).toEqual({ main: 1, canary: 1 });
    expect(window.at(60)).toEqual({ main: 1, canary: 0 });
    expect(window.at(90)).toEqual({ main: 0, canary: 0 });
  });

  it('are bounded: beyond 50,000 no more are counted', () => {
    const window = new CallersInWindow(60);
    for (let caller = 0; caller < 50_010; caller += 1) window.add('main', caller, 0);
    expect(window.at(0)).toEqual({ main: 50_000, canary: 0 });
  });
});

describe('A comparison', () => {
  it('needs five callers of the canary', () => {
    const comparison = new CallerComparison(0.01);
    for (const caller of [1, 2, 3, 4]) comparison.add('canary', caller, 0);
    expect(comparison.worseAt(0)).toBeUndefined();
    comparison.add('canary', 5, 0);
    expect(comparison.worseAt(0)).toMatchObject({ main: 0, canary: 5, windowS: 60 });
  });

  it('is not decided by one broken account that tries again and again', () => {
    const comparison = new CallerComparison(0.05);
    for (let second = 0; second < 3_600; second += 1)
      for (let time = 0; time < 10; time += 1) comparison.add('canary', 1, second);
    expect(comparison.worseAt(3_600)).toBeUndefined();
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

  it('finds a version that fails for 8 % within 10 s in the median and 15 s at the 95th percentile', () => {
    const { medianS, p95S } = simulateBadVersion({
      share: 0.05,
      failing: 0.08,
      usual: 0.0005,
      times: 200,
      seed: 1,
    });
    expect(medianS).toBeLessThanOrEqual(10);
    expect(p95S).toBeLessThanOrEqual(15);
  });
});
