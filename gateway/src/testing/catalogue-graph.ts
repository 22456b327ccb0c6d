import { GraphQLError } from 'graphql';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from './subgraph-server.ts';

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@requires", "@external", "@shareable"]
    )
`;

/** Brings the lists. */
const CATALOGUE = gql`
  ${LINK}
  type Query {
    products(count: Int!): [Product]
    must(count: Int!): [Product!]
    names(count: Int!): [String]
    shelves(count: Int!): [Shelf!]
    grid: [[Product!]!]
    order: Order
  }
  type Mutation {
    restock: [Product]
    tidy: Shelf
  }
  type Subscription {
    added: [Product]
    shelf: Shelf
  }
  type Shelf {
    name: String
    products: [Product!]
  }
  type Product @key(fields: "id") {
    id: ID!
    broken: String
  }
  type Order @key(fields: "id") {
    id: ID!
    lines: [Product!]
  }
`;

/** Knows what products cost. */
const PRICES = gql`
  ${LINK}
  type Product @key(fields: "id") {
    id: ID!
    price: Int
    mustPrice: Int!
    seller: Seller
  }
  type Seller {
    name: String
  }
  type Order @key(fields: "id") {
    id: ID!
    lines: [Product!] @external
    total: Int @requires(fields: "lines { id }")
  }
`;

const listOf = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index}` }));
const ofCount = (_: unknown, { count }: { count: number }): readonly object[] => listOf(count);

/** A graph of lists of products, and what they cost. */
export interface CatalogueGraph {
  /** Brings the lists. */
  readonly catalogue: SubgraphServer;
  /** Knows what products cost. */
  readonly prices: SubgraphServer;
  close(): Promise<void>;
}

/** How prices responds. */
interface PriceBehaviour {
  /** Waited for before each price. */
  readonly pass: () => Promise<void>;
  /** Ids of products that it fails on. */
  readonly failing: ReadonlySet<string>;
}

/** Starts a graph whose lists can be streamed: product `p7` costs 7, and `p2` is broken. */
export async function startCatalogueGraph({ pass, failing }: PriceBehaviour): Promise<CatalogueGraph> {
  const price = async ({ id }: { id: string }): Promise<number> => {
    await pass();
    if (failing.has(id)) throw new GraphQLError(`No price of ${id}.`, { extensions: { code: 'NO_PRICE' } });
    return Number(id.slice(1));
  };
  const catalogue = await startSubgraph({
    name: 'catalogue',
    typeDefs: CATALOGUE,
    resolvers: {
      Query: {
        products: ofCount,
        must: ofCount,
        names: (_: unknown, { count }: { count: number }) =>
          Array.from({ length: count }, (_one, index) => (index === 1 ? null : `n${index}`)),
        shelves: (_: unknown, { count }: { count: number }) =>
          Array.from({ length: count }, (_one, index) => ({ name: `s${index}`, products: listOf(3) })),
        grid: () => [listOf(2), listOf(3), listOf(1)],
        order: () => ({ id: 'o1', lines: listOf(4) }),
      },
      Mutation: { restock: () => listOf(3), tidy: () => ({ name: 'tidy', products: listOf(3) }) },
      Product: {
        broken: ({ id }: { id: string }) => {
          if (id === 'p2') throw new GraphQLError('Broken.', { extensions: { code: 'BROKEN' } });
          return id;
        },
      },
    },
  });
  const prices = await startSubgraph({
    name: 'prices',
    typeDefs: PRICES,
    resolvers: {
      Product: { price, mustPrice: price, seller: ({ id }: { id: string }) => ({ name: `seller of ${id}` }) },
      Order: { total: ({ lines }: { lines: readonly unknown[] }) => lines.length },
    },
  });
  return {
    catalogue,
    prices,
    close: async () => void (await Promise.all([catalogue.close(), prices.close()])),
  };
}
