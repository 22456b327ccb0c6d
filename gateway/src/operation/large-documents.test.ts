import { beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { collectedHeap } from '../../test-fixtures/load/collected-heap.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { RequestError } from '../errors.ts';
import { DEFAULT_COSTS } from '../settings/cost.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { createOperationCache, type OperationCache } from './operation-cache.ts';

const MEGABYTE = 1_048_576;

let supergraph: Supergraph;

beforeAll(() => {
  const subgraphs = Object.entries(bookshop).map(([name, { typeDefs }]) => ({ name, typeDefs }));
  supergraph = buildSupergraph(
    composeGraph({ name: 'bookshop', subgraphs }, (name) => `http://${name}.test/`),
  );
});

function createCache(): OperationCache {
  return createOperationCache(supergraph, {
    limits: DEFAULT_LIMITS,
    costs: DEFAULT_COSTS,
    policies: {},
    introspection: true,
  });
}

/** @returns what the text is rejected for */
function limitOf(operationCache: OperationCache, text: string, name?: string): unknown {
  try {
    operationCache.document(text, '203.0.113.1').operation(name);
    return undefined;
  } catch (error) {
    const [first] = error instanceof RequestError ? error.errors : [];
    const limit = first?.extensions['limit'] as { readonly name: string } | undefined; // as errors.md has it
    return limit?.name ?? error;
  }
}

/** Megabytes that are still taken up when so many documents have been sent. */
async function leftBehind(
  operationCache: OperationCache,
  documents: number,
  send: (number: number) => void,
): Promise<number> {
  send(0);
  const before = await collectedHeap();
  for (let number = 1; number <= documents; number += 1) send(number);
  const after = await collectedHeap();
  expect(limitOf(operationCache, '{ books { title } }')).toBeUndefined(); // the operationCache is alive
  return (after - before) / MEGABYTE;
}

describe('What is cached of large documents', () => {
  it('G11: 30 documents of 800 operations are bounded by what they take up, and so is each of them', async () => {
    const operationCache = createCache();
    const left = await leftBehind(operationCache, 30, (number) => {
      const operations = Array.from(
        { length: 800 },
        (_, index) => `query Q${number}x${index} { books { title } }`,
      );
      for (const index of [0, 399, 799])
        expect(limitOf(operationCache, operations.join(' '), `Q${number}x${index}`)).toBeUndefined();
    });
    expect(left).toBeLessThan(20);
  });
});
