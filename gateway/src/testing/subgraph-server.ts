import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { graphql, type DocumentNode } from 'graphql';

/** What a subgraph was asked. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A subgraph as any team might run one: graphql-js behind node:http, with the federation fields. */
export interface SubgraphServer {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
  /** All requests since the start or the last `forget()`, oldest first. */
  readonly received: readonly ReceivedRequest[];
  /** How many requests their senders have aborted. */
  aborted(): number;
  forget(): void;
  close(): Promise<void>;
}

/** What {@link startSubgraph} serves. */
export interface SubgraphDefinition {
  readonly name: string;
  readonly typeDefs: DocumentNode;
  readonly resolvers: Parameters<typeof buildSubgraphSchema>[0] extends infer Input
    ? Input extends { resolvers?: infer Resolvers }
      ? Resolvers
      : never
    : never;
}

/** What each resolver gets beside its arguments. */
export interface SubgraphRequestContext {
  /** Its status may be set. */
  readonly response: ServerResponse;
}

/** Starts a subgraph on a free port. */
export async function startSubgraph({
  name,
  typeDefs,
  resolvers,
}: SubgraphDefinition): Promise<SubgraphServer> {
  const schema = buildSubgraphSchema({ typeDefs, resolvers });
  const received: ReceivedRequest[] = [];
  let givenUp = 0;
  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    if (!text.startsWith('{')) return void response.writeHead(400).end(); // a request with files
    const { query, variables } = JSON.parse(text) as {
      query: string;
      variables?: Record<string, unknown>;
    };
    response.once('close', () => {
      if (!response.writableFinished) givenUp += 1;
    });
    received.push({ headers: request.headers, query, variables: variables ?? {} });
    const context: SubgraphRequestContext = { response };
    const result = await graphql({
      schema,
      source: query,
      variableValues: variables,
      contextValue: context,
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(result));
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    name,
    url: `http://127.0.0.1:${port}/graphql`,
    typeDefs,
    received,
    aborted: () => givenUp,
    forget: () => void received.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString('utf8');
}
