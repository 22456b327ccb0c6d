import {
  buildSubgraphServer,
  createMutations,
  type SubgraphDependencies,
  type SubgraphServer,
} from '@trellis/subgraph-kit';
import type { SubgraphContext } from './context.ts';
import { createProfileLoader } from './profile-loader.ts';
import { createProfileProvisioner } from './profile-provisioner.ts';
import { createProfileStore } from './profile-store.ts';
import { resolvers } from './resolvers/index.ts';

/** Builds the users subgraph over its database. It does not listen yet. */
export function buildServer(dependencies: SubgraphDependencies): Promise<SubgraphServer> {
  const { pool, logger } = dependencies;
  const store = createProfileStore(pool);
  const provisioner = createProfileProvisioner(store, logger);
  return buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: async ({ userContext, idempotencyKey }) => {
      if (userContext.user) await provisioner.provision(userContext.user);
      const profiles = createProfileLoader(store);
      const mutations = createMutations({ pool, idempotencyKey, onCommit: () => profiles.forget() });
      return { userContext, store, profiles, mutations };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
}
