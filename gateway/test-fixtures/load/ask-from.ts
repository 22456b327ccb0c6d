import { Agent, request } from 'node:http';

/** What came back. */
export interface GraphResponse {
  readonly status: number;
  readonly text: string;
}

/** Asks a gateway from addresses of this machine: all of 127.0.0.0/8 are its own on Linux. */
export interface AddressedClient {
  /** Rejects when the connection ends without a response. */
  ask(query: string, localAddress: string): Promise<GraphResponse>;
  close(): void;
}

/** @param url of the gateway, without a path */
export function createAddressedClient(url: string): AddressedClient {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json' };
  return {
    ask: (query, localAddress) =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}/graphql`, { method: 'POST', agent, localAddress, headers });
        sent.on('error', reject).on('response', (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        });
        sent.end(JSON.stringify({ query }));
      }),
    close: () => agent.destroy(),
  };
}

/** Addresses of this machine, each in a /24 of its own. */
export function addressOf(network: number): string {
  return `127.${1 + Math.floor(network / 256)}.${network % 256}.1`;
}
