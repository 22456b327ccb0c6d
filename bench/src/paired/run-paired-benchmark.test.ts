import { programBuild } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { formatComparisons } from './comparison-table.ts';
import { runPairedAuthBenchmark } from './run-paired-auth-benchmark.ts';
import { runPairedBenchmark, type PairedBenchmarkOptions } from './run-paired-benchmark.ts';

const repository = new URL('../../../', import.meta.url).pathname;
const short: Omit<PairedBenchmarkOptions, 'against' | 'scenario'> = {
  pairs: 1,
  warmUpCpuMs: 0,
  turnCpuMs: 0,
  processes: 1,
  build: programBuild(),
  print: () => undefined,
};

describe('The paired benchmark', () => {
  it('has the gateways of two checkouts do the same in turns', async () => {
    const rows = await runPairedBenchmark({ ...short, against: repository, scenario: 'list of 1 MB' });
    expect(formatComparisons(rows)).toMatch(
      /^\| list of 1 MB \| request \| 1 \| \d+\.\d+ \| \d+\.\d+ \| \d\.\d+ \|/m,
    );
  }, 400_000);

  it('has a gateway that records what is sent do the same as one that does not', async () => {
    const rows = await runPairedBenchmark({ ...short, against: undefined, scenario: 'single fetch' });
    expect(formatComparisons(rows)).toMatch(/^\| single fetch \| request \| 1 \|/m);
  }, 400_000);

  it('has one gateway record in every other turn', async () => {
    const options = { ...short, against: undefined, scenario: 'single fetch', inOneProcess: true };
    const rows = await runPairedBenchmark(options);
    expect(formatComparisons(rows)).toMatch(/^\| single fetch, turns of one process \| request \|/m);
  }, 400_000);

  it('has the auth-servers of two checkouts do the same in turns', async () => {
    const options = { ...short, against: repository, scenario: 'refresh, ES256', share: 0.25 };
    const rows = await runPairedAuthBenchmark(options);
    expect(formatComparisons(rows)).toMatch(
      /^\| refresh, ES256 \| request \| 1 \| \d+\.\d+ \| \d+\.\d+ \| \d\.\d+ \|/m,
    );
  }, 400_000);

  it('says so when the other checkout has no gateway, and when there is no such row', async () => {
    await expect(runPairedBenchmark({ ...short, against: '/', scenario: 'list' })).rejects.toThrow(
      'no compiled gateway',
    );
    await expect(
      runPairedBenchmark({ ...short, against: repository, scenario: 'no such row' }),
    ).rejects.toThrow('no such row');
    await expect(
      runPairedAuthBenchmark({ ...short, against: repository, scenario: 'no such row' }),
    ).rejects.toThrow('no such row');
  });
});
