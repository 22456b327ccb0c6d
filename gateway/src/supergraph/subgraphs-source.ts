import type { SubgraphEndpoint } from './supergraph.ts';
import type { SupergraphSource } from './supergraph-source.ts';

/**
 * A supergraph composed from what running subgraphs say of themselves. For development: in production a supergraph is
 * composed before it is deployed, and a subgraph that is down keeps nobody from starting.
 */
export function createSubgraphsSource(subgraphs: readonly SubgraphEndpoint[]): SupergraphSource {
  return {
    description: `the subgraphs ${subgraphs.map(({ name }) => name).join(', ')}`,
    async read(signal) {
      const { IntrospectAndCompose, RemoteGraphQLDataSource } = await loadComposer();
      signal.throwIfAborted();
      const composer = new IntrospectAndCompose({ subgraphs: [...subgraphs] });
      const { supergraphSdl, cleanup } = await composer.initialize({
        update: () => {},
        healthCheck: () => Promise.resolve(),
        getDataSource: ({ url }) => new RemoteGraphQLDataSource({ url: url ?? '' }),
      });
      await cleanup();
      return supergraphSdl;
    },
  };
}

/** Loaded only where it is used: it is large, and it reports home unless told not to before it is loaded. */
async function loadComposer(): Promise<typeof import('@apollo/gateway')> {
  // oxlint-disable-next-line node/no-process-env -- a library reads it; it has no other switch
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
  return import('@apollo/gateway');
}
