import { describe, expect, it } from 'vitest';
import { runPairedAuthBenchmark } from './run-paired-auth-benchmark.ts';
import { runPairedBenchmark, type PairedBenchmarkOptions } from './run-paired-benchmark.ts';

const repository = new URL('../../../', import.meta.url).pathname;
const short: Omit<PairedBenchmarkOptions, 'against' | 'scenario'> = {
  pairs: 1,
  warmUpCpuMs: 0,
  turnCpuMs: 0,
  processes: 1,
  build: 'source',
  print: () => undefined,
};

describe('The paired benchmark', () => {
  it('has the gateways of two checkouts do the same in turns', async () => {
    const table = await runPairedBenchmark({ ...short, against: repository, scenario: 'list of 1 MB' });
    expect(table).toMatch(/^\| list of 1 MB \| request \| 1 \| \d+\.\d+ \| \d+\.\d+ \| \d\.\d+ \|/m);
  }, 400_000);

  it('has the auth-servers of two checkouts do the same in turns', async () => {
    const options = { ...short, against: repository, scenario: 'refresh, ES256', share: 0.25 };
    const table = await runPairedAuthBenchmark(options);
    expect(table).toMatch(/^\| refresh, ES256 \| request \| 1 \| \d+\.\d+ \| \d+\.\d+ \| \d\.\d+ \|/m);
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
