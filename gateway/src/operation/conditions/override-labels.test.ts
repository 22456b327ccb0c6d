import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { FEDERATION, startHandGraph, type HandGraph } from '../../../test-fixtures/hand-graph.ts';

/** What the planner draws next, from 0 up to 1. */
let drawn = 0;
let graph: HandGraph;

const product = { __resolveReference: (reference: unknown) => reference };

beforeAll(async () => {
  graph = await startHandGraph(
    {
      old: {
        typeDefs: gql`
          ${FEDERATION}
          type Query {
            product: Product
          }
          type Product @key(fields: "id") {
            id: ID!
            name: String
            price: Int
            stock: Int
            size: Int
          }
        `,
        resolvers: {
          Query: { product: () => ({ id: '1' }) },
          Product: { ...product, name: () => 'old', price: () => 1, stock: () => 10, size: () => 100 },
        },
      },
      fresh: {
        typeDefs: gql`
          ${FEDERATION}
          type Product @key(fields: "id") {
            id: ID!
            name: String @override(from: "old")
            price: Int @override(from: "old", label: "percent(25)")
            stock: Int @override(from: "old", label: "canary")
            size: Int @override(from: "old", label: "percent(75)")
          }
        `,
        resolvers: {
          Product: { ...product, name: () => 'fresh', price: () => 2, stock: () => 20, size: () => 200 },
        },
      },
    },
    { random: () => drawn, percents: { canary: 50 } },
  );
});
afterAll(() => graph.close());

async function result(at: number): Promise<unknown> {
  drawn = at;
  const { data } = await graph.run('{ product { name price stock size } }');
  return data;
}

describe('@override', () => {
  it('takes a field from its new owner, progressively where it has a label', async () => {
    expect(await result(0.2)).toEqual({ product: { name: 'fresh', price: 2, stock: 20, size: 200 } });
    expect(await result(0.4)).toEqual({ product: { name: 'fresh', price: 1, stock: 20, size: 200 } });
    expect(await result(0.6)).toEqual({ product: { name: 'fresh', price: 1, stock: 10, size: 200 } });
    expect(await result(0.9)).toEqual({ product: { name: 'fresh', price: 1, stock: 10, size: 100 } });
  });

  it('does not divide the plans of operations that it is not about', async () => {
    const before = graph.planned();
    for (drawn of [0.1, 0.3, 0.6, 0.8]) await graph.run('{ product { id name } }');
    expect(graph.planned()).toBe(before + 1);
    for (drawn of [0.1, 0.2, 0.3, 0.6, 0.8]) await graph.run('{ product { price } }');
    expect(graph.planned()).toBe(before + 3);
  });
});
