import type { FastifyInstance } from 'fastify';
import type { GrantFeatures } from '../../grants/grant-features.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { authorized, parameterOf, required, type AuthorizedFeatures } from './admin-context.ts';

/** What the administration of grants works with. */
export type GrantApiFeatures = Pick<GrantFeatures, 'revoker'> & AuthorizedFeatures;

/** Ends a grant. */
export function addGrantAdministration(server: FastifyInstance, features: GrantApiFeatures): void {
  addEndpoint(server, '/grants/:id', {
    DELETE: authorized(features, 'auth:grants:write', async (request, reply) => {
      const wasLive = await features.revoker.revoke(parameterOf(request, 'id'), 'operator');
      required(wasLive ? true : undefined);
      return reply.status(204).send();
    }),
  });
}
