import type { AddressInfo } from 'node:net';
import { createLogger, createMetrics } from '@trellis/runtime';
import { buildSubgraphServer } from '@trellis/subgraph-kit';
import type { UserContextVerifier } from '@trellis/subgraph-protocol';
import type { ForeignSubgraph } from './foreign-subgraphs.ts';
import { storePictures } from './store-pictures.ts';

/** The kit of this repository, with the resolvers of docs/uploads.md. */
export async function startKit(verifier: UserContextVerifier, folder: string): Promise<ForeignSubgraph> {
  const server = await buildSubgraphServer({
    logger: createLogger({ service: 'kit', destination: { write: () => undefined } }),
    metrics: createMetrics('kit'),
    verifier,
    typeDefs: new URL('kit-pictures.graphql', import.meta.url),
    resolvers: storePictures(folder),
    createContext: ({ userContext }) => ({ userContext }),
    development: true,
    uploads: {},
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/graphql`, close: () => server.close() };
}
