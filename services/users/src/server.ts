import {
  buildSubgraphServer,
  createEventFeed,
  createMutations,
  type SubgraphDependencies,
  type SubgraphServer,
} from '@trellis/subgraph-kit';
import type { SubgraphContext } from './context.ts';
import { addInternalRoutes } from './internal-routes.ts';
import { createPresenceSet, PRESENCE_STREAM } from './presence/presence-set.ts';
import { statusTopic } from './presence/status-topic.ts';
import { createProfileLoader } from './profile-loader.ts';
import { createProfileProvisioner } from './profile-provisioner.ts';
import { createProfileStore } from './profile-store.ts';
import { resolvers } from './resolvers/index.ts';

/** What the users subgraph needs beside what every subgraph has. */
export interface UsersDependencies extends SubgraphDependencies {
  /** Milliseconds for which a user is online after having been seen. @default 60_000 */
  readonly presenceWindowMs?: number;
}

/** Builds the users subgraph over its database. It does not listen yet. */
export async function buildServer(dependencies: UsersDependencies): Promise<SubgraphServer> {
  const { pool, logger, metrics, wakeRelay, connectRedis, presenceWindowMs = 60_000 } = dependencies;
  const store = createProfileStore(pool);
  const provisioner = createProfileProvisioner(store, logger);
  const presence = connectRedis && createPresenceSet(connectRedis(), presenceWindowMs);
  const feed = createEventFeed({ service: PRESENCE_STREAM, connectRedis, logger, metrics });
  const userStatusChanged = feed.topic(statusTopic(store));
  const server = await buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: async ({ userContext, idempotencyKey, lastEventId }) => {
      if (userContext.user) await provisioner.provision(userContext.user);
      const profiles = createProfileLoader(store);
      const onCommit = (): void => {
        profiles.forget();
        wakeRelay();
      };
      const mutations = createMutations({ pool, idempotencyKey, onCommit });
      return { userContext, store, profiles, mutations, presence, userStatusChanged, lastEventId };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
  server.addHook('preClose', () => feed.close());
  addInternalRoutes(server, dependencies, store);
  return server;
}
