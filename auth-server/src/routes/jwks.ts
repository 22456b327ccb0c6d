import type { FastifyInstance } from 'fastify';
import { addEndpoint } from '../http/endpoint.ts';
import { paths } from '../paths.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { HasSettings } from '../settings/settings.ts';

/** What the key set works with. */
export type JwksFeatures = HasSettings & Pick<KeyFeatures, 'keyring'>;

/** The public keys. RFC 7517 §5 */
export function addJwksRoute(server: FastifyInstance, features: JwksFeatures): void {
  const cacheControl = `public, max-age=${features.settings.keySetMaxAgeS}`;
  addEndpoint(
    server,
    paths.jwks,
    { GET: (_request, reply) => reply.header('cache-control', cacheControl).send(features.keyring.jwks) },
    { cors: true },
  );
}
