import { gql } from 'graphql-tag';
import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

interface Reference {
  readonly id: string;
}

const titles: Readonly<Record<string, string | null>> = { b1: 'First', b2: 'Second', b3: null };

/** Books of one subgraph with the stock and prices of another: small enough to reckon every response by hand. */
export const bookshop: Readonly<Record<'books' | 'stock', HandSubgraph>> = {
  books: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        book(id: ID!): Book
        books: [Book!]!
        found: [Found]
        author: Author!
        maybe: Book
        shelf(of: Shelf): String
      }
      type Mutation {
        rename(id: ID!, title: String!): Book
        touch(id: ID!): String
      }
      type Book @key(fields: "id") {
        id: ID!
        title: String
        pages: Int!
        author: Author!
        related: [Book!]
        size: Size
      }
      type Author {
        name: String!
        nickname: String
        first: Book!
      }
      type Size {
        width: Int!
        depth: Int
      }
      union Found = Book | Author
      input Shelf {
        number: Int!
      }
    `,
    resolvers: {
      Query: {
        book: (_source: unknown, { id }: Reference) => (id in titles ? { id } : null),
        books: () => [{ id: 'b1' }, { id: 'b2' }, { id: 'b1' }],
        found: () => [{ __typename: 'Author', name: 'Ann' }, { __typename: 'Book', id: 'b2' }, null],
        author: () => ({ name: 'Ann', nickname: null }),
        maybe: () => null,
        shelf: (_source: unknown, values: unknown) => JSON.stringify(values),
      },
      Mutation: {
        rename: (_source: unknown, { id }: Reference) => ({ id }),
        touch: (_source: unknown, { id }: Reference) => id,
      },
      Book: {
        title: ({ id }: Reference) => titles[id],
        pages: ({ id }: Reference) => id.length * 50,
        author: () => ({ name: 'Ann', nickname: null }),
        related: ({ id }: Reference) => (id === 'b1' ? [{ id: 'b2' }, { id: 'b3' }] : []),
        size: () => ({ width: 10, depth: null }),
      },
      Author: { first: () => ({ id: 'b1' }) },
    },
  },
  stock: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        warehouse: Warehouse
      }
      type Mutation {
        order(id: ID!): Book
      }
      type Warehouse {
        city: String!
        books: [Book!]!
      }
      type Book @key(fields: "id") {
        id: ID!
        title: String @external
        size: Size @external
        count: Int!
        price(currency: String = "EUR"): Float
        label: String @requires(fields: "title")
        box: Int @requires(fields: "size { width depth }")
      }
      type Size {
        width: Int! @external
        depth: Int @external
      }
    `,
    resolvers: {
      Query: { warehouse: () => ({ city: 'Brno', books: [{ id: 'b2' }] }) },
      Mutation: { order: (_source: unknown, { id }: Reference) => ({ id }) },
      Book: {
        count: ({ id }: Reference) => Number(id.slice(1)),
        price: ({ id }: Reference, { currency }: { readonly currency: string }) =>
          Number(id.slice(1)) * (currency === 'EUR' ? 1 : 2),
        label: ({ id, title }: Reference & { readonly title: string | null }) =>
          `${id}: ${title ?? 'untitled'}`,
        box: ({ size }: { readonly size: { readonly width: number } | null }) => size && size.width + 1,
      },
    },
  },
};
