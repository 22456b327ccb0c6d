import { programBuild } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { formatBenchmark } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { scenarios } from './scenarios.ts';

describe('The benchmark', () => {
  it('measures every scenario on the same responses, and says which goals are met', async () => {
    const printed: string[] = [];
    const result = await runBenchmark({
      rounds: 1,
      share: 0.002,
      warmUpCpuMs: 0,
      targets: ['trellis', 'floor'],
      scenario: '',
      build: programBuild(),
      print: (line) => printed.push(line),
    });
    const table = formatBenchmark(result);
    expect(printed.filter((line) => line.includes('left out'))).toEqual([]);
    for (const { name, without = [] } of scenarios) {
      expect(table).toMatch(new RegExp(`^\\| ${name} \\| trellis \\| \\d`, 'm'));
      expect(table.includes(`| ${name} | floor |`)).toBe(!without.includes('floor'));
    }
    expect(table).toMatch(/^\| single fetch: no more than floor \| \d.* \| (met|not met) \|$/m);
    expect(table).toMatch(/^\| three hops: at most 1\/8 of stock \| .* \| – \| not measured \|$/m);
  }, 400_000);
});
