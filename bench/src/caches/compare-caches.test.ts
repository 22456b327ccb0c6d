import { describe, expect, it } from 'vitest';
import { cachePolicies } from './cache-policies.ts';
import { compareCaches, formatHitRatios } from './compare-caches.ts';
import { anotherPopulation, createTraces } from './traces.ts';

const THIRD_ROUND = 1_500 * 20 + 1_000 * 2;

/** Of 1,000 keys of the new population, how many are cached when they are asked for the third time. */
function thereInTheThirdRound(name: string): number {
  const policy = cachePolicies[name]?.(1_500);
  const found = anotherPopulation().map((key) => policy?.use(key));
  return found.slice(THIRD_ROUND, THIRD_ROUND + 1_000).filter(Boolean).length;
}

describe('Cache policies', () => {
  it('let a new population of 1,000 in within two rounds, or do not', () => {
    expect(thereInTheThirdRound('S3-FIFO')).toBe(1_000);
    expect(thereInTheThirdRound('SIEVE')).toBe(1_000);
    expect(thereInTheThirdRound('segmented LRU')).toBeLessThan(500);
    expect(thereInTheThirdRound('W-TinyLFU')).toBeLessThan(500);
  });

  it('are compared on traces that are the same for the same seed', () => {
    expect(createTraces(7)['Zipf that drifts']).toEqual(createTraces(7)['Zipf that drifts']);
    const figures = compareCaches({ traces: { short: ['a', 'b', 'a', 'c'] } });
    expect(figures).toHaveLength(1);
    for (const ratio of Object.values(figures[0]?.ratios ?? {})) expect(ratio).toBe(0.25);
    expect(formatHitRatios(figures)).toContain('| short | 25.0 |');
  });
});
