import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { OperationNames } from './operation-names.ts';
import { TalliedCounter } from './tallied-metrics.ts';

const WINDOW_MS = 5 * 60_000;

/** Names that are counted under, on a clock of their own. */
class ObservedNames {
  nowMs = 0;
  readonly left: string[] = [];
  readonly #names = new OperationNames({ now: () => this.nowMs, onLeave: (name) => this.left.push(name) });

  /** @returns the last label */
  use(name: string, times = 1, isListed = false): string {
    let label = '';
    for (let use = 0; use < times; use += 1) label = this.#names.labelOf(name, isListed);
    return label;
  }

  useMany(prefix: string, count: number, times: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => this.use(`${prefix}${index}`, times));
  }
}

describe('Names of operations in metrics', () => {
  it('appear when an operation is in use', () => {
    const names = new ObservedNames();
    const labels = Array.from({ length: 11 }, () => names.use('ListPosts'));
    expect(labels.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 'other'));
    expect(labels.slice(9)).toEqual(['ListPosts', 'ListPosts']);
    expect(new OperationNames({ onLeave: () => undefined }).labelOf(undefined)).toBe('');
  });

  it('S-017 are bounded, whatever clients send', () => {
    const names = new ObservedNames();
    const labels = new Set(names.useMany('once', 20_000, 1));
    expect(labels).toEqual(new Set(['other']));
    for (const label of names.useMany('often', 1_000, 10)) labels.add(label);
    expect(labels.size).toBe(201);
    expect(names.left).toEqual([]);
    expect(names.use('n'.repeat(100_000), 10)).toBe('other');
  });

  it('G14: of an anonymous caller do not keep honest ones out for good', () => {
    const names = new ObservedNames();
    names.useMany('attack', 200, 1_000);
    expect(names.useMany('honest', 50, 10)).not.toContain('honest0');
    for (let window = 0; window < 6; window += 1) {
      names.nowMs += WINDOW_MS;
      names.useMany('honest', 50, 10);
    }
    expect(names.useMany('honest', 50, 1)).toEqual(
      Array.from({ length: 50 }, (_, index) => `honest${index}`),
    );
    expect(names.left).toHaveLength(50);
    expect(names.left.every((name) => name.startsWith('attack'))).toBe(true);
  });

  it('G14: that are in use stay, however many others come', () => {
    const names = new ObservedNames();
    const honest = names.useMany('honest', 50, 100);
    for (let window = 0; window < 20; window += 1) {
      names.useMany(`attack${window}-`, 300, 50);
      expect(names.useMany('honest', 50, 100)).toEqual(honest);
      names.nowMs += WINDOW_MS;
    }
  });

  it('G14: come and go at a bounded pace, and never more than 200 exist', () => {
    const names = new ObservedNames();
    const there = new Set<string>();
    for (let window = 0; window < 10; window += 1) {
      for (let index = 0; index < 250; index += 1) {
        const label = names.use(`attack${window}-${index}`, 4 * (index + 3));
        if (label !== 'other') there.add(label);
        for (const name of names.left.splice(0)) there.delete(name);
        expect(there.size).toBeLessThanOrEqual(200);
      }
      names.nowMs += WINDOW_MS;
    }
    names.nowMs += 10 * WINDOW_MS;
    names.useMany('late', 300, 20);
    expect(names.left).toHaveLength(20);
  });

  it('that are used alike do not take turns', () => {
    const names = new ObservedNames();
    for (let window = 0; window < 10; window += 1) {
      for (let round = 0; round < 20; round += 1) names.useMany('equal', 300, 1);
      names.nowMs += WINDOW_MS;
    }
    expect(names.left).toEqual([]);
  });

  it('G14: that the operator has listed come at once, and no other takes their place', () => {
    const names = new ObservedNames();
    names.useMany('attack', 200, 1_000);
    expect(names.use('Listed', 1, true)).toBe('Listed');
    names.nowMs += WINDOW_MS;
    names.useMany('further', 200, 2_100);
    expect(names.left).not.toContain('Listed');
    expect(names.use('Listed')).toBe('Listed');
  });

  it('G14: take their series with them, and begin again', async () => {
    const registry = new Registry();
    const labels = {
      name: 'operations_total',
      help: 'Operations.',
      labelNames: ['name', 'outcome'],
    } as const;
    const counter = new TalliedCounter(labels, registry);
    for (const outcome of ['OK', 'PARTIAL']) counter.count('gone', outcome);
    counter.count('retained', 'OK');
    counter.remove('gone');
    counter.count('gone', 'OK');
    const [metric] = await registry.getMetricsAsJSON();
    expect(metric?.values.map(({ labels: { name }, value }) => [name, value])).toEqual([
      ['retained', 1],
      ['gone', 1],
    ]);
  });
});
