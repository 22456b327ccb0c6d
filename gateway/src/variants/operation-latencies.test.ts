import { describe, expect, it } from 'vitest';
import { createRandom } from '@trellis/testkit/random';
import { simulateLatencies } from '../testing/simulate-latencies.ts';
import { OperationLatencies } from './operation-latencies.ts';

/** Latencies around 10 ms, with a long tail. */
function latencyOf(random: () => number): number {
  return 5 + 5 * -Math.log(1 - random());
}

function learned(random: () => number, responses = 5_000): OperationLatencies {
  const latencies = new OperationLatencies();
  for (let index = 0; index < responses; index += 1) latencies.add('op', latencyOf(random));
  return latencies;
}

describe('Slow responses', () => {
  it('are some 1 % of those that are like the main version, and most of those that are slower', () => {
    const random = createRandom(1).next;
    const latencies = learned(random);
    const shareOf = (factor: number): number => {
      let slow = 0;
      for (let index = 0; index < 10_000; index += 1)
        if (latencies.isSlow('op', factor * latencyOf(random))) slow += 1;
      return slow / 10_000;
    };
    expect(shareOf(1)).toBeLessThanOrEqual(0.012);
    expect(shareOf(1)).toBeGreaterThan(0.003);
    expect(shareOf(4)).toBeGreaterThan(0.2);
  });

  it('are none of an operation that is not known, or hardly known', () => {
    const latencies = learned(createRandom(2).next, 199);
    expect(latencies.isSlow('op', 10_000)).toBe(false);
    expect(latencies.isSlow('other', 10_000)).toBe(false);
  });

  it('follow the main version when that becomes slower', () => {
    const random = createRandom(3).next;
    const latencies = learned(random);
    expect(latencies.isSlow('op', 100)).toBe(true);
    for (let index = 0; index < 60_000; index += 1) latencies.add('op', 10 * latencyOf(random));
    expect(latencies.isSlow('op', 100)).toBe(false);
  });

  it('stop no canary whose heavy-tailed response times are those of the main version, slow accounts and bad moments included', () => {
    const alike = { hours: 1, canaryS: 900, share: 0.3, requestsPerS: 50, slowAccounts: 3, seed: 1 };
    const { aborts, slow } = simulateLatencies(alike);
    expect(aborts).toBe(0);
    expect(slow).toBeGreaterThan(1_000);
    expect(simulateLatencies({ ...alike, slowerBy: 3 }).aborts).toBeGreaterThan(0);
  });

  it('are of 2,000 operations at most', () => {
    const latencies = new OperationLatencies();
    for (let operation = 0; operation < 2_001; operation += 1)
      for (let index = 0; index < 200; index += 1) latencies.add(String(operation), 1);
    expect(latencies.isSlow('1999', 100)).toBe(true);
    expect(latencies.isSlow('2000', 100)).toBe(false);
  });
});
