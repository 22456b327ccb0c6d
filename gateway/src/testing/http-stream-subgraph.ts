import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A subscription that came by POST, which the test answers. */
export interface PostedSubscription {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly query: string; readonly extensions?: Readonly<Record<string, unknown>> };
  readonly response: ServerResponse;
  /** Whether the other side has disconnected. */
  isClosed(): boolean;
}

/** A subgraph that knows no WebSockets, and whose every byte is written by the test. */
export interface HttpStreamSubgraph {
  readonly url: string;
  /** Since the start or the last `forget()`. */
  readonly posted: readonly PostedSubscription[];
  /** How often a WebSocket was asked for. */
  upgrades(): number;
  /** With what upgrades are answered. */
  upgradeStatus: number;
  /** Answers a subscription at once; the test does so otherwise. */
  onPost: ((posted: PostedSubscription) => void) | undefined;
  forget(): void;
  close(): Promise<void>;
}

/** Starts one on a free port. */
export async function startHttpStreamSubgraph(): Promise<HttpStreamSubgraph> {
  const posted: PostedSubscription[] = [];
  let upgrades = 0;
  const server = createServer((request, response) => {
    if (request.headers.upgrade !== undefined) {
      upgrades += 1;
      response.writeHead(subgraph.upgradeStatus).end('not here');
      return;
    }
    void readText(request).then((text) => {
      let isClosed = false;
      response.once('close', () => (isClosed = true));
      const body = JSON.parse(text) as PostedSubscription['body'];
      const subscription = { headers: request.headers, body, response, isClosed: () => isClosed };
      posted.push(subscription);
      subgraph.onPost?.(subscription);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const subgraph: HttpStreamSubgraph = {
    url: `http://127.0.0.1:${port}/graphql`,
    posted,
    upgrades: () => upgrades,
    upgradeStatus: 200,
    onPost: undefined,
    forget() {
      posted.splice(0);
      upgrades = 0;
      subgraph.upgradeStatus = 200;
      subgraph.onPost = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return subgraph;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString('utf8');
}
