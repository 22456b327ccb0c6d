import { gql } from 'graphql-tag';
import { FEDERATION, type HandSubgraph } from '../hand-graph.ts';

interface Reference {
  readonly id: string;
}

const byId = (reference: unknown): unknown => reference;
const asProduct = ({ id }: Reference): object => ({
  id,
  sku: `sku-${id}`,
  brand: { code: 'acme' },
  internal: `i-${id}`,
});
const rates: Readonly<Record<string, number>> = { EUR: 1, USD: 2 };

/** One product that five subgraphs know by different keys, and types that they know in part. */
export const emporium: Readonly<Record<string, HandSubgraph>> = {
  products: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        product: Product
        found: [Found]
        things: [Thing!]!
        painted(in: Paint): String
      }
      interface Thing {
        id: ID!
      }
      union Found = Product | Order
      type Order implements Thing {
        id: ID!
        total: Int
      }
      type Product implements Thing
        @key(fields: "id")
        @key(fields: "sku brand { code }")
        @key(fields: "internal") {
        id: ID!
        sku: String!
        brand: Brand!
        internal: ID! @inaccessible
        name: String @shareable
        color: Color
        price(currency: Currency = EUR): Int
        size: Size
      }
      type Brand @shareable {
        code: String!
      }
      type Size @shareable {
        width: Int
        height: Int
      }
      enum Color {
        RED
        GREEN
      }
      enum Currency {
        EUR
        USD
      }
      enum Paint {
        OIL
        WATER
      }
    `,
    resolvers: {
      Query: {
        product: () => asProduct({ id: '1' }),
        found: () => [
          { __typename: 'Order', id: 'o1', total: 7 },
          { __typename: 'Product', ...asProduct({ id: '1' }) },
        ],
        things: () => [
          { __typename: 'Product', ...asProduct({ id: '1' }) },
          { __typename: 'Order', id: 'o1', total: 7 },
        ],
        painted: (_source: unknown, values: { readonly in: string }) => values.in,
      },
      Product: {
        __resolveReference: ({ id = '1' }: Partial<Reference>) => asProduct({ id }),
        name: () => 'Lamp',
        color: () => 'RED',
        price: (_source: unknown, { currency }: { readonly currency: string }) =>
          (rates[currency] ?? 0) * 100,
        size: () => ({ width: 3, height: 4 }),
      },
    },
  },
  stock: {
    typeDefs: gql`
      ${FEDERATION}
      type Product @key(fields: "sku brand { code }") {
        sku: String!
        brand: Brand!
        count: Int
        price(currency: Currency = EUR): Int @external
        size: Size @external
        inEuros: String @requires(fields: "price(currency: EUR)")
        inDollars: String @requires(fields: "price(currency: USD)")
        area: Int @requires(fields: "size { width height }")
      }
      type Brand @shareable {
        code: String!
      }
      type Size @shareable {
        width: Int
        height: Int
      }
      enum Currency {
        EUR
        USD
      }
    `,
    resolvers: {
      Product: {
        __resolveReference: byId,
        count: ({ sku, brand }: { readonly sku: string; readonly brand: { readonly code: string } }) =>
          sku === 'sku-1' && brand.code === 'acme' ? 5 : null,
        inEuros: ({ price }: { readonly price: number }) => `${price} EUR`,
        inDollars: ({ price }: { readonly price: number }) => `${price} USD`,
        area: ({ size }: { readonly size: { readonly width: number; readonly height: number } }) =>
          size.width * size.height,
      },
    },
  },
  reviews: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        review: Review
        gems: [Found]
        colored(in: Paint): String
      }
      interface Thing {
        id: ID!
      }
      union Found = Product | Review
      type Review implements Thing {
        id: ID!
        stars: Int
        product: Product @provides(fields: "name")
        shade: Color
      }
      type Product @key(fields: "id") {
        id: ID!
        name: String @external
        reviews: [Review!]
      }
      enum Color {
        RED
        BLUE
      }
      enum Paint {
        OIL
        CHALK
      }
    `,
    resolvers: {
      Query: {
        review: () => ({ id: 'r1' }),
        gems: () => [
          { __typename: 'Review', id: 'r1' },
          { __typename: 'Product', id: '1', name: 'Lamp' },
        ],
        colored: (_source: unknown, values: { readonly in: string }) => values.in,
      },
      Review: { stars: () => 4, shade: () => 'BLUE', product: () => ({ id: '1', name: 'provided' }) },
      Product: { __resolveReference: byId, reviews: () => [{ id: 'r1' }] },
    },
  },
  vault: {
    typeDefs: gql`
      ${FEDERATION}
      type Product @key(fields: "internal") {
        internal: ID! @inaccessible
        shelf: String
      }
    `,
    resolvers: {
      Product: {
        __resolveReference: byId,
        shelf: ({ internal }: { readonly internal: string }) => `shelf of ${internal}`,
      },
    },
  },
  names: {
    typeDefs: gql`
      ${FEDERATION}
      type Product @key(fields: "id") {
        id: ID!
        name: String @shareable
        motto: String
      }
    `,
    resolvers: {
      Product: { __resolveReference: byId, name: () => 'Lamp', motto: () => 'Let there be light' },
    },
  },
};

/** Media as one subgraph knows them by their types, and the other as one kind of object. */
export const archive: Readonly<Record<string, HandSubgraph>> = {
  catalog: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        media: [Media!]!
        things: [Thing!]!
      }
      interface Thing {
        id: ID!
      }
      interface Media implements Thing @key(fields: "id") {
        id: ID!
        title: String
      }
      type Book implements Media & Thing @key(fields: "id") {
        id: ID!
        title: String
        pages: Int
      }
      type Film implements Media & Thing @key(fields: "id") {
        id: ID!
        title: String
        minutes: Int
      }
    `,
    resolvers: {
      Query: { media: bookAndFilm, things: bookAndFilm },
      Media: { __resolveReference: medium },
      Book: { __resolveReference: medium, pages: () => 300 },
      Film: { __resolveReference: medium, minutes: () => 90 },
    },
  },
  ratings: {
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        best: Media
        lost: Media
        every: [Media!]!
      }
      type Media @key(fields: "id") @interfaceObject {
        id: ID!
        title: String @external
        stars: Int
        price(used: Boolean): Int
        verdict: String @requires(fields: "title")
      }
    `,
    resolvers: {
      Query: {
        best: () => ({ id: 'f' }),
        lost: () => ({ id: 'gone' }),
        every: () => [{ id: 'b' }, { id: 'f' }],
      },
      Media: {
        __resolveReference: byId,
        stars: ({ id }: Reference) => id.length + 3,
        price: (_medium: Reference, { used }: { readonly used?: boolean }) => (used === true ? 1 : 10),
        verdict: ({ title }: { readonly title: string }) => `${title}: fine`,
      },
    },
  },
};

function bookAndFilm(): readonly unknown[] {
  return [medium({ id: 'b' }), medium({ id: 'f' })];
}

function medium({ id }: Reference): object | null {
  if (id === 'b') return { __typename: 'Book', id, title: 'Emma' };
  return id === 'f' ? { __typename: 'Film', id, title: 'Metropolis' } : null;
}
