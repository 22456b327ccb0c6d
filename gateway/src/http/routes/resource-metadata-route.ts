import type { FastifyInstance } from 'fastify';
import { RESOURCE_METADATA_PATH, type ProtectedResource } from '../../identity/protected-resource.ts';

const MAX_AGE_S = 300;

/**
 * Serves what clients have to know to get a token: for the address of the graph, and for its origin. RFC 9728 §3.
 *
 * @param resource the one in force now
 */
export function addResourceMetadataRoute(
  server: FastifyInstance,
  graphPath: string,
  resource: () => ProtectedResource | undefined,
): void {
  for (const path of [RESOURCE_METADATA_PATH, RESOURCE_METADATA_PATH + graphPath])
    server.get(path, (_request, reply) => {
      const found = resource();
      if (!found) return reply.callNotFound();
      return reply
        .headers({ 'cache-control': `public, max-age=${MAX_AGE_S}`, 'access-control-allow-origin': '*' })
        .send(found.metadata);
    });
}
