import { addEventRoutes } from '@trellis/events';
import { requireService } from '@trellis/service-calls';
import type { SubgraphDependencies, SubgraphServer } from '@trellis/subgraph-kit';
import { z } from 'zod';
import type { PostStore } from './post-store.ts';
import type { Viewer } from './post.ts';
import { readSnapshot } from './post-told.ts';

/** Services judge for themselves who may see what. */
const EVERYTHING: Viewer = { userId: null, seesAllDrafts: true };

const MAX_IDS = 1_000;
const findBody = z.object({ ids: z.array(z.uuid()).max(MAX_IDS) });

/** Adds the routes for other services: events, snapshot, and `POST /internal/posts`, who wrote which posts and are they published. */
export function addInternalRoutes(
  server: SubgraphServer,
  { pool, peers: { verifier } }: SubgraphDependencies,
  store: PostStore,
): void {
  addEventRoutes(server, {
    pool,
    verifier,
    readers: ['comments', 'search'],
    readSnapshot: (after, limit) => readSnapshot(store, after, limit),
  });
  const guarded = { preHandler: requireService(verifier, ['comments', 'search']) };
  server.post('/internal/posts', guarded, async ({ body }, reply) => {
    const wanted = findBody.safeParse(body);
    if (!wanted.success) return reply.status(400).send({ error: 'bad_body' });
    const posts = await store.findByIds(wanted.data.ids, EVERYTHING);
    return { posts: posts.map(({ id, authorId, published }) => ({ id, authorId, published })) };
  });
}
