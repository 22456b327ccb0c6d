import { addEventRoutes } from '@trellis/events';
import { addLookupRoute, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import type { CommentStore } from './comment-store.ts';
import { readSnapshot } from './publish-comment.ts';
import type { Viewer } from './viewer.ts';

const readers = ['search'];

/** Sees what everybody sees. */
const ANYBODY: Viewer = { userId: null, isEditor: false };

/**
 * Adds the routes for other services: events, snapshot, `POST /internal/comments`, which comments everybody may see, and
 * `POST /internal/comment-places`, on which posts comments are, for services that judge for themselves who may see them.
 */
export function addInternalRoutes(
  server: SubgraphServer,
  { pool, peers: { verifier } }: SubgraphDependencies,
  store: CommentStore,
): void {
  addEventRoutes(server, {
    pool,
    verifier,
    readers,
    readSnapshot: (after, limit) => readSnapshot(store, after, limit),
  });
  addLookupRoute(server, {
    things: 'comments',
    verifier,
    readers,
    find: async (ids) => (await store.findByIds(ids, ANYBODY)).map(({ id }) => ({ id })),
  });
  addLookupRoute(server, {
    things: 'comment-places',
    verifier,
    readers,
    find: async (ids) =>
      (await store.findPlaced(ids)).map(({ comment, post: { authorId, published } }) => ({
        id: comment.id,
        post: { authorId, published },
      })),
  });
}
