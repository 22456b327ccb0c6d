import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A subgraph of another make, as far as it is asked for its schema. */
export interface SdlServer {
  readonly url: string;
  /** Of the requests that it got. */
  readonly headers: IncomingHttpHeaders[];
  close(): Promise<void>;
}

/** Starts a subgraph that runs with a schema. @param status of its responses. @default 200 */
export async function startSdlServer(sdl: string, status = 200, location?: string): Promise<SdlServer> {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(status, {
      'content-type': 'application/json',
      connection: 'close',
      ...(location !== undefined && { location }),
    });
    response.end(JSON.stringify({ data: { _service: { sdl } } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    headers,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
