import type { FastifyInstance } from 'fastify';
import type { JSONWebKeySet } from 'jose';
import { RESOURCE_METADATA_PATH, type ProtectedResource } from '../../identity/protected-resource.ts';

const METADATA_MAX_AGE_S = 300;

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
        .headers({
          'cache-control': `public, max-age=${METADATA_MAX_AGE_S}`,
          'access-control-allow-origin': '*',
        })
        .send(found.metadata);
    });
}

/** Where subgraphs find the keys that signed contexts are verified with. */
const CONTEXT_KEYS_PATH = '/.well-known/user-context-jwks.json';

const KEYS_MAX_AGE_S = 300;

/** Serves the public keys of the signed user context. RFC 7517 §5. */
export function addContextKeysRoute(server: FastifyInstance, keys: JSONWebKeySet): void {
  server.get(CONTEXT_KEYS_PATH, (_request, reply) =>
    reply
      .type('application/jwk-set+json')
      .header('cache-control', `public, max-age=${KEYS_MAX_AGE_S}`)
      .send(keys),
  );
}
