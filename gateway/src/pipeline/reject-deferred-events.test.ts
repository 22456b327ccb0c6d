import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_COSTS } from '../settings/cost.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { compose } from '../testing/compose.ts';
import { startMagazineGraph, type MagazineGraph } from '../testing/magazine-graph.ts';
import { createOperationCache, type OperationCache } from '../operation/operation-cache.ts';
import { rejectDeferredEvents } from './prepare-request.ts';

let graph: MagazineGraph;
let operationCache: OperationCache;

beforeAll(async () => {
  graph = await startMagazineGraph();
  operationCache = createOperationCache(buildSupergraph(compose(graph.all)), {
    limits: DEFAULT_LIMITS,
    costs: DEFAULT_COSTS,
    policies: {},
    introspection: true,
  });
});
afterAll(() => graph.close());

function reject(text: string, variables: Readonly<Record<string, unknown>> = {}): void {
  const operation = operationCache.document(text).operation(undefined);
  rejectDeferredEvents(operation, operation.decide(operation.coerceVariables(variables)));
}

const conditional = 'subscription ($late: Boolean!) { published { id ...@defer(if: $late) { title } } }';

describe('@defer or @stream in a subscription', () => {
  it.each([
    ['subscription { published { id ...@defer { title } } }', {}],
    ['subscription { published { ...F } } fragment F on Post { ... { ...@defer { title } } }', {}],
    [conditional, { late: true }],
    ['subscription { published { reviews @stream { __typename } } }', {}],
  ])('is rejected: %s', (text, variables) => {
    expect(() => reject(text, variables)).toThrow("@defer and @stream can't be used in a subscription");
  });

  it.each([
    ['subscription { published { id ...@defer(if: false) { title } } }', {}],
    ['subscription { published { id ...@skip(if: true) { ...@defer { title } } } }', {}],
    [conditional, { late: false }],
    ['query { post { ...@defer { title } } }', {}],
  ])('that has no effect is not: %s', (text, variables) => {
    expect(() => reject(text, variables)).not.toThrow();
  });
});
