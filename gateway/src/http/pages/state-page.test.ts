import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RegistryRecord, Variant } from '@trellis/registry';
import { describe, expect, it, vi } from 'vitest';
import { createRegistryMetrics } from '../../observability/registry-metrics.ts';
import type { Supergraph } from '../../supergraph/supergraph.ts';
import { canaryOf } from '../../testing/published-graph.ts';
import { readGraphState } from './graph-state.ts';
import { readSamples } from './metric-samples.ts';
import { chooseTexts } from './page-texts.ts';
import { renderState } from './state-page.ts';

const english = chooseTexts('en');

function registryWithTraffic(): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service: 'gateway' });
  const registers = [registry];
  const counter = (
    name: string,
    labels: readonly string[],
    ...values: readonly (readonly string[])[]
  ): void => {
    const made = new Counter({ name, help: 'h', labelNames: [...labels], registers });
    for (const row of values)
      made.inc(Object.fromEntries(labels.map((label, at) => [label, row[at] ?? ''])), Number(row.at(-1)));
  };
  new Gauge({
    name: 'trellis_gateway_supergraph_served_since_seconds',
    help: 'h',
    labelNames: ['supergraph'],
    registers,
  }).set({ supergraph: 'abc123' }, 1_700_000_000);
  new Gauge({
    name: 'trellis_gateway_subgraph_breaker_open',
    help: 'h',
    labelNames: ['subgraph'],
    registers,
  }).set({ subgraph: 'posts' }, 1);
  counter(
    'trellis_gateway_subgraph_requests_total',
    ['subgraph', 'outcome'],
    ['posts', 'responded', '90'],
    ['posts', 'failed', '10'],
  );
  counter(
    'trellis_gateway_operations_total',
    ['name', 'kind', 'outcome'],
    ['Feed', 'query', 'OK', '5'],
    ['<b>"\n\\', 'query', 'PARTIAL', '2'],
  );
  counter('trellis_gateway_operation_seconds_total', ['name'], ['Feed', '0.5'], ['<b>"\n\\', '3']);
  counter('trellis_gateway_slow_operations_total', ['name'], ['<b>"\n\\', '1']);
  counter(
    'trellis_gateway_client_operations_total',
    ['client', 'oauth_client', 'outcome'],
    ['web', '', 'OK', '7'],
    ['', 'batch', 'OK', '5'],
    ['', 'batch', 'FORBIDDEN', '1'],
  );
  counter('trellis_gateway_plans_total', ['outcome'], ['hit', '3'], ['miss', '1']);
  counter('trellis_gateway_limits_exceeded_total', ['limit'], ['depth', '4']);
  const durations = new Histogram({
    name: 'trellis_gateway_subgraph_request_duration_seconds',
    help: 'h',
    labelNames: ['subgraph'],
    buckets: [0.005, 0.1],
    registers,
  });
  for (const seconds of [0.001, 0.002, 0.003, 5]) durations.observe({ subgraph: 'posts' }, seconds);
  return registry;
}

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)].map(([, cell]) => cell).join(' | '),
  );

