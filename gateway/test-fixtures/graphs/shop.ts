import { gql } from 'graphql-tag';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';

const link = (...imports: string[]): string =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${imports.map((name) => `"${name}"`).join(', ')}])`;

/** Accounts, products, inventory and reviews: keys of several kinds, requirements, provided fields, unions. */
export const shop: GraphDefinition = {
  name: 'shop',
  subgraphs: [
    {
      name: 'accounts',
      typeDefs: gql`
        ${link('@key', '@shareable')}
        type Query {
          me: User
          users(first: Int = 3): [User!]!
          user(id: ID!): User
        }
        type User @key(fields: "id") @key(fields: "email") {
          id: ID!
          email: String!
          name: String
          username: String! @shareable
          birthDate(format: String = "iso"): String
          friends(first: Int): [User!]
          address: Address
        }
        type Address @shareable {
          street: String!
          city: String
          country: Country!
        }
        enum Country {
          CZ
          DE
          JP
        }
      `,
    },
    {
      name: 'products',
      typeDefs: gql`
        ${link('@key', '@shareable', '@tag', '@inaccessible')}
        type Query {
          topProducts(first: Int = 5): [Product!]!
          product(upc: String!): Product
          catalog: [CatalogItem!]!
          node(id: ID!): Node
        }
        interface Node {
          id: ID!
        }
        union CatalogItem = Book | Furniture | Bundle
        interface Product {
          upc: String!
          name: String
          price(currency: Currency = USD): Int
          dimensions: Dimensions
          secret: String @inaccessible
        }
        type Book implements Product & Node @key(fields: "upc") @key(fields: "id") {
          id: ID!
          upc: String!
          name: String
          price(currency: Currency = USD): Int
          dimensions: Dimensions
          secret: String @inaccessible
          pages: Int!
          authors: [String!]!
          related: [Product!]
        }
        type Furniture implements Product @key(fields: "upc") {
          upc: String!
          name: String
          price(currency: Currency = USD): Int
          dimensions: Dimensions
          secret: String @inaccessible
          materials: [[String!]!]!
          set: Bundle
        }
        type Bundle @key(fields: "code brand { id }") {
          code: String!
          brand: Brand!
          title: String!
          items: [CatalogItem!]!
        }
        type Brand @key(fields: "id") {
          id: ID!
          label: String
        }
        type Dimensions @shareable {
          size: Int!
          weight: Float
        }
        enum Currency {
          USD
          EUR
        }
      `,
    },
    {
      name: 'inventory',
      typeDefs: gql`
        ${link('@key', '@requires', '@external', '@shareable')}
        type Book @key(fields: "upc") {
          upc: String!
          price(currency: Currency = USD): Int @external
          dimensions: Dimensions @external
          inStock: Boolean!
          warehouse: Warehouse
          shipping(zone: Int! = 1): Int @requires(fields: "price(currency: EUR) dimensions { size weight }")
          priceTag: String @requires(fields: "price(currency: USD)")
        }
        type Furniture @key(fields: "upc") {
          upc: String!
          dimensions: Dimensions @external
          inStock: Boolean
          shipping(zone: Int! = 1): Int @requires(fields: "dimensions { size }")
        }
        type Bundle @key(fields: "code brand { id }") {
          code: String!
          brand: Brand!
          available: Int!
        }
        type Brand @key(fields: "id") {
          id: ID!
          suppliers: [String!]
        }
        type Dimensions @shareable {
          size: Int!
          weight: Float
        }
        type Warehouse @key(fields: "id") {
          id: ID!
          city: String!
          stock(of: [ID!]): Int
        }
        enum Currency {
          USD
          EUR
        }
        type Query {
          warehouses: [Warehouse!]
        }
      `,
    },
    {
      name: 'reviews',
      typeDefs: gql`
        ${link('@key', '@requires', '@external', '@provides', '@shareable')}
        type Query {
          latestReviews(filter: ReviewFilter): [Review!]!
          search(text: String): [SearchResult]
        }
        type Mutation {
          addReview(input: ReviewInput!): Review
          removeReview(id: ID!): Boolean!
        }
        input ReviewFilter {
          stars: Int = 3
          tags: [String!]
        }
        input ReviewInput {
          body: String!
          stars: Int
        }
        union SearchResult = User | Book | Review
        type Review @key(fields: "id") {
          id: ID!
          body: String
          stars: Int!
          author: User @provides(fields: "username")
          product: Product
          replies: [Review!]!
        }
        type User @key(fields: "id") {
          id: ID!
          username: String! @external
          name: String @external
          reviews(first: Int): [Review!]!
          reputation: Float @requires(fields: "name username")
        }
        interface Product {
          upc: String!
          reviews: [Review!]
        }
        type Book implements Product @key(fields: "upc") {
          upc: String!
          reviews: [Review!]
          rating: Float!
        }
        type Furniture implements Product @key(fields: "upc") {
          upc: String!
          reviews: [Review!]
        }
      `,
    },
  ],
};
