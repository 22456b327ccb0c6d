import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { TalliedCounter, TalliedHistogram } from './tallied-metrics.ts';

const COUNTER = { name: 'calls_total', help: 'Calls.', labelNames: ['subgraph', 'outcome'] } as const;
const HISTOGRAM = { name: 'call_seconds', help: 'Seconds of calls.', labelNames: ['subgraph'] } as const;
const BUCKETS = [0.1, 0.5, 1, 10];

function newRegistry(): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service: 'gateway' });
  return registry;
}

/** The lines of a page, the labels of each in alphabetical order: their order means nothing. */
async function linesOf(registry: Registry): Promise<readonly string[]> {
  const page = await registry.metrics();
  return page.split('\n').map((line) => {
    const [, name, labels = '', value] = /^(\w+)\{(.*)\} (.+)$/.exec(line) ?? [];
    return name === undefined ? line : `${name} ${labels.split(',').toSorted().join()} ${value}`;
  });
}

describe('Tallied metrics', () => {
  it('are written as those of prom-client: a counter', async () => {
    const [ours, theirs] = [newRegistry(), newRegistry()];
    const tallied = new TalliedCounter(COUNTER, ours);
    const counter = new Counter({ ...COUNTER, registers: [theirs] });
    expect(await linesOf(ours)).toEqual(await linesOf(theirs));
    for (const [subgraph, outcome] of [
      ['users', 'responded'],
      ['posts', 'responded'],
      ['users', 'responded'],
      ['users', 'a "quoted"\\\nline'],
    ] as const) {
      tallied.count(subgraph, outcome);
      counter.inc({ subgraph, outcome });
    }
    expect(await linesOf(ours)).toEqual(await linesOf(theirs));
    expect(await ours.getMetricsAsJSON()).toEqual(await theirs.getMetricsAsJSON());
  });

  it('are written as those of prom-client: a histogram', async () => {
    const [ours, theirs] = [newRegistry(), newRegistry()];
    const tallied = new TalliedHistogram(HISTOGRAM, BUCKETS, ours);
    const histogram = new Histogram({ ...HISTOGRAM, buckets: BUCKETS, registers: [theirs] });
    for (const [index, seconds] of [0, 0.1, 0.100_1, 0.3, 0.5, 1, 9.99, 10, 10.01, 1_000].entries()) {
      const subgraph = index % 3 === 0 ? 'users' : 'posts';
      tallied.observe(seconds, subgraph);
      histogram.observe({ subgraph }, seconds);
    }
    const lines = await linesOf(ours);
    expect(lines).toEqual(await linesOf(theirs));
    expect(lines).toContain('call_seconds_bucket le="1",service="gateway",subgraph="posts" 4');
  });

  it('have one series for each combination of labels', async () => {
    const registry = newRegistry();
    const tallied = new TalliedCounter(COUNTER, registry);
    for (let index = 0; index < 10_000; index += 1) tallied.count(index % 2 ? 'a' : 'b', 'responded');
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values.map(({ value }) => value)).toEqual([5_000, 5_000]);
  });

  it('don’t take the values of one label for those of another', async () => {
    const registry = newRegistry();
    const tallied = new TalliedCounter(COUNTER, registry);
    tallied.count('a', 'b');
    tallied.count('b', 'a');
    tallied.count('ab', '');
    tallied.count('', 'ab');
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values.map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  });

  it('begin again after a reset of the registry', async () => {
    const registry = newRegistry();
    const tallied = new TalliedCounter(COUNTER, registry);
    tallied.count('users', 'responded');
    registry.resetMetrics();
    tallied.count('posts', 'responded');
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values.map(({ labels }) => labels['subgraph'])).toEqual(['posts']);
  });
});
