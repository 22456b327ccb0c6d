import { describe, expect, it } from 'vitest';
import { createBenchReport, type BenchParts } from './bench-report.ts';

const turn = { totalMs: 1, mainMs: 0.5 };
const parts: BenchParts = {
  requests: {
    rows: [
      {
        scenario: 'single fetch',
        target: 'trellis',
        figures: {
          cpuMsPerRequest: 0.1,
          requestsPerSecond: 5_000,
          p50Ms: 1,
          p99Ms: 2,
          residentMb: 90,
          subgraphRequestsPerRequest: 1,
        },
      },
    ],
    goals: [{ text: 'a goal', measured: 0.1, limit: undefined, verdict: 'not measured' }],
  },
  subscribers: [
    {
      target: 'trellis',
      upstreamSubscriptions: 1,
      fetchesPerEvent: 1,
      microsecondsPerDelivery: 9,
      kilobytesPerClient: 30,
      lastDeliveryMs: 5,
    },
  ],
  tokens: [
    {
      scenario: 'refresh',
      target: 'trellis',
      figures: { cpuMs: 1, requestsPerSecond: 9, p50Ms: 1, p99Ms: 2, residentMb: 80 },
    },
    {
      scenario: 'refresh',
      target: 'peer',
      figures: { cpuMs: 2, requestsPerSecond: 5, p50Ms: 1, p99Ms: 2, residentMb: 80 },
    },
  ],
  compared: [
    { name: 'list', unit: 'request', pairs: 1, before: turn, now: turn, ratio: 1, quartiles: [1, 1] },
  ],
  caches: [{ trace: 'short', ratios: { LRU: 0.25 } }],
};

function report(isJson: boolean): readonly string[] {
  const written: string[] = [];
  const { add, end } = createBenchReport(isJson, (text) => written.push(text));
  add('requests', parts.requests);
  add('subscribers', parts.subscribers);
  add('tokens', parts.tokens);
  add('compared', parts.compared);
  add('caches', parts.caches);
  end();
  return written;
}

describe('What npm run bench prints', () => {
  it('is a table for each part, as soon as it was measured', () => {
    const tables = report(false);
    expect(tables).toHaveLength(Object.keys(parts).length);
    expect(tables[0]).toContain('| single fetch | trellis | 0.100 |');
    expect(tables[2]).toContain('| refresh | trellis | 1.000 | 50 % |');
  });

  it('is one document with --json, which has all figures', () => {
    const written = report(true);
    expect(written).toHaveLength(1);
    const { machine, ...rest } = JSON.parse(written.join('')) as Record<string, unknown>;
    expect(machine).toMatch(/^\d+ cores/);
    const asRead = JSON.parse(JSON.stringify(parts)) as BenchParts;
    expect(rest).toEqual(asRead);
  });
});
