import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { chooseTexts } from '../http/pages/page-texts.ts';
import { renderState } from '../http/pages/state-page.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const usage = mkdtempSync(join(tmpdir(), 'usage-'));
let redis: TestRedis;
let subgraph: SubgraphServer;
let gateway: TestGateway;

beforeAll(async () => {
  [redis, subgraph] = await Promise.all([
    startTestRedis(),
    startSubgraph({
      name: 'numbers',
      typeDefs: gql`
        type Query {
          one: Int
          fail: Int
        }
      `,
      resolvers: {
        Query: {
          one: () => 1,
          fail: () => {
            throw new Error('no');
          },
        },
      },
    }),
  ]);
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    environment: { CACHE_REDIS_URL: redis.url },
    settings: JSON.stringify({ responseCache: {}, usage: { directory: usage } }),
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([redis.stop(), subgraph.close()]);
  rmSync(usage, { recursive: true });
});

/** Names and labels of the series, in the order of their names. */
function documented(): readonly string[] {
  const page = readFileSync(new URL('../../../docs/logs-and-metrics.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| `(trellis_gateway_\w+)` +\|([^|]*)\|/gm);
  return [...rows]
    .map(([, name, labels = '']) => `${name} ${[...labels.matchAll(/\w+/g)].join(' ')}`)
    .toSorted();
}

interface Labelled {
  readonly labelNames: readonly string[];
}

function registered(): readonly string[] {
  return gateway.metrics
    .getMetricsAsArray()
    .map((metric) => `${metric.name} ${(metric as unknown as Labelled).labelNames.join(' ')}`) // every metric of prom-client has them
    .toSorted();
}

describe('Metrics', () => {
  it('are those of the page, with the same labels', () => {
    expect(registered()).toEqual(documented());
    expect(registered().length).toBeGreaterThan(20);
  });

  it('report operations, plans, fetches and limits', async () => {
    for (let use = 0; use < 10; use += 1) await gateway.post({ query: 'query One { one }' });
    await gateway.post({ query: '{ one fail }' });
    await gateway.post({
      query: `{ ${Array.from({ length: 21 }, (_, index) => `n${index}: one`).join(' ')} }`,
    });
    const text = await gateway.metrics.metrics();
    const series = (name: string, labels: string): string | undefined =>
      text
        .split('\n')
        .find((line) => line.startsWith(`trellis_gateway_${name}{`) && new RegExp(labels).test(line))
        ?.split(' ')
        .at(-1);
    expect(series('operations_total', 'name="One",kind="query",outcome="OK"')).toBe('1');
    expect(series('operations_total', 'name="other",kind="query",outcome="OK"')).toBe('9');
    expect(series('operations_total', 'name="",kind="query",outcome="PARTIAL"')).toBe('1');
    expect(series('plans_total', 'outcome="miss"')).toBe('2');
    expect(series('plans_total', 'outcome="hit"')).toBe('9');
    expect(series('subgraph_requests_total', 'subgraph="numbers",outcome="[a-z]+"')).toBe('11');
    expect(series('subgraph_request_duration_seconds_count', 'subgraph="numbers"')).toBe('11');
    expect(series('operation_duration_seconds_count', 'kind="query"')).toBe('11');
    expect(series('limits_exceeded_total', 'limit="[a-zA-Z]+"')).toBe('1');
  });

  it('are read by the page for operators as they are: a subgraph that responds has not failed', async () => {
    const { text } = await renderState(gateway.metrics, chooseTexts('en'));
    const cells = [...text.matchAll(/<td>([^<]*)<\/td>/g)].map(([, cell]) => cell).join(' | ');
    expect(cells).toMatch(/numbers \| closed \| 11 \| 0 \(0\.0 %\) \| \d/);
    expect(cells).toContain('Served since | 2');
    const source = readFileSync(new URL('../http/pages/state-page.ts', import.meta.url), 'utf8');
    const read = [...source.matchAll(/trellis_gateway_\w+/g)].map(([name]) => name);
    const known = new Set(gateway.metrics.getMetricsAsArray().map(({ name }) => name));
    expect(new Set(read).size).toBeGreaterThan(10);
    expect([...read].filter((name) => !known.has(name))).toEqual([]);
  });
});
