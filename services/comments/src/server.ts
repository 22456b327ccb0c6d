import type { ServiceClient } from '@trellis/subgraph-protocol';
import {
  buildSubgraphServer,
  createEventFeed,
  createMutations,
  type SubgraphDependencies,
  type SubgraphServer,
} from '@trellis/subgraph-kit';
import { createCommentLoader } from './comment-loader.ts';
import { createCommentStore } from './comment-store.ts';
import { commentAddedTopic } from './comment-topic.ts';
import type { SubgraphContext } from './context.ts';
import { addInternalRoutes } from './internal-routes.ts';
import { createKnownPostStore } from './known-post-store.ts';
import { createPostFinder } from './post-finder.ts';
import { resolvers } from './resolvers/index.ts';
import { viewerOf } from './viewer.ts';

/** What the comments subgraph needs beside what every subgraph has. */
export interface CommentsDependencies extends SubgraphDependencies {
  /** The posts service; undefined where it can't be asked. */
  readonly posts: ServiceClient | undefined;
}

/** Builds the comments subgraph over its database. It does not listen yet. */
export async function buildServer(dependencies: CommentsDependencies): Promise<SubgraphServer> {
  const { pool, staleReads, wakeRelay } = dependencies;
  const store = createCommentStore(pool, staleReads);
  const knownPosts = createKnownPostStore(pool);
  const postFinder = createPostFinder({ ...dependencies, knownPosts });
  const feed = createEventFeed({ ...dependencies, service: 'comments' });
  const commentAdded = feed.topic(commentAddedTopic(store));
  const server = await buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext, idempotencyKey, lastEventId }) => {
      const comments = createCommentLoader({ store, postFinder }, viewerOf(userContext));
      const onCommit = (): void => {
        comments.forget();
        wakeRelay();
      };
      const mutations = createMutations({ pool, idempotencyKey, onCommit, wrote: staleReads?.wrote });
      return { userContext, comments, knownPosts, postFinder, mutations, commentAdded, lastEventId };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
  server.addHook('preClose', () => feed.close());
  addInternalRoutes(server, dependencies, store);
  return server;
}
