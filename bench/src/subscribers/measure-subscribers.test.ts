import { programBuild } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { measureSubscribers } from './measure-subscribers.ts';
import { formatSubscribers } from './subscribers-table.ts';

describe('The benchmark of subscribers', () => {
  it('finds one subscription upstream and one fetch for each event, however many listen', async () => {
    const costs = await measureSubscribers({
      clients: 60,
      events: 3,
      targets: ['trellis'],
      build: programBuild(),
      print: () => undefined,
    });
    expect(costs).toMatchObject([{ target: 'trellis', upstreamSubscriptions: 1, fetchesPerEvent: 1 }]);
    expect(formatSubscribers(costs)).toMatch(
      /^\| trellis \| 1 \| 1 \| \d+\.\d \|[^]*\| fetches per event \| 1\.0 \| 1 \| met \|/m,
    );
  }, 400_000);
});
