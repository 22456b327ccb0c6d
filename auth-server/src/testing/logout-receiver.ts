import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A client's endpoint for logout notifications. */
export interface LogoutReceiver {
  readonly url: string;
  /** The logout tokens that came, in order. */
  readonly tokens: readonly string[];
  close(): Promise<void>;
}

/** Starts one. @param statusOf the status of each response, by how many came before */
export async function startLogoutReceiver(statusOf: (index: number) => number): Promise<LogoutReceiver> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      response.statusCode = statusOf(tokens.length);
      response.setHeader('location', 'http://127.0.0.1:1/elsewhere');
      tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/logged-out`,
    tokens,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
