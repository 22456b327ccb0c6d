import type { FastifyInstance } from 'fastify';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import type { KeyFeatures } from '../../keys/key-features.ts';
import { rotateSigningKeys } from '../../keys/signing-keys.ts';
import { authorized, type AuthorizedFeatures } from './admin-context.ts';

/** What the administration of keys works with. */
export type KeyApiFeatures = KeyFeatures & Pick<AuditFeatures, 'audit'> & AuthorizedFeatures;

/** Lists the signing keys and rotates them. */
export function addKeyAdministration(server: FastifyInstance, features: KeyApiFeatures): void {
  const { signingKeys } = features;
  addEndpoint(server, '/keys', {
    GET: authorized(features, 'auth:keys:read', async (_request, reply) => {
      const keys = (await signingKeys.store.list()).map(({ kid, algorithm, state, createdAt }) => ({
        kid,
        algorithm,
        state,
        created_at: Math.floor(createdAt / 1000),
      }));
      return reply.send({ keys });
    }),
  });
  addEndpoint(server, '/keys/rotate', {
    POST: authorized(features, 'auth:keys:write', async (_request, reply, by) => {
      const { activated, waitS } = await rotateSigningKeys(signingKeys, false);
      if (activated.length > 0) features.audit.record({ event: 'keys_rotated', kids: activated, by });
      await features.keyring.reload();
      return reply.status(waitS > 0 ? 202 : 200).send({ activated, wait_seconds: waitS });
    }),
  });
}
