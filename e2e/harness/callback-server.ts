import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a native client waits for its browser to come back (RFC 8252 §7.3). */
export interface CallbackServer {
  readonly redirectUri: string;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and answers a page that says so. */
export async function startCallbackServer(): Promise<CallbackServer> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Back</title><h1>Back</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
