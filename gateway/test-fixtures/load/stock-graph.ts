import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FEDERATION } from '../federation.ts';

/** Two subgraphs of a shop that answer from memory: what a request costs is the gateway's work. */
export interface StockGraph {
  readonly subgraphs: readonly { readonly name: string; readonly typeDefs: string; readonly url: string }[];
  /** A query of all articles and their stock, in two hops. */
  readonly query: string;
  close(): Promise<void>;
}

const ARTICLES = `${FEDERATION}
  type Query { articles(page: Int): [Article!]! }
  type Article @key(fields: "id") { id: ID! name: String! }`;

const STOCK = `${FEDERATION}
  type Article @key(fields: "id") { id: ID! stock: Int! shelf: Shelf! }
  type Shelf { row: Int! label: String! }`;

/** @param articles how many a query returns */
export async function startStockGraph(articles: number): Promise<StockGraph> {
  const ids = Array.from({ length: articles }, (_, index) => `article-${index}`);
  const named = ids.map((id) => ({ __typename: 'Article', id, name: `Name of ${id}` }));
  const stocked = ids.map((id, index) => ({
    __typename: 'Article',
    stock: index,
    shelf: { row: index, label: `Shelf of ${id}` },
  }));
  const servers = await Promise.all([
    serve(JSON.stringify({ data: { articles: named } })),
    serve(JSON.stringify({ data: { _entities: stocked } })),
  ]);
  const [first, second] = servers.map(urlOf);
  return {
    subgraphs: [
      { name: 'articles', typeDefs: ARTICLES, url: first ?? '' },
      { name: 'stock', typeDefs: STOCK, url: second ?? '' },
    ],
    query: 'query ($page: Int) { articles(page: $page) { id name stock shelf { row label } } }',
    async close() {
      await Promise.all(servers.map(closeServer));
    },
  };
}

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
