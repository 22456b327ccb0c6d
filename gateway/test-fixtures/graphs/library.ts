import { gql } from 'graphql-tag';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';

/** Entity interfaces, `@interfaceObject`, `@override`, shared types, unions and enums that subgraphs know in part. */
export const library: GraphDefinition = {
  name: 'library',
  subgraphs: [
    {
      name: 'catalog',
      typeDefs: gql`
        extend schema
          @link(
            url: "https://specs.apollo.dev/federation/v2.9"
            import: ["@key", "@shareable", "@override", "@inaccessible", "@tag"]
          )
        type Query {
          media(kind: MediaKind): [Media!]!
          medium(id: ID!): Media
          featured: Featured @shareable
          featuredList: [Featured]
          shelf(number: Int!): Shelf
          everything: [Thing]
        }
        interface Thing {
          id: ID!
          label: String
        }
        interface Media implements Thing @key(fields: "id") {
          id: ID!
          title: String!
          label: String
          kind: MediaKind!
          publisher: Publisher
          series: Series
        }
        type Book implements Media & Thing @key(fields: "id") {
          id: ID!
          title: String!
          label: String
          kind: MediaKind!
          publisher: Publisher
          series: Series
          pages: Int!
          chapters: [Chapter!]!
        }
        type Film implements Media & Thing @key(fields: "id") {
          id: ID!
          title: String!
          label: String
          kind: MediaKind!
          publisher: Publisher
          series: Series
          minutes: Int
          cast: [User!]
        }
        type Game implements Media & Thing @key(fields: "id") {
          id: ID!
          title: String!
          label: String
          kind: MediaKind!
          publisher: Publisher
          series: Series
          players: Int
        }
        type Chapter {
          heading: String!
          length: Int!
          next: Chapter
        }
        type Series @key(fields: "code") {
          code: Int!
          title: String!
          entries: [Media!]!
        }
        type Publisher @key(fields: "id", resolvable: false) {
          id: ID!
        }
        type User @key(fields: "id") {
          id: ID!
          name: String! @override(from: "people")
          nickname: String @shareable
        }
        type Shelf @shareable {
          number: Int!
          room: String
          position: Position
        }
        type Position @shareable {
          x: Float!
          y: Float!
        }
        union Featured = Book | Film | User
        enum MediaKind {
          BOOK
          FILM
          GAME
        }
      `,
    },
    {
      name: 'people',
      typeDefs: gql`
        extend schema
          @link(
            url: "https://specs.apollo.dev/federation/v2.9"
            import: ["@key", "@shareable", "@provides", "@external", "@requires"]
          )
        type Query {
          people(first: Int = 3): [User!]!
          user(id: ID!): User
          shelf2(number: Int!): Shelf
          spotlight: Spotlight
          featured: Featured @shareable
        }
        type User @key(fields: "id") {
          id: ID!
          name: String!
          nickname: String @shareable
          born: Int
          works: [Work!]!
          mentor: User
          card: Card
        }
        type Card {
          number: String!
          owner: User!
          valid: Boolean
        }
        type Shelf @shareable {
          number: Int!
          room: String
          position: Position
        }
        type Position @shareable {
          x: Float!
          y: Float!
        }
        type Publisher @key(fields: "id") {
          id: ID!
          name: String!
          staff(limit: Int = 2): [User!]
          motto: String @requires(fields: "founded")
          founded: Int @external
        }
        union Spotlight = User | Publisher
        union Featured = Film | User | Publisher
        union Work = Book | Film
        type Book @key(fields: "id") {
          id: ID!
          author: User
        }
        type Film @key(fields: "id") {
          id: ID!
          director: User!
        }
      `,
    },
    {
      name: 'lending',
      typeDefs: gql`
        extend schema
          @link(
            url: "https://specs.apollo.dev/federation/v2.9"
            import: ["@key", "@interfaceObject", "@requires", "@external", "@shareable"]
          )
        type Query {
          onLoan: [Media!]!
          loans(of: ID): [Loan!]
        }
        type Mutation {
          lend(media: ID!, days: Int = 14): Loan
          giveBack(media: ID!): Media
        }
        type Media @key(fields: "id") @interfaceObject {
          id: ID!
          title: String! @external
          copies: Int!
          loans(open: Boolean): [Loan!]!
          popularity: Float @requires(fields: "title")
        }
        type Loan @key(fields: "id") {
          id: ID!
          media: Media!
          reader: User
          days: Int!
          state: LoanState
        }
        type User @key(fields: "id") {
          id: ID!
          debts: Float
          borrowed: [Media!]
        }
        enum LoanState {
          OPEN
          LATE
          RETURNED
        }
      `,
    },
    {
      name: 'ratings',
      typeDefs: gql`
        extend schema
          @link(
            url: "https://specs.apollo.dev/federation/v2.9"
            import: ["@key", "@shareable", "@interfaceObject"]
          )
        type Query {
          best: [Media!]
          things: [Thing!]
        }
        type Media @key(fields: "id") @interfaceObject {
          id: ID!
          stars: Float!
          quotes: [Quote!]!
        }
        interface Thing {
          id: ID!
          label: String
        }
        type Quote implements Thing {
          id: ID!
          label: String
          text: String!
          by: User
          about: Media
        }
        type User @key(fields: "id") {
          id: ID!
          quoted: [Quote!]!
        }
        type Series @key(fields: "code") {
          code: Int!
          average: Float
        }
        type Publisher @key(fields: "id") {
          id: ID!
          founded: Int
        }
      `,
    },
  ],
};
