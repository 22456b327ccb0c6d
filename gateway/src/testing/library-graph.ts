import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from './subgraph-server.ts';

/** Two subgraphs of a small library that guards parts of itself in every way the federation knows. */
export interface LibraryGraph {
  readonly people: SubgraphServer;
  readonly books: SubgraphServer;
  readonly all: readonly SubgraphServer[];
  /** How many requests both have received. */
  requests(): number;
  forget(): void;
  close(): Promise<void>;
}

const LINK = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@external"
        "@requires"
        "@shareable"
        "@requiresScopes"
        "@policy"
        "@cost"
        { name: "@authenticated", as: "@login" }
      ]
    )
`;

const PEOPLE = gql`
  ${LINK}
  type Query {
    public: String!
    me: User @login
    user(id: ID!): User
    people(limit: Int = 20): [User!]!
    secrets: [Secret!]
    staff: User @policy(policies: [["role:ADMIN"], ["role:EDITOR", "vetted"]])
    fail: String
    echo(value: String, list: [Int!], input: EchoInput, kind: Kind): String
  }
  type Mutation {
    rename(id: ID!, name: String!): User
  }
  input EchoInput {
    name: String!
    tags: [String!]
    nested: EchoInput
  }
  enum Kind {
    ONE
    TWO
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
    email: String @requiresScopes(scopes: [["read:profile"], ["admin"]])
    clearance: Clearance
    friends(first: Int): [User!]!
  }
  enum Clearance @login {
    LOW
    HIGH
  }
  type Secret @requiresScopes(scopes: [["read:secret", "read:data"]]) {
    text: String!
  }
`;

const BOOKS = gql`
  ${LINK}
  type Query {
    books(first: Int = 10): [Book!]!
    shelf: [Item!]!
    search: [Found!]!
    finds: [Found]
  }
  interface Item {
    title: String!
    note: String
  }
  type Book implements Item @key(fields: "id") @cost(weight: 5) {
    id: ID!
    title: String!
    note: String @requiresScopes(scopes: [["read:notes"]])
    author: User!
  }
  type Map implements Item {
    title: String!
    note: String
  }
  type Vault @login {
    title: String!
  }
  union Found = Book | Map | Vault
  type User @key(fields: "id") {
    id: ID!
    email: String @external
    books: [Book!]!
    contact: String @requires(fields: "email") @requiresScopes(scopes: [["read:profile"], ["admin"]])
  }
`;

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly clearance: string;
}

const USERS: readonly User[] = ['Ada', 'Ed', 'Vi'].map((name, index) => ({
  id: `user-${index + 1}`,
  name,
  email: `${name.toLowerCase()}@example.com`,
  clearance: 'LOW',
}));

const ALL_BOOKS = Array.from({ length: 3 }, (_, index) => ({
  __typename: 'Book',
  id: `book-${index + 1}`,
  title: `Book ${index + 1}`,
  note: `note ${index + 1}`,
  author: { id: `user-${index + 1}` },
}));

const found = [ALL_BOOKS[0], { __typename: 'Map', title: 'Atlas' }, { __typename: 'Vault', title: 'Safe' }];

const findUser = ({ id }: { readonly id: string }): User | null =>
  USERS.find((user) => user.id === id) ?? null;

/** Starts both subgraphs on free ports. */
export async function startLibraryGraph(): Promise<LibraryGraph> {
  const people = await startSubgraph({
    name: 'people',
    typeDefs: PEOPLE,
    resolvers: {
      Query: {
        public: () => 'open to all',
        me: () => USERS[0],
        user: (_: unknown, args: { id: string }) => findUser(args),
        people: (_: unknown, { limit }: { limit: number }) => USERS.slice(0, limit),
        secrets: () => [{ text: 'hush' }],
        staff: () => USERS[1],
        fail: () => {
          throw new Error('connection to pg-7.internal rejected');
        },
        echo: (_: unknown, args: unknown) => JSON.stringify(args),
      },
      Mutation: { rename: (_: unknown, { id, name }: User) => ({ ...findUser({ id }), name }) },
      User: { __resolveReference: findUser, friends: () => [] },
    },
  });
  const books = await startSubgraph({
    name: 'books',
    typeDefs: BOOKS,
    resolvers: {
      Query: {
        books: (_: unknown, { first }: { first: number }) => ALL_BOOKS.slice(0, first),
        shelf: () => [ALL_BOOKS[0], { __typename: 'Map', title: 'Atlas', note: 'folds' }],
        search: () => found,
        finds: () => found,
      },
      User: {
        books: ({ id }: { id: string }) => ALL_BOOKS.filter((book) => book.author.id === id),
        contact: ({ email }: { email: string }) => `mailto:${email}`,
      },
    },
  });
  const all = [people, books];
  return {
    people,
    books,
    all,
    requests: () => people.received.length + books.received.length,
    forget: () => {
      for (const subgraph of all) subgraph.forget();
    },
    close: async () => {
      await Promise.all(all.map((subgraph) => subgraph.close()));
    },
  };
}
