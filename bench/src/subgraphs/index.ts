import { gql } from 'graphql-tag';
import { catalogue, products, reviews, users, type ProductRecord } from './catalogue.ts';
import { createSubgraph, type Subgraph } from './subgraph.ts';

const accounts = createSubgraph(
  'accounts',
  gql`
    type Query {
      me: User
      user(id: ID!): User
      users: [User]
    }
    type User @key(fields: "id") {
      id: ID!
      name: String
      username: String @shareable
    }
  `,
  {
    Query: {
      me: () => users[0],
      user: (_: unknown, { id }: { id: string }) => users.find((user) => user.id === id),
      users: () => users,
    },
    User: { __resolveReference: ({ id }: { id: string }) => users.find((user) => user.id === id) },
  },
);

const inventory = createSubgraph(
  'inventory',
  gql`
    type Product @key(fields: "upc") {
      upc: String!
      weight: Int @external
      price: Int @external
      inStock: Boolean
      shippingEstimate: Int @requires(fields: "price weight")
    }
  `,
  {
    Product: {
      __resolveReference: (reference: ProductRecord) => ({
        ...reference,
        inStock: products.find((product) => product.upc === reference.upc)?.inStock ?? true,
      }),
      shippingEstimate: ({ price, weight }: ProductRecord) => (price > 1_000 ? 0 : Math.round(weight * 0.5)),
    },
  },
);

const productsSubgraph = createSubgraph(
  'products',
  gql`
    type Query {
      topProducts(first: Int = 5): [Product]
      catalogue: [Product]
    }
    type Product @key(fields: "upc") {
      upc: String!
      name: String
      price: Int
      weight: Int
    }
  `,
  {
    Query: {
      topProducts: (_: unknown, { first }: { first: number }) => products.slice(0, first),
      catalogue: () => catalogue,
    },
    Product: {
      __resolveReference: ({ upc }: { upc: string }) => products.find((product) => product.upc === upc),
    },
  },
);

const reviewsSubgraph = createSubgraph(
  'reviews',
  gql`
    type Review @key(fields: "id") {
      id: ID!
      body: String
      author: User @provides(fields: "username")
      product: Product
    }
    type User @key(fields: "id") {
      id: ID!
      username: String @external
      numberOfReviews: Int
      reviews: [Review]
    }
    type Product @key(fields: "upc") {
      upc: String!
      reviews: [Review]
    }
  `,
  {
    Review: {
      __resolveReference: ({ id }: { id: string }) => reviews.find((review) => review.id === id),
      author: ({ authorId }: { authorId: string }) => users.find((user) => user.id === authorId),
      product: ({ productUpc }: { productUpc: string }) => ({ upc: productUpc }),
    },
    User: {
      __resolveReference: ({ id }: { id: string }) => ({
        id,
        username: users.find((user) => user.id === id)?.username,
      }),
      reviews: ({ id }: { id: string }) => reviews.filter((review) => review.authorId === id),
      numberOfReviews: ({ id }: { id: string }) => reviews.filter((review) => review.authorId === id).length,
    },
    Product: {
      __resolveReference: ({ upc }: { upc: string }) => ({ upc }),
      reviews: ({ upc }: { upc: string }) => reviews.filter((review) => review.productUpc === upc),
    },
  },
);

/** The four subgraphs that gateways are usually compared over. */
export const subgraphs: readonly Subgraph[] = [accounts, inventory, productsSubgraph, reviewsSubgraph];
