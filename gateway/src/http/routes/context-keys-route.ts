import type { FastifyInstance } from 'fastify';
import type { JSONWebKeySet } from 'jose';

/** Where subgraphs find the keys that signed contexts are verified with. */
export const CONTEXT_KEYS_PATH = '/.well-known/user-context-jwks.json';

const MAX_AGE_S = 300;

/** Serves the public keys of the signed user context. RFC 7517 §5. */
export function addContextKeysRoute(server: FastifyInstance, keys: JSONWebKeySet): void {
  server.get(CONTEXT_KEYS_PATH, (_request, reply) =>
    reply.type('application/jwk-set+json').header('cache-control', `public, max-age=${MAX_AGE_S}`).send(keys),
  );
}
