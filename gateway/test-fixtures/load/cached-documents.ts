import { RequestError } from '../../src/errors.ts';
import { createOperationCache, type OperationCache } from '../../src/operation/operation-cache.ts';
import { DEFAULT_COSTS } from '../../src/settings/cost.ts';
import { DEFAULT_LIMITS } from '../../src/settings/limits.ts';
import { buildSupergraph } from '../../src/supergraph/build-supergraph.ts';
import type { Supergraph } from '../../src/supergraph/supergraph.ts';
import { bookshop } from '../graphs/bookshop.ts';
import { composeGraph } from '../synthetic/start-graph.ts';
import { collectedHeap } from './collected-heap.ts';

export const MEGABYTE = 1_048_576;

let supergraph: Supergraph | undefined;

/** Makes an empty cache of documents for the bookshop's graph, with the limits and costs of a gateway without settings. */
export function createBookshopCache(): OperationCache {
  supergraph ??= buildBookshop();
  return createOperationCache(supergraph, {
    limits: DEFAULT_LIMITS,
    costs: DEFAULT_COSTS,
    policies: {},
    introspection: true,
  });
}

function buildBookshop(): Supergraph {
  const subgraphs = Object.entries(bookshop).map(([name, { typeDefs }]) => ({ name, typeDefs }));
  return buildSupergraph(composeGraph({ name: 'bookshop', subgraphs }, (name) => `http://${name}.test/`));
}

/** @returns the name of the limit that the text is rejected for; another error as it is; `undefined` when it is not rejected */
export function limitOf(cache: OperationCache, text: string, name?: string): unknown {
  try {
    cache.document(text, '203.0.113.1').operation(name);
    return undefined;
  } catch (error) {
    const [first] = error instanceof RequestError ? error.errors : [];
    const limit = first?.extensions['limit'] as { readonly name: string } | undefined; // as errors.md has it
    return limit?.name ?? error;
  }
}

/** Megabytes that are still taken up when so many documents have been sent. One is sent before, and not counted. */
export async function leftBehind(
  cache: OperationCache,
  documents: number,
  send: (number: number) => void,
): Promise<number> {
  send(0);
  const before = await collectedHeap();
  for (let number = 1; number <= documents; number += 1) send(number);
  const after = await collectedHeap();
  if (limitOf(cache, '{ books { title } }') !== undefined)
    throw new Error('The cache is of no use any more.'); // it is alive
  return (after - before) / MEGABYTE;
}
