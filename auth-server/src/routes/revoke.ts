import type { FastifyInstance } from 'fastify';
import { missingParameter } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import type { Services } from '../app/services.ts';
import { verifyAccessToken } from '../tokens/verify-own-token.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { paths } from '../http/paths.ts';
import type { RouteContext } from './route-context.ts';

/**
 * Revocation: a token of either kind ends its whole grant. The hint about the kind isn't needed.
 *
 * @see RFC 7009 §2.1
 */
export function addRevokeRoute(server: FastifyInstance, { services }: RouteContext): void {
  addEndpoint(
    server,
    paths.revoke,
    {
      POST: async (request, reply) => {
        const parameters = formParameters(request);
        parameters.assertUnrepeated();
        const client = await authenticateRequest(request, parameters, services);
        const token = parameters.get('token');
        if (token === undefined) throw missingParameter('token');
        const grantId = await grantToRevoke(token, client.metadata.client_id, services);
        if (grantId !== undefined) await services.revoker.revoke(grantId, 'revoked_by_client');
        // Nobody needs the body, but some clients read JSON whatever comes.
        return reply.header('cache-control', 'no-store').send({});
      },
    },
    { cors: true },
  );
}

/** Unknown tokens and those of other clients are left alone, and the answer doesn't tell. */
async function grantToRevoke(
  token: string,
  clientId: string,
  services: Services,
): Promise<string | undefined> {
  const refreshToken = services.refreshTokens.decode(token);
  if (refreshToken) {
    const grant = await services.grants.find(refreshToken.grantId);
    return grant?.clientId === clientId ? refreshToken.grantId : undefined;
  }
  const { settings, keyring, clock } = services;
  const accessToken = await verifyAccessToken(token, { ...settings, keyring, clock });
  return accessToken?.clientId === clientId ? accessToken.grantId : undefined;
}
