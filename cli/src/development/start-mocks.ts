import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mockSubgraph, type MockedSubgraph } from './mock-subgraph.ts';

/** Servers of subgraphs that do not run. */
export interface Mocks {
  /** Where a subgraph is mocked. */
  urlOf(name: string): string;
  /** Mocks a subgraph by its schema, or follows a change of it. A schema that is no schema leaves the one before. */
  set(name: string, sdl: string): void;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_000_000;

/**
 * Listens at a loopback address for requests to mocked subgraphs.
 *
 * @throws Error when it can't listen
 */
export async function startMocks(): Promise<Mocks> {
  const subgraphs = new Map<string, LatestMock>();
  const server = createServer((request, response) => {
    void respond(subgraphs, request, response).catch((error: unknown) => {
      send(response, 400, { errors: [{ message: error instanceof Error ? error.message : String(error) }] });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    set: (name, sdl) => {
      const mock = subgraphs.get(name) ?? new LatestMock();
      subgraphs.set(name, mock);
      mock.follow(sdl);
    },
    close: () => closeServer(server),
  };
}

/** A mocked subgraph that is built for the first request after a change: a developer waits for what is done before a supergraph serves. */
class LatestMock {
  #sdl = '';
  #isBuilt = true;
  #mocked: MockedSubgraph | undefined;

  follow(sdl: string): void {
    if (sdl === this.#sdl) return;
    [this.#sdl, this.#isBuilt] = [sdl, false];
  }

  /** The one before where the newest text is no schema; nothing where there was none. */
  current(): MockedSubgraph | undefined {
    if (!this.#isBuilt) this.#mocked = mockSubgraph(this.#sdl) ?? this.#mocked;
    this.#isBuilt = true;
    return this.#mocked;
  }
}

async function respond(
  subgraphs: ReadonlyMap<string, LatestMock>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const subgraph = subgraphs.get(decodeURIComponent((request.url ?? '/').slice(1)))?.current();
  if (!subgraph) return send(response, 404, { errors: [{ message: 'No such subgraph is mocked.' }] });
  const body: unknown = JSON.parse(await readBody(request));
  send(response, 200, await subgraph.execute(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`A request has at most ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
