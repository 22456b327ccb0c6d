import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

interface Reference {
  readonly upc: string;
}

/** As the composition of Federation 1 wrote it: owners, `join` v0.1, `core` instead of `link`. */
const supergraphOf = (urlOf: (name: string) => string): string => `
schema
  @core(feature: "https://specs.apollo.dev/core/v0.2"),
  @core(feature: "https://specs.apollo.dev/join/v0.1", for: EXECUTION)
{ query: Query mutation: Mutation }
directive @core(as: String, feature: String!, for: core__Purpose) repeatable on SCHEMA
directive @join__field(graph: join__Graph, provides: join__FieldSet, requires: join__FieldSet) on FIELD_DEFINITION
directive @join__graph(name: String!, url: String!) on ENUM_VALUE
directive @join__owner(graph: join__Graph!) on INTERFACE | OBJECT
directive @join__type(graph: join__Graph!, key: join__FieldSet) repeatable on INTERFACE | OBJECT
enum core__Purpose { EXECUTION SECURITY }
scalar join__FieldSet
enum join__Graph {
  PRODUCTS @join__graph(name: "products" url: "${urlOf('products')}")
  REVIEWS @join__graph(name: "reviews" url: "${urlOf('reviews')}")
}
type Mutation {
  rename(upc: String!, name: String!): Product @join__field(graph: PRODUCTS)
  review(upc: String!): Review @join__field(graph: REVIEWS)
}
type Product
  @join__owner(graph: PRODUCTS)
  @join__type(graph: PRODUCTS, key: "upc")
  @join__type(graph: REVIEWS, key: "upc")
{
  upc: String! @join__field(graph: PRODUCTS)
  name: String @join__field(graph: PRODUCTS)
  weight: Int @join__field(graph: PRODUCTS)
  reviews: [Review] @join__field(graph: REVIEWS)
  postage: Int @join__field(graph: REVIEWS, requires: "weight")
}
type Query {
  top: [Product] @join__field(graph: PRODUCTS)
  latest: Review @join__field(graph: REVIEWS)
}
type Review {
  body: String
  size: Size
  product: Product @join__field(graph: REVIEWS, provides: "name")
}
type Size { lines: Int }
`;

const products = {
  u1: { upc: 'u1', name: 'Table', weight: 10 },
  u2: { upc: 'u2', name: 'Chair', weight: 4 },
};
const find = ({ upc }: Reference): unknown => (upc === 'u1' || upc === 'u2' ? products[upc] : null);
const review = (upc: string): object => ({
  body: `of ${upc}`,
  size: { lines: 1 },
  product: { upc, name: 'provided' },
});

let graph: HandGraph;
beforeAll(async () => {
  const subgraphs = {
    products: {
      typeDefs: gql`
        type Query {
          top: [Product]
        }
        type Mutation {
          rename(upc: String!, name: String!): Product
        }
        type Product @key(fields: "upc") {
          upc: String!
          name: String
          weight: Int
        }
      `,
      resolvers: {
        Query: { top: () => [products.u1, products.u2] },
        Mutation: { rename: (_source: unknown, values: object) => ({ ...values, weight: 1 }) },
        Product: { __resolveReference: find },
      },
    },
    reviews: {
      typeDefs: gql`
        extend type Query {
          latest: Review
        }
        extend type Mutation {
          review(upc: String!): Review
        }
        type Review {
          body: String
          size: Size
          product: Product @provides(fields: "name")
        }
        type Size {
          lines: Int
        }
        extend type Product @key(fields: "upc") {
          upc: String! @external
          name: String @external
          weight: Int @external
          reviews: [Review]
          postage: Int @requires(fields: "weight")
        }
      `,
      resolvers: {
        Query: { latest: () => review('u2') },
        Mutation: { review: (_source: unknown, { upc }: Reference) => review(upc) },
        Product: {
          reviews: ({ upc }: Reference) => [review(upc)],
          postage: ({ weight }: { readonly weight: number }) => weight * 2,
        },
      },
    },
  };
  graph = await startHandGraph(subgraphs, {}, supergraphOf);
});
afterAll(() => graph.close());

async function ask(text: string): Promise<unknown> {
  return plain(await graph.run(text));
}

describe('a supergraph that Federation 1 composed', () => {
  it('joins entities of owners and extensions, with what they require', async () => {
    expect(await ask('{ top { name postage reviews { body product { upc } } } }')).toEqual({
      data: {
        top: [
          { name: 'Table', postage: 20, reviews: [{ body: 'of u1', product: { upc: 'u1' } }] },
          { name: 'Chair', postage: 8, reviews: [{ body: 'of u2', product: { upc: 'u2' } }] },
        ],
      },
    });
  });

  it('takes what is provided, and what is not from its owner', async () => {
    expect(await ask('{ latest { size { lines } product { name weight } } }')).toEqual({
      data: { latest: { size: { lines: 1 }, product: { name: expect.any(String) as unknown, weight: 4 } } },
    });
    graph.server('products').requests.length = 0;
    expect(await ask('{ latest { product { name } } }')).toEqual({
      data: { latest: { product: { name: 'provided' } } },
    });
    expect(graph.server('products').requests).toHaveLength(0);
  });

  it('runs mutations in the order of the operation, across subgraphs', async () => {
    expect(
      await ask('mutation { b: rename(upc: "u1", name: "New") { name postage } review(upc: "u2") { body } }'),
    ).toEqual({ data: { b: { name: 'New', postage: 2 }, review: { body: 'of u2' } } });
  });

  it('hides what composition wrote for gateways', async () => {
    expect(await ask('{ __type(name: "join__Graph") { name } }')).toEqual({ data: { __type: null } });
  });
});
