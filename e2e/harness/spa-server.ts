import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

/** A single-page application's own origin: an empty page with the library oidc-client-ts. */
export interface SpaServer {
  readonly origin: string;
  close(): Promise<void>;
}

const entry = createRequire(import.meta.url).resolve('oidc-client-ts');
const library = readFileSync(join(dirname(entry), '../browser/oidc-client-ts.min.js'), 'utf8');
const page =
  '<!doctype html><html lang="en"><title>App</title><h1>App</h1><script src="/oidc-client-ts.js"></script></html>';

/** Serves it on a port of 127.0.0.1. @param port 0 for any */
export async function startSpaServer(port: number): Promise<SpaServer> {
  const server = createServer((request, response) => {
    const isLibrary = request.url === '/oidc-client-ts.js';
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html');
    response.end(isLibrary ? library : page);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
