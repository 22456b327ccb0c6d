import { addEventRoutes } from '@trellis/events';
import { addLookupRoute, type SubgraphDependencies, type SubgraphServer } from '@trellis/subgraph-kit';
import { readSnapshot } from './profile-snapshot.ts';
import type { ProfileStore } from './profile-store.ts';

const readers = ['search'];

/** Adds the routes for other services: events, snapshot, and `POST /internal/users`, which profiles there are. */
export function addInternalRoutes(
  server: SubgraphServer,
  { pool, peers: { verifier } }: SubgraphDependencies,
  store: ProfileStore,
): void {
  addEventRoutes(server, {
    pool,
    verifier,
    readers,
    readSnapshot: (after, limit) => readSnapshot(store, after, limit),
  });
  addLookupRoute(server, {
    things: 'users',
    verifier,
    readers,
    find: async (ids) => (await store.findByIds(ids)).map(({ id }) => ({ id })),
  });
}
