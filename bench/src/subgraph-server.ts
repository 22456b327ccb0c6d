import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { graphql } from 'graphql';
import type { Subgraph } from './subgraphs/subgraph.ts';

/** A subgraph on a port of its own, that answers each distinct request from memory after the first time. */
export interface SubgraphServer {
  readonly name: string;
  readonly url: string;
  /** Requests answered since the start. */
  requestCount(): number;
  close(): Promise<void>;
}

/** What is measured is the gateway: so the responses cost the subgraphs next to nothing. */
export async function startSubgraphServer(subgraph: Subgraph, port = 0): Promise<SubgraphServer> {
  const responses = new Map<string, Buffer>();
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      count++;
      const known = responses.get(body) ?? (await answer(subgraph, body));
      if (responses.size < 10_000) responses.set(body, known);
      send(response, known);
    });
  });
  server.keepAliveTimeout = 120_000;
  const url = await listen(server, port);
  return {
    name: subgraph.name,
    url,
    requestCount: () => count,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function answer(subgraph: Subgraph, body: string): Promise<Buffer> {
  const { query, variables, operationName } = JSON.parse(body) as {
    query: string;
    variables?: Record<string, unknown>;
    operationName?: string;
  };
  const result = await graphql({
    schema: subgraph.schema,
    source: query,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return Buffer.from(JSON.stringify(result));
}

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        return reject(new Error('The server has no port.'));
      resolve(`http://127.0.0.1:${address.port}/graphql`);
    });
  });
}
