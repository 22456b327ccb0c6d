import { createSubgraphProgram, type Peers, type SubgraphProgram } from '@trellis/subgraph-kit';
import { startBackground } from './background.ts';
import { type SearchConfig, ownerVariables, sources, variables } from './config.ts';
import type { OwnerClients } from './owners.ts';
import { buildServer } from './server.ts';

/** The search subgraph as a program. */
export const search: SubgraphProgram<SearchConfig> = createSubgraphProgram<SearchConfig>({
  service: 'search',
  variables,
  migrations: new URL('../migrations/', import.meta.url),
  buildServer: (dependencies, config) =>
    buildServer({ ...dependencies, owners: clientsOf(dependencies.peers, config) }),
  startBackground,
});

function clientsOf({ client }: Peers, config: SearchConfig): OwnerClients {
  const entries = sources.flatMap((source) => {
    const url = config[ownerVariables[source]];
    return client && url !== undefined ? [[source, client(source, url)]] : [];
  });
  return Object.fromEntries(entries) as OwnerClients; // of such entries
}
