import { gql } from 'graphql-tag';
import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

interface Reference {
  readonly upc?: string;
  readonly id?: string | null;
}

/** What the middle subgraph knows, by `upc`. */
const items: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  u1: { id: 'i1', weight: 3, note: null },
  u2: { id: 'i2', weight: 5, note: 'fragile' },
};

/**
 * A list of one subgraph, whose entities a second one has to find before a third can be asked: what the second does not
 * answer can't be sent to the third.
 */
export const catalogueChain: Readonly<Record<'lists' | 'middle' | 'shop', HandSubgraph>> = {
  lists: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        items(of: [ID!]!): [Item!]!
      }
      type Item @key(fields: "upc") {
        upc: ID!
      }
    `,
    resolvers: {
      Query: { items: (_source: unknown, { of }: { of: readonly string[] }) => of.map((upc) => ({ upc })) },
    },
  },
  middle: {
    typeDefs: gql`
      ${FEDERATION}
      type Item @key(fields: "upc") @key(fields: "id") {
        upc: ID!
        id: ID!
        weight: Int!
        note: String
      }
    `,
    resolvers: {
      Item: {
        __resolveReference: ({ upc = '' }: Reference) => {
          const item = items[upc];
          return item ? { ...item, upc } : null;
        },
      },
    },
  },
  shop: {
    typeDefs: gql`
      ${FEDERATION}
      type Item @key(fields: "id") {
        id: ID!
        weight: Int! @external
        note: String @external
        price: Int
        postage: Int @requires(fields: "weight")
        label: String @requires(fields: "note")
      }
    `,
    resolvers: {
      Item: {
        price: ({ id }: Reference) => Number(String(id).slice(1)) * 10,
        postage: ({ weight }: { weight: number }) => weight * 2,
        label: ({ note }: { note: string | null }) => note ?? 'none',
      },
    },
  },
};
