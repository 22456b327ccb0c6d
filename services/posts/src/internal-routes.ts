import { addEventRoutes } from '@trellis/events';
import { addLookupRoute, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import type { PostStore } from './post-store.ts';
import { EVERYTHING } from './post.ts';
import { readSnapshot } from './publish-post.ts';

const readers = ['comments', 'search'];

/** Adds the routes for other services: events, snapshot, and `POST /internal/posts`, who wrote which posts and are they published. */
export function addInternalRoutes(
  server: SubgraphServer,
  { pool, peers: { verifier } }: SubgraphDependencies,
  store: PostStore,
): void {
  addEventRoutes(server, {
    pool,
    verifier,
    readers,
    readSnapshot: (after, limit) => readSnapshot(store, after, limit),
  });
  addLookupRoute(server, {
    things: 'posts',
    verifier,
    readers,
    find: async (ids) => {
      const posts = await store.findByIds(ids, EVERYTHING);
      return posts.map(({ id, authorId, published }) => ({ id, authorId, published }));
    },
  });
}
