import { gql } from 'graphql-tag';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';

/** Subgraphs of Federation 1: `extend type`, implicit sharing of value types, no @link. */
export const legacy: GraphDefinition = {
  name: 'legacy',
  subgraphs: [
    {
      name: 'users',
      typeDefs: gql`
        type Query {
          me: User
          everyone: [User!]!
        }
        type User @key(fields: "id") {
          id: ID!
          name: Name
          age: Int
          account: Account
        }
        type Name {
          first: String!
          last: String
        }
        union Account = Password | Sms
        type Password @key(fields: "email") {
          email: String!
          strength: Int
        }
        type Sms {
          number: String!
        }
      `,
    },
    {
      name: 'orders',
      typeDefs: gql`
        extend type Query {
          orders(first: Int = 2): [Order!]
        }
        type Order @key(fields: "number { value }") @key(fields: "id") {
          id: ID!
          number: OrderNumber!
          buyer: User
          lines: [Line!]!
          total: Float
        }
        type OrderNumber {
          value: Int!
        }
        type Line {
          product: Item!
          count: Int!
        }
        type Item @key(fields: "sku") {
          sku: String!
          weight: Int
          name: Name
        }
        type Name {
          first: String!
          last: String
        }
        extend type User @key(fields: "id") {
          id: ID! @external
          name: Name @external
          orders(open: Boolean = false): [Order!]
          greeting: String @requires(fields: "name { first last }")
        }
      `,
    },
    {
      name: 'shipping',
      typeDefs: gql`
        type Parcel @key(fields: "id") {
          id: ID!
          carrier: Carrier
          weight: Int!
        }
        enum Carrier {
          POST
          DRONE
        }
        extend type Item @key(fields: "sku") {
          sku: String! @external
          weight: Int @external
          fee(zone: Zone!): Int @requires(fields: "weight")
          parcels: [Parcel!]!
        }
        input Zone {
          code: Int!
          express: Boolean = false
        }
        extend type Order @key(fields: "id") {
          id: ID! @external
          parcel: Parcel
          eta: String
        }
        extend type Query {
          parcel(id: ID!): Parcel
        }
      `,
    },
  ],
};
