import { parse } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FEDERATION, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';
import { createSubgraphClient, type SubgraphClient } from '../subgraphs/subgraph-client.ts';
import { createGate } from '../testing/gate.ts';
import type { Plan } from '../plan/plan.ts';
import { executeIncrementally, type RunningIncrementalResult } from './execute-incrementally.ts';
import type { IncrementalUpdate } from './incremental-result.ts';
import { plannableFor } from '../testing/plannable-for.ts';

const BOOKS = gql`
  ${FEDERATION}
  type Book @key(fields: "id") {
    id: ID!
    title: String!
    quotes: [Quote!]!
    author: Author!
  }
  type Quote {
    page: Int!
    text: String!
  }
  type Author @key(fields: "id") {
    id: ID!
    name: String! @external
    greeting: String! @requires(fields: "name")
  }
  type Query {
    best: [Book!]
    many(count: Int!): [Book!]!
  }
`;

const STOCK = gql`
  ${FEDERATION}
  type Book @key(fields: "id") {
    id: ID!
    count: Int!
  }
  type Author @key(fields: "id") {
    id: ID!
    name: String!
  }
`;

const gate = createGate();
const book = { id: 'b1', title: 'First', quotes: [{ page: 1 }, { page: 2 }], author: { id: 'ann' } };

let graph: HandGraph;
let client: SubgraphClient;

beforeAll(async () => {
  const pass = async (reference: object): Promise<object> => {
    await gate.pass();
    return reference;
  };
  graph = await startHandGraph({
    books: {
      typeDefs: BOOKS,
      resolvers: {
        Query: {
          best: () => [book],
          many: (_: unknown, { count }: { count: number }) => Array.from({ length: count }, () => book),
        },
        Book: { __resolveReference: () => book },
        Author: {
          __resolveReference: (author: object) => author,
          greeting: ({ name }: { name: string }) => `Hello, ${name}`,
        },
        Quote: {
          text: () => {
            throw new Error('The page is torn.');
          },
        },
      },
    },
    stock: {
      typeDefs: STOCK,
      resolvers: {
        Book: { __resolveReference: pass, count: () => 3 },
        Author: { __resolveReference: pass, name: () => 'Ann' },
      },
    },
  });
  client = createSubgraphClient();
});
afterAll(async () => {
  await client.close();
  await graph.close();
});
afterEach(() => gate.open());

interface Begun {
  readonly plan: Plan;
  readonly result: Promise<RunningIncrementalResult>;
}

async function begin(text: string): Promise<Begun> {
  const { signal } = new AbortController();
  const { supergraph, planner } = graph;
  const document = parse(text);
  const operation = plannableFor(document);
  const request = { supergraph, operation, decided: operation.decide({}), incremental: true };
  const plan = await planner.planOperation(request, signal);
  const context = { variables: {}, headersFor: () => ({}), subgraphClient: client, signal };
  return { plan, result: executeIncrementally(plan, context) };
}

async function collect(updates: AsyncIterable<IncrementalUpdate>): Promise<readonly IncrementalUpdate[]> {
  const collected: IncrementalUpdate[] = [];
  for await (const update of updates) collected.push(update);
  return collected;
}

describe('an operation that the planner finds no parts for', () => {
  // In a deferred fragment the planner has no way to get what a field of the same subgraph requires.
  const text = '{ best { title ...@defer { author { greeting } } } }';

  it('has incremental delivery all the same, and the first waits for no slow subgraph', async () => {
    gate.close();
    const { plan, result } = await begin(text);
    expect([plan.isDeferred, plan.parts]).toEqual([true, undefined]);
    const { initial, pending, updates } = await result;
    expect(initial).toEqual({ dataText: '{"best":[{"title":"First"}]}', errors: [], objects: 1 });
    expect(pending.map(({ path }) => path)).toEqual([['best', 0]]);
    gate.open();
    const parts = (await collect(updates)).flatMap(({ completed }) => completed);
    expect(parts.map(({ dataText }) => dataText)).toEqual(['{"author":{"greeting":"Hello, Ann"}}']);
  });
});

describe('a fetch that fails for a deferred part', () => {
  it('explains what is missing at any depth of what came before', async () => {
    const { result } = await begin('{ best { quotes { page } } ...@defer { best { quotes { text } } } }');
    const { initial, updates } = await result;
    expect(initial).toEqual({
      dataText: '{"best":[{"quotes":[{"page":1},{"page":2}]}]}',
      errors: [],
      objects: 3,
    });
    const [last] = await collect(updates);
    expect(last).toMatchObject({ completed: [{ dataText: undefined, added: [] }], hasNext: false });
    const [error] = last?.completed[0]?.errors ?? [];
    expect([error?.message, error?.path]).toEqual(['The page is torn.', ['best', 0, 'quotes', 0, 'text']]);
  });
});

describe('an error that explains nothing in any part', () => {
  it.each([
    ['the last part', '{ best { quotes { page } } ...@defer { best { quotes { text } } } }', 1],
    ['the only part', '{ best { quotes { page text } } ...@defer(if: false) { best { title } } }', 0],
  ])('comes with %s, for the log', async (_which, text, goodResponses) => {
    let results = 0;
    const errors = [0, 1].map((index) => ({
      message: `No ${index}.`,
      path: ['best', 0, 'quotes', index, 'text'],
    }));
    const quotes = [1, 2].map((page) => ({ page, text: null }));
    const good = { data: { best: [{ quotes: [{ page: 1 }, { page: 2 }] }] } };
    const bad = { data: { best: [{ title: 'First', quotes }] }, errors };
    graph.server('books').intercept((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify((results += 1) <= goodResponses ? good : bad));
      return true;
    });
    const { result } = await begin(text);
    const { initial, updates } = await result;
    const all = [initial, ...(await collect(updates))];
    graph.server('books').intercept(undefined);
    expect(all.flatMap(({ unreported = [] }) => unreported).map(({ message }) => message)).toEqual(['No 1.']);
  });
});

describe('more parts than a response may have', () => {
  it('are rejected, and nothing is asked any more', async () => {
    gate.close();
    graph.server('stock').requests.length = 0;
    let closed = false;
    graph.server('stock').intercept((_request, response) => {
      response.once('close', () => {
        closed = true;
      });
      return true;
    });
    const { result } = await begin('{ many(count: 10001) { title ...@defer { count } } }');
    await expect(result).rejects.toMatchObject({
      message: 'The response has more than 10000 parts; defer or stream less.',
      extensions: { code: 'RESPONSE_TOO_LARGE' },
    });
    const { requests } = graph.server('stock');
    await vi.waitFor(() => expect(closed || requests.length === 0).toBe(true), { timeout: 90_000 });
    graph.server('stock').intercept(undefined);
  });
});

describe('a response that no client waits for', () => {
  it('is given up before its parts were asked for', async () => {
    gate.close();
    const { result } = await begin('{ best { title ...@defer { count } } }');
    const { stop, updates } = await result;
    stop();
    await expect(collect(updates)).rejects.toThrow(
      'The client no longer waits for the rest of the response.',
    );
  });
});
