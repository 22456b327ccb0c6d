import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse, print, type DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { FEDERATION } from '../federation.ts';

/** Three subgraphs of a shop that answer from memory: what a request costs is the gateway's work. */
export interface StockGraph {
  readonly subgraphs: readonly {
    readonly name: string;
    readonly typeDefs: DocumentNode;
    readonly url: string;
  }[];
  /** A query of all articles, their stock and their shelves, in three hops. */
  readonly query: string;
  close(): Promise<void>;
}

/** How large it is, and whether it is guarded. */
export interface StockGraphOptions {
  /** How many articles a query returns. */
  readonly articles: number;
  /** Whether its fields need a scope of the caller's token, `read:data`. @default false */
  readonly guarded?: boolean;
}

/** Starts the subgraphs on free ports. */
export async function startStockGraph({ articles, guarded = false }: StockGraphOptions): Promise<StockGraph> {
  const ids = Array.from({ length: articles }, (_, index) => `article-${index}`);
  const named = ids.map((id) => ({ __typename: 'Article', id, name: `Name of ${id}` }));
  const stocked = ids.map((id, index) => ({
    __typename: 'Article',
    stock: index,
    shelf: { __typename: 'Shelf', id: `shelf of ${id}` },
  }));
  const shelves = ids.map((id, row) => ({ __typename: 'Shelf', row, label: `Shelf of ${id}` }));
  const responses = { articles: named, stock: { _entities: stocked }, shelves: { _entities: shelves } };
  const servers = await Promise.all([
    serve(JSON.stringify({ data: { articles: responses.articles } })),
    serve(JSON.stringify({ data: responses.stock })),
    serve(JSON.stringify({ data: responses.shelves })),
  ]);
  const urls = servers.map(urlOf);
  return {
    subgraphs: SCHEMAS.map(({ name, typeDefs }, index) => ({
      name,
      typeDefs: guarded ? guard(typeDefs) : typeDefs,
      url: urls[index] ?? '',
    })),
    query: 'query ($page: Int) { articles(page: $page) { id name stock shelf { row label } } }',
    async close() {
      await Promise.all(servers.map(closeServer));
    },
  };
}

const SCHEMAS: readonly { readonly name: string; readonly typeDefs: DocumentNode }[] = [
  {
    name: 'articles',
    typeDefs: gql`
      ${FEDERATION}
      type Query {
        articles(page: Int): [Article!]!
      }
      type Article @key(fields: "id") {
        id: ID!
        name: String!
      }
    `,
  },
  {
    name: 'stock',
    typeDefs: gql`
      ${FEDERATION}
      type Article @key(fields: "id") {
        id: ID!
        stock: Int!
        shelf: Shelf!
      }
      type Shelf @key(fields: "id", resolvable: false) {
        id: ID!
      }
    `,
  },
  {
    name: 'shelves',
    typeDefs: gql`
      ${FEDERATION}
      type Shelf @key(fields: "id") {
        id: ID!
        row: Int!
        label: String!
      }
    `,
  },
];

function guard(typeDefs: DocumentNode): DocumentNode {
  const importing = print(typeDefs).replace('"@key"', '"@key", "@requiresScopes"');
  return parse(
    importing.replaceAll(
      /(?:articles\(page: Int\): \[Article!\]!|stock: Int!|label: String!)/g,
      `$& ${SCOPES}`,
    ),
  );
}

const SCOPES = '@requiresScopes(scopes: [["read:data"]])';

async function serve(body: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function urlOf(server: Server): string {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}/graphql`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
