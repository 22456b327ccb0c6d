import {
  buildSubgraphServer,
  createEventFeed,
  createMutations,
  type SubgraphDependencies,
  type SubgraphServer,
} from '@trellis/subgraph-kit';
import type { SubgraphContext } from './context.ts';
import { addInternalRoutes } from './internal-routes.ts';
import { createPostLoader } from './post-loader.ts';
import { createPostStore } from './post-store.ts';
import { viewerOf } from './post.ts';
import { postCreatedTopic } from './post-topic.ts';
import { resolvers } from './resolvers/index.ts';

/** Builds the posts subgraph over its database. It does not listen yet. */
export async function buildServer(dependencies: SubgraphDependencies): Promise<SubgraphServer> {
  const { pool, staleReads, wakeRelay } = dependencies;
  const store = createPostStore(pool, staleReads);
  const feed = createEventFeed({ ...dependencies, service: 'posts' });
  const postCreated = feed.topic(postCreatedTopic(store));
  const server = await buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext, idempotencyKey, lastEventId }) => {
      const posts = createPostLoader(store, viewerOf(userContext));
      const onCommit = (): void => {
        posts.forget();
        wakeRelay();
      };
      const mutations = createMutations({ pool, idempotencyKey, onCommit, wrote: staleReads?.wrote });
      return { userContext, posts, mutations, postCreated, lastEventId };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
  server.addHook('preClose', () => feed.close());
  addInternalRoutes(server, dependencies, store);
  return server;
}
