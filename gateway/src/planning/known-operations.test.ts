import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { gql } from 'graphql-tag';
import { ANONYMOUS } from '../identity/caller.ts';
import { DEFAULT_COSTS } from '../settings/cost.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { createPlannerPool, type QueryPlanSource } from './threads/planner-pool.ts';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';
import type { OperationPlanner } from './operation-planner.ts';
import { startWarmPlanner } from '../testing/warm-planner.ts';
import { createOperationPlanner } from './plan-operation.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { Supergraph } from '../supergraph/supergraph.ts';
import { compose } from '../testing/compose.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { createKnownOperations, type KnownOperations } from './generation-plans.ts';
import { createOperationCache, type OperationCache } from '../operation/operation-cache.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';

const settings = { limits: DEFAULT_LIMITS, costs: DEFAULT_COSTS, policies: {}, introspection: true };

let graph: LibraryGraph;
beforeAll(async () => {
  graph = await startLibraryGraph();
});
afterAll(() => graph.close());

/** For what is not about the deadline: a machine with other work may take longer than the usual one to start a thread. */
const NO_HURRY_MS = 60_000;

/** A planner over the real thread, and what the thread was asked. */
function countingPlanner(own: Partial<QueryPlanSource> = {}): {
  planner: OperationPlanner;
  planned: string[];
} {
  const planned: string[] = [];
  const thread = createPlannerPool({ start: startWarmPlanner });
  const source: QueryPlanSource = {
    load: (supergraph) => thread.load(supergraph),
    unload: (supergraph) => thread.unload(supergraph),
    introspect: (...question) => thread.introspect(...question),
    close: () => thread.close(),
    plan(supergraph, operation, ...rest) {
      planned.push(operation);
      return thread.plan(supergraph, operation, ...rest);
    },
    ...own,
  };
  return { planned, planner: createOperationPlanner({ source }) };
}

function use(known: KnownOperations, operationCache: OperationCache, text: string): void {
  const operation = operationCache.document(text).operation(undefined);
  known.remember({ text, operation, variables: { first: 3, all: true }, caller: ANONYMOUS });
}

