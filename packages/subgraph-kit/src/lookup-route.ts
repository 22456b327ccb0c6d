import { requireService, type ServiceTokenVerifier } from '@trellis/subgraph-protocol';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/** What {@link addLookupRoute} serves. */
export interface LookupRouteOptions {
  /** What is looked up, in the plural: the last part of the path, and the member of the response. */
  readonly things: string;
  readonly verifier: ServiceTokenVerifier;
  /** The services that may ask. */
  readonly readers: readonly string[];
  /** @returns what there is to say of those that exist, in any order */
  readonly find: (ids: readonly string[]) => Promise<readonly object[]>;
}

const MAX_IDS = 1_000;
const lookupBody = z.object({ ids: z.array(z.guid()).max(MAX_IDS) });

/** Adds `POST /internal/<things>` with `{"ids": […]}`, by which other services ask about up to 1,000 things at once. */
export function addLookupRoute(server: FastifyInstance, options: LookupRouteOptions): void {
  const { things, verifier, readers, find } = options;
  const guarded = { preHandler: requireService(verifier, readers) };
  server.post(`/internal/${things}`, guarded, async ({ body }, reply) => {
    const wanted = lookupBody.safeParse(body);
    if (!wanted.success) return reply.status(400).send({ error: 'bad_body' });
    return { [things]: await find(wanted.data.ids) };
  });
}
