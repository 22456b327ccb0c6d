import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../identity/caller.ts';
import { createOperationCache, type OperationCache } from '../operation/operation-cache.ts';
import type { AdmittedOperation } from '../pipeline/admitted-operation.ts';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';
import { DEFAULT_COSTS, type CostSettings } from '../settings/cost.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { compose } from '../testing/compose.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { GraphReaders, UsageCounts } from './usage-counts.ts';
import { UsageFolder } from './usage-folder.ts';
import { recordInterval, type RecordedInterval } from './usage-lines.ts';

const TYPES = gql`
  enum Tone {
    WARM
    COLD
  }
  input Page {
    first: Int
    tone: Tone
  }
  type Query {
    greeting: String
    many(first: Int, limit: Int, page: Page): [String]
  }
`;

let subgraph: SubgraphServer;
let supergraph: Supergraph;
let operationCache: OperationCache;
beforeAll(async () => {
  subgraph = await startSubgraph({ name: 'greetings', typeDefs: TYPES, resolvers: {} });
  supergraph = buildSupergraph(compose([subgraph]));
  operationCache = catalogueWith(DEFAULT_COSTS);
});
afterAll(() => subgraph.close());

function catalogueWith(costs: CostSettings): OperationCache {
  const settings = { limits: DEFAULT_LIMITS, costs, policies: {}, introspection: true };
  return createOperationCache(supergraph, settings);
}

function admitted(
  text: string,
  variables: Record<string, unknown> = {},
  of = operationCache,
): AdmittedOperation {
  const operation = of.document(text).operation(undefined);
  return {
    supergraph,
    text,
    operation,
    variables,
    decided: operation.decide(variables),
    givenVariables: variables,
    extensions: {},
    onError: 'PROPAGATE',
    cost: 1,
    cacheHints: operation.cacheHintsOf(operation.decide(variables)),
    caller: ANONYMOUS,
    denied: NOTHING_DENIED,
  };
}

const BOUNDS = { documents: 100, rows: 200_000 };
const [FROM, TO] = [new Date(0), new Date(60_000)];
const ALWAYS = new AbortController().signal;

const record = (counts: UsageCounts, hurry = ALWAYS): Promise<RecordedInterval> =>
  recordInterval(counts, { from: FROM, to: TO, process: 'one' }, hurry);

function count(counts: UsageCounts, operation: AdmittedOperation, client = 'ios'): void {
  counts.count({
    admitted: operation,
    client: { name: client, version: '1' },
    errorCode: undefined,
    nowMs: performance.now(),
    durationMs: 7,
  });
}

const newCounts = (costs = (): CostSettings => DEFAULT_COSTS): UsageCounts =>
  new UsageCounts(BOUNDS, new GraphReaders(costs));

describe('An interval of recorded operations', () => {
  it('M6: is no longer than 16 MB, whatever names clients give themselves', async () => {
    const counts = newCounts();
    for (const field of ['a', 'b', 'c']) {
      const operation = admitted(`{ ${field}: greeting }`);
      for (let client = 0; client < 20_000; client += 1) count(counts, operation, `${client}`.padEnd(200));
    }
    const { operations, isComplete } = await record(counts);
    const characters = operations.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect([operations.length, isComplete]).toEqual([2, false]);
  });

  it('M6: does not hold up the end of the process', async () => {
    const counts = newCounts();
    count(counts, admitted('{ greeting }'));
    expect(await record(counts, AbortSignal.abort())).toMatchObject({ operations: [], isComplete: false });
    expect(await record(counts)).toMatchObject({ operations: [{ requests: 1 }], isComplete: true });
  });

  it('counts each client, each decision and each right, whichever was there before', async () => {
    const counts = newCounts();
    const text = 'query ($on: Boolean!) { greeting @include(if: $on) }';
    for (const [client, on] of [
      ['ios', true],
      ['web', true],
      ['ios', false],
      ['ios', false],
    ] as const)
      count(counts, admitted(text, { on }), client);
    const { operations } = await record(counts);
    expect(JSON.parse(operations[0]?.text ?? '')).toMatchObject({
      clients: [
        { name: 'ios', requests: 3, latencyMs: { 10: 3 } },
        { name: 'web', requests: 1, latencyMs: { 10: 1 } },
      ],
      conditions: [{ on: true }, { on: false }],
      scopes: [null],
    });
  });

  it('L7: says nothing of sizes where other arguments size lists since the settings have changed', async () => {
    let costs = DEFAULT_COSTS;
    const counts = newCounts(() => costs);
    const text = 'query ($n: Int, $l: Int) { many(first: $n, limit: $l) }';
    count(counts, admitted(text, { n: 3, l: 4 }));
    const before = JSON.parse((await record(counts)).operations[0]?.text ?? '') as Record<string, unknown>;
    expect(before['slices']).toEqual([{ n: 3, l: 4 }]);
    costs = { ...DEFAULT_COSTS, slicingArguments: ['first'] };
    count(counts, admitted(text, { n: 5, l: 9 }, catalogueWith(costs)));
    const after = JSON.parse((await record(counts)).operations[0]?.text ?? '') as Record<string, unknown>;
    expect(after).not.toHaveProperty('slices');
    const next = newCounts(() => costs);
    count(next, admitted(text, { n: 5, l: 9 }, catalogueWith(costs)));
    expect((await record(next)).operations[0]?.text).toContain('"slices":[{"n":5}]');
  });

  it('M1: is not written by an attempt that a folder has held up for too long', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'trellis-usage-folder-'));
    try {
      const folder = new UsageFolder(directory, 'one', 60_000);
      await folder.open();
      const interval = await record(newCounts());
      await expect(folder.write(interval, AbortSignal.abort())).rejects.toThrow();
      expect(readdirSync(directory)).toEqual(['one.open']);
      await folder.write(interval, ALWAYS);
      expect(readdirSync(directory).filter((name) => name.endsWith('.gz'))).toHaveLength(1);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