describe('Operations that are known', () => {
  it('are planned for the next generation before it serves, once each', async () => {
    const before = buildSupergraph(compose(graph.all));
    const next = new Supergraph(before);
    const { planner, planned } = countingPlanner();
    const known = createKnownOperations();
    const old = createOperationCache(before, settings);
    use(known, old, '{ public }');
    use(known, old, '{ public }');
    use(known, old, 'query ($all: Boolean!) { people @include(if: $all) { name } }');

    const fresh = createOperationCache(next, settings);
    await known.prepare(next, { operationCacheOf: () => fresh, planner, deadlineMs: NO_HURRY_MS });
    expect(planned).toHaveLength(2);

    const operation = fresh.document('{ public }').operation(undefined);
    const request = { supergraph: next, operation, decided: operation.decide({}), denied: NOTHING_DENIED };
    await planner.planOperation(request, new AbortController().signal);
    expect(planned).toHaveLength(2);
    await planner.close();
  });

  it('G11: whose texts are long are not held', async () => {
    const supergraph = buildSupergraph(compose(graph.all));
    const { planner, planned } = countingPlanner();
    const known = createKnownOperations();
    const operationCache = createOperationCache(supergraph, settings);
    use(known, operationCache, '{ a: public }#'.padEnd(16_384, 'x'));
    use(known, operationCache, '{ b: public }#'.padEnd(16_385, 'x'));
    await known.prepare(supergraph, {
      operationCacheOf: () => operationCache,
      planner,
      deadlineMs: NO_HURRY_MS,
    });
    expect(planned).toEqual([expect.stringContaining('a: public')]);
    await planner.close();
  });

  it('are let in by chance when 200 others are known: a new one that is used again is among them', async () => {
    const supergraph = buildSupergraph(compose(graph.all));
    const { planner } = countingPlanner({
      plan: () => Promise.reject(new Error('Nothing is planned here.')),
    });
    const known = createKnownOperations();
    const operationCache = createOperationCache(supergraph, settings);
    const asked: (string | undefined)[] = [];
    for (let number = 0; number < 1_000; number += 1) {
      use(known, operationCache, `query Q${number} { public }`);
      if (number >= 500) use(known, operationCache, 'query New { public }');
    }
    const onFailure = (name: string | undefined): void => void asked.push(name);
    await known.prepare(supergraph, {
      operationCacheOf: () => operationCache,
      planner,
      onFailure,
      deadlineMs: NO_HURRY_MS,
    });
    expect(asked).toHaveLength(200);
    expect(asked[0]).toBe('New');
    const early = asked.filter((name) => Number(name?.slice(1)) < 200);
    expect(early.length).toBeGreaterThan(10); // each that came later would have let one of them out
    await planner.close();
  });

  it('are left once another generation is to serve', async () => {
    const supergraph = buildSupergraph(compose(graph.all));
    const newer = new AbortController();
    const asked: (string | undefined)[] = [];
    const { planner } = countingPlanner({
      plan: () => Promise.reject(new Error('Nothing is planned here.')),
    });
    const known = createKnownOperations();
    const operationCache = createOperationCache(supergraph, settings);
    for (const name of ['One', 'Two']) use(known, operationCache, `query ${name} { public }`);
    const onFailure = (name: string | undefined): void => {
      asked.push(name);
      newer.abort();
    };
    const preparation = {
      operationCacheOf: () => operationCache,
      planner,
      onFailure,
      deadlineMs: NO_HURRY_MS,
    };
    await known.prepare(supergraph, { ...preparation, signal: newer.signal });
    expect(asked).toHaveLength(1);
    await planner.close();
  });

  it('that the next generation does not have are passed over', async () => {
    const known = createKnownOperations();
    use(known, createOperationCache(buildSupergraph(compose(graph.all)), settings), '{ public }');
    const next = buildSupergraph(
      compose([
        {
          name: 'other',
          typeDefs: gql`
            type Query {
              other: Int
            }
          `,
        },
      ]),
    );
    const { planner, planned } = countingPlanner();
    const operationCache = createOperationCache(next, settings);
    const failures: unknown[] = [];
    const onFailure = (_name: unknown, reason: unknown): void => void failures.push(reason);
    await known.prepare(next, {
      operationCacheOf: () => operationCache,
      planner,
      onFailure,
      deadlineMs: NO_HURRY_MS,
    });
    expect(planned).toHaveLength(0);
    expect(failures).toHaveLength(1);
    await planner.close();
  });

  it('are left when the deadline has passed, and that is no failure', async () => {
    const supergraph = buildSupergraph(compose(graph.all));
    const asked: string[] = [];
    const { planner } = countingPlanner({
      plan(_supergraph, operation) {
        asked.push(operation);
        return new Promise(() => {});
      },
    });
    const known = createKnownOperations();
    const operationCache = createOperationCache(supergraph, settings);
    use(known, operationCache, '{ a: public }');
    use(known, operationCache, '{ b: public }');
    const failures: unknown[] = [];
    const onFailure = (_name: unknown, reason: unknown): void => void failures.push(reason);
    await known.prepare(supergraph, {
      operationCacheOf: () => operationCache,
      planner,
      onFailure,
      deadlineMs: 200,
    });
    expect(asked).toHaveLength(1);
    expect(failures).toEqual([]);
    await planner.close();
  });

  it('F-11 are answered by the whole gateway after a change of the supergraph without being planned again', async () => {
    const gateway = await startTestGateway({ subgraphs: graph.all });
    const ask = async (query: string): Promise<unknown> => (await gateway.post({ query })).body;
    const count = async (metric: string, outcome: string): Promise<number> => {
      const { values } = (await gateway.metrics.getSingleMetric(metric)?.get()) ?? { values: [] };
      return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
    };
    const swaps = (): Promise<number> => count('trellis_gateway_supergraph_changes_total', 'serving');
    const plansMade = async (): Promise<number> =>
      Number(/plans_total\{outcome="miss".*\} (\d+)/.exec(await gateway.metrics.metrics())?.[1]);
    expect(await ask('{ public }')).toEqual({ data: { public: 'open to all' } });
    const changed = graph.all.map((subgraph) => ({
      ...subgraph,
      typeDefs: replaceInTypeDefs(subgraph.typeDefs, 'public: String!', 'public: String! added: String'),
    }));
    const before = await swaps();
    writeFileSync(gateway.supergraphFile, compose(changed));
    await expect.poll(swaps).toBe(before + 1);
    const made = await plansMade();
    expect(await ask('{ public }')).toEqual({ data: { public: 'open to all' } });
    expect(await plansMade()).toBe(made);
    expect(await ask('{ added }')).toMatchObject({ data: { added: null } });
    expect(await plansMade()).toBe(made + 1);
    await gateway.close();
  });
});
