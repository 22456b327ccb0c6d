import { addEventRoutes } from '@trellis/events';
import { addLookupRoute, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import type { CommentStore } from './comment-store.ts';
import { readSnapshot } from './publish-comment.ts';
import type { Viewer } from './viewer.ts';

const readers = ['search'];

/** Sees what everybody sees. */
const ANYBODY: Viewer = { userId: null, isEditor: false };

/** Adds the routes for other services: events, snapshot, and `POST /internal/comments`, which comments everybody may see. */
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
}