describe('The page of the gateway’s state', () => {
  it('shows the metrics as tables: graph, subgraphs, operations, clients, caches and limits', async () => {
    const { text } = await renderState(registryWithTraffic(), english);
    expect(rowsOf(text)).toEqual(
      expect.arrayContaining([
        'Supergraph | abc123',
        'Served since | 2023-11-14T22:13:20 UTC',
        'posts | open | 100 | 10 (10.0 %) | 5 ms | more than 100 ms',
        'Feed | 5 | 0 (0.0 %)',
        'web | 7 | 0 (0.0 %)',
        'batch | 6 | 1 (16.7 %)',
        'Plans | 4 | 3 (75.0 %)',
        'depth | 4',
      ]),
    );
  });

  it('shows names that callers choose as text, those that fail first', async () => {
    const { text, headers } = await renderState(registryWithTraffic(), english);
    expect(text).not.toContain('<b>');
    const rows = rowsOf(text);
    expect(rows.indexOf('&lt;b&gt;&quot;\n\\ | 2 | 2 (100.0 %)')).toBeLessThan(
      rows.indexOf('Feed | 5 | 0 (0.0 %)'),
    );
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  it('shows operations by name with the time that they take, the slow ones first', async () => {
    const { text } = await renderState(registryWithTraffic(), english);
    const slow = '&lt;b&gt;&quot;\n\\ | 2 | 1.5 s | 1 (50.0 %) | 85.7 %';
    const feed = 'Feed | 5 | 100 ms | 0 (0.0 %) | 14.3 %';
    const rows = rowsOf(text);
    expect(rows).toEqual(expect.arrayContaining([slow, feed]));
    expect(rows.indexOf(slow)).toBeLessThan(rows.indexOf(feed));
  });

  it.each([
    ['de', 'Operationen, langsame zuerst', 'posts | offen | 100 | 10 (10.0 %) | 5 ms | mehr als 100 ms'],
    ['zh', '操作（缓慢者在前）', 'posts | 断开 | 100 | 10 (10.0 %) | 5 ms | 超过 100 ms'],
  ])('is in the language of its operator: %s', async (language, heading, row) => {
    const { text } = await renderState(registryWithTraffic(), chooseTexts(language));
    expect(text).toContain(`<html lang="${language}"`);
    expect(text).toContain(heading);
    expect(rowsOf(text)).toContain(row);
  });

  it('is a page before anything has happened', async () => {
    const { text } = await renderState(new Registry(), english);
    expect(text).toContain('none yet');
    expect((text.match(/None so far\./g) ?? []).length).toBe(6);
  });
});

describe('The page of the state of a gateway that follows a registry', () => {
  const NOW = 1_700_000_000;
  const release = { digest: 'abcdef0123456789'.repeat(4), bytes: 1 };
  const recordOf = (sequence: number, variants: readonly Variant[]): RegistryRecord => ({
    graph: 'content',
    environment: 'production',
    sequence,
    previous: undefined,
    id: 'i'.repeat(32),
    release,
    routing: [],
    variants,
    action: 'publish',
    actor: '<b>ada',
    at: '2026-01-01T00:00:00Z',
    approvals: [],
  });

  async function withHistory<Result>(
    look: (registry: Registry) => Promise<Result>,
    contract?: string,
  ): Promise<Result> {
    vi.useFakeTimers({ now: NOW * 1_000 });
    try {
      const registry = new Registry();
      const metrics = createRegistryMetrics(registry);
      const canary = canaryOf(release, 5);
      for (let sequence = 1; sequence <= 25; sequence += 1) metrics.verified(recordOf(sequence, []));
      metrics.verified(recordOf(26, [canary]));
      metrics.serving({ record: recordOf(25, []), contract, main: {} as Supergraph, variants: [] }); // it is not looked at
      const { canaries } = metrics;
      canaries.began('old', 0.5);
      canaries.responded('main', { outcome: 'failed', executedMs: 1, caller: 9 });
      canaries.stopped(canary, {
        kind: 'failed',
        main: 3,
        canary: 9,
        evidence: 17.25,
        windowS: 60,
        isOfOperation: false,
      });
      canaries.ended();
      canaries.began('canary', 0.05);
      for (let caller = 0; caller < 100; caller += 1)
        canaries.responded('main', { outcome: 'ok', executedMs: caller < 99 ? 4 : 70, caller: caller % 40 });
      canaries.responded('canary', { outcome: 'failed', executedMs: undefined, caller: 1 });
      canaries.judged('failed', 2.345);
      return await look(registry);
    } finally {
      vi.useRealTimers();
    }
  }

  const pageOf = (language: string): Promise<readonly string[]> =>
    withHistory(async (registry) => rowsOf((await renderState(registry, chooseTexts(language))).text));

  it('is the same for programs', async () => {
    const state = await withHistory(async (registry) => readGraphState(await readSamples(registry)));
    expect(state).toMatchObject({
      format: 'trellis-gateway-state/1',
      record: { environment: 'production', sequence: 25, release: release.digest },
      variants: [],
      canary: {
        variant: 'canary',
        share: 0.05,
        main: { callers: 40, operations: 100, failed: 0, half: { seconds: 0.005, isBeyond: false } },
        canary: { callers: 1, operations: 1, failed: 1, half: undefined },
        evidence: { failed: 2.345, slow: 0 },
        stopsAt: 16,
      },
      stopped: [{ at: NOW, variant: 'canary', reason: 'failed', main: '3', canary: '9' }],
    });
    expect(state.records).toHaveLength(20);
    expect(state.records.slice(0, 2)).toMatchObject([
      { sequence: 26, actor: '<b>ada', servedSince: 0, isServed: false },
      { sequence: 25, servedSince: NOW, isServed: true },
    ]);
  });

  it.each([
    ['partners', 'partners', '25+partners'],
    [undefined, undefined, '25'],
  ])('names the contract that is served: %s', async (contract, shown, row) => {
    await withHistory(async (registry) => {
      const state = readGraphState(await readSamples(registry));
      expect(state.record?.contract).toBe(shown);
      const rows = rowsOf((await renderState(registry, chooseTexts('en'))).text);
      expect(rows.some((one) => one.startsWith(`${row} |`))).toBe(true);
    }, contract);
  });

  it('shows the history: what is served since when, and what is not; the newest 20 records', async () => {
    const rows = await pageOf('en');
    const first = rows.indexOf('Record | Recorded | Action | By | Release | Variants | Served here since');
    expect(rows.slice(first + 1, first + 3)).toEqual([
      '26 | 2026-01-01T00:00:00Z | publish | &lt;b&gt;ada | abcdef012345 | canary | not served here',
      '25 | 2026-01-01T00:00:00Z | publish | &lt;b&gt;ada | abcdef012345 |  | now: 2023-11-14T22:13:20 UTC',
    ]);
    expect(rows.filter((row) => row.includes('| publish |'))).toHaveLength(20);
  });

  it.each([
    [
      'en',
      'Evidence: callers with a failure |  | 2.3 (stops at 16, soon after it began at less)',
      'more callers with a failure than by chance',
    ],
    [
      'de',
      'Evidenz: Aufrufer mit Fehlern |  | 2.3 (Abbruch bei 16, kurz nach dem Beginn bei weniger)',
      'mehr Aufrufer mit Fehlern als durch Zufall',
    ],
    [
      'zh',
      '证据：遇到失败的调用者 |  | 2.3（达到 16 时停止，刚开始后较低即停止）',
      '遇到失败的调用者多于偶然',
    ],
  ])(
    'shows the canary beside the main version, and why others were stopped: %s',
    async (language, evidence, why) => {
      const rows = await pageOf(language);
      const at = rows.indexOf(evidence);
      expect(rows.slice(at - 6, at).map((row) => row.split(' | ').slice(1))).toEqual([
        ['95 %', '5 %'],
        ['40', '1'],
        ['100', '1'],
        ['0 (0.0 %)', '1 (100.0 %)'],
        ['5 ms', ''],
        ['5 ms', ''],
      ]);
      expect(rows).toContain(`2023-11-14T22:13:20 UTC | canary | abcdef012345 | ${why} | 17.3 | 3 | 9`);
    },
  );
});

describe('Metrics that are read from their text', () => {
  it('have their labels and values as they were set', async () => {
    const samples = await readSamples(registryWithTraffic());
    expect(samples.values('trellis_gateway_operations_total', 'name')).toEqual(['<b>"\n\\', 'Feed']);
    expect(
      samples.sum('trellis_gateway_subgraph_requests_total', { subgraph: 'posts', outcome: 'responded' }),
    ).toBe(90);
    expect(samples.sum('none')).toBe(0);
  });
});
