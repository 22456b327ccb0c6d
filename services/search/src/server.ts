import { buildSubgraphServer, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import { Counter } from 'prom-client';
import type { SubgraphContext } from './context.ts';
import { createNodeLoader } from './node-loader.ts';
import { createOwners, type OwnerClients } from './owners.ts';
import { resolvers } from './resolvers/index.ts';
import { createSearchIndex } from './search-index.ts';
import { createSearch } from './search.ts';

/** What the search subgraph needs beside what every subgraph has. */
export interface SearchDependencies extends SubgraphDependencies {
  readonly owners: OwnerClients;
}

/** Builds the search subgraph over its index. It does not listen yet. */
export function buildServer(dependencies: SearchDependencies): Promise<SubgraphServer> {
  const { pool, staleReads, logger, metrics } = dependencies;
  const owners = createOwners(dependencies.owners);
  const dropped = new Counter({
    name: 'trellis_search_dropped_hits_total',
    help: 'Search hits omitted, because their owner had deleted them or was unavailable.',
    registers: [metrics],
  });
  const search = createSearch({
    index: createSearchIndex(pool, staleReads),
    owners,
    logger,
    onDropped: (count) => dropped.inc(count),
  });
  return buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext }) => ({
      userContext,
      search,
      nodes: createNodeLoader(owners, userContext),
    }),
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
}
