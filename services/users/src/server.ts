import {
  buildSubgraphServer,
  createMutations,
  type SubgraphDependencies,
  type SubgraphServer,
} from '@trellis/subgraph-kit';
import type { SubgraphContext } from './context.ts';
import { addInternalRoutes } from './internal-routes.ts';
import { createProfileLoader } from './profile-loader.ts';
import { createProfileProvisioner } from './profile-provisioner.ts';
import { createProfileStore } from './profile-store.ts';
import { resolvers } from './resolvers/index.ts';

/** Builds the users subgraph over its database. It does not listen yet. */
export async function buildServer(dependencies: SubgraphDependencies): Promise<SubgraphServer> {
  const { pool, logger, wakeRelay } = dependencies;
  const store = createProfileStore(pool);
  const provisioner = createProfileProvisioner(store, logger);
  const server = await buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: async ({ userContext, idempotencyKey }) => {
      if (userContext.user) await provisioner.provision(userContext.user);
      const profiles = createProfileLoader(store);
      const onCommit = (): void => {
        profiles.forget();
        wakeRelay();
      };
      return { userContext, store, profiles, mutations: createMutations({ pool, idempotencyKey, onCommit }) };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
  addInternalRoutes(server, dependencies, store);
  return server;
}
