import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, parse, validate, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';

/** A GraphQL request as it arrived. */
export interface ReceivedRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

/**
 * Answers in place of the schema: for subgraphs that misbehave.
 *
 * @param execute runs the request over the schema all the same
 * @returns whether it answered
 */
export type Interception = (
  request: ReceivedRequest,
  response: ServerResponse,
  execute: () => Promise<unknown>,
) => boolean | Promise<boolean>;

/** A subgraph over HTTP. */
export interface SubgraphServer {
  readonly url: string;
  /** In the order of arrival; emptied by the test. */
  readonly requests: ReceivedRequest[];
  intercept(interception: Interception | undefined): void;
  /** Gives every request the same response, until the next interception. @param status 200 by default */
  respondWith(body: string | Buffer, status?: number, headers?: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

/** Settings of {@link startSubgraphServer}. */
export interface SubgraphServerOptions {
  readonly schema: GraphQLSchema;
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown>;
  /** @default any free one */
  readonly port?: number;
}

const IDLE_MS = 300_000;

/** Starts a GraphQL server over a schema on a free port of the loopback address. */
export async function startSubgraphServer(options: SubgraphServerOptions): Promise<SubgraphServer> {
  const requests: ReceivedRequest[] = [];
  let interception: Interception | undefined;
  // A client that finds its idle connection closed reports a failure that no test asked for.
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (incoming, response) => {
    void answer(incoming, response);
  });

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(incoming);
    requests.push(received);
    const execute = (): Promise<unknown> => run(options, received);
    if (await interception?.(received, response, execute)) return;
    const result = await execute();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(result));
  };

  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    requests,
    intercept(next) {
      interception = next;
    },
    respondWith(body, status = 200, headers = {}) {
      interception = (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
        return true;
      };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    query: string;
    variables?: Record<string, unknown>;
  };
  return { query: body.query, variables: body.variables ?? {}, headers: incoming.headers };
}

async function run(
  { schema, fieldResolver }: SubgraphServerOptions,
  { query, variables }: ReceivedRequest,
): Promise<unknown> {
  const document = parse(query);
  const problems = validate(schema, document);
  if (problems.length > 0) return { errors: problems };
  return execute({ schema, document, variableValues: variables, ...(fieldResolver && { fieldResolver }) });
}
