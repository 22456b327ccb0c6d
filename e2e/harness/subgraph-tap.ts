import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import { freePort } from '@trellis/testkit';

/** A request of the gateway to a subgraph. */
export interface TappedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** How the tap treats requests: hand them on, close the connection without a response, or answer something that is not GraphQL. */
export type TapBehaviour = 'forward' | 'drop' | 'garbage';

/** A reverse proxy between the gateway and one subgraph that remembers what went through. */
export interface SubgraphTap {
  /** The address given to the gateway instead of the subgraph's own. */
  readonly url: string;
  /** Since the last {@link SubgraphTap.forget}. */
  readonly requests: readonly TappedRequest[];
  forget(): void;
  behave(behaviour: TapBehaviour): void;
  /** Stops to listen: connections are refused, as by a subgraph that does not run. */
  close(): Promise<void>;
  /** Listens again at the same address. */
  reopen(): Promise<void>;
}

/** @param target the subgraph's endpoint, where no one needs to listen yet */
export async function tapSubgraph(target: string): Promise<SubgraphTap> {
  const requests: TappedRequest[] = [];
  let behaviour: TapBehaviour = 'forward';
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then((body) => {
      requests.push({ headers: incoming.headers, body });
      respond(behaviour, target, { incoming, outgoing, body });
    });
  });
  const port = await freePort(); // it stays free while the server is closed
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    requests,
    forget: () => requests.splice(0),
    behave: (next) => {
      behaviour = next;
    },
    close: () => close(server),
    reopen: () => listen(server, port),
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: string;
}

function respond(behaviour: TapBehaviour, target: string, exchange: Exchange): void {
  switch (behaviour) {
    case 'forward':
      forwardTo(target, exchange);
      break;
    case 'drop':
      exchange.outgoing.destroy();
      break;
    case 'garbage':
      exchange.outgoing.setHeader('content-type', 'text/html').end('<h1>Bad gateway</h1>');
      break;
    default:
      behaviour satisfies never;
  }
}

function forwardTo(target: string, { incoming, outgoing, body }: Exchange): void {
  const onward = forward(target, { method: incoming.method, headers: incoming.headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  onward.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
