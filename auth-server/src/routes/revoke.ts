import type { FastifyInstance } from 'fastify';
import { missingParameter, OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { verifyAccessToken } from '../tokens/verify-own-token.ts';
import { authenticateRequest, type AuthenticateRequestFeatures } from './authenticate-request.ts';
import { paths } from '../paths.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What revocation works with. */
export type RevocationFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<TokenFeatures, 'refreshTokens'> &
  Pick<GrantFeatures, 'grants' | 'revoker'> &
  AuthenticateRequestFeatures;

/**
 * Revocation: a token of either kind ends its whole grant. The hint about the kind isn't needed.
 *
 * @see RFC 7009 §2.1
 */
export function addRevokeRoute(server: FastifyInstance, features: RevocationFeatures): void {
  addEndpoint(
    server,
    paths.revoke,
    {
      POST: async (request, reply) => {
        const parameters = formParameters(request);
        parameters.assertUnrepeated();
        const client = await authenticateRequest(request, parameters, features);
        const token = parameters.get('token');
        if (token === undefined) throw missingParameter('token');
        const grantId = await grantToRevoke(token, client.metadata.client_id, features);
        if (grantId !== undefined) await features.revoker.revoke(grantId, 'revoked_by_client');
        // No one needs the body, but some clients read JSON whatever comes.
        return reply.header('cache-control', 'no-store').send({});
      },
    },
    { cors: true },
  );
}

/** Unknown tokens and those of other clients are left alone, and the response doesn't reveal it. */
async function grantToRevoke(
  token: string,
  clientId: string,
  features: RevocationFeatures,
): Promise<string | undefined> {
  const refreshToken = features.refreshTokens.decode(token);
  if (refreshToken) {
    const grant = await features.grants.find(refreshToken.grantId);
    return grant?.clientId === clientId ? refreshToken.grantId : undefined;
  }
  const { settings, keyring, clock } = features;
  const accessToken = await verifyAccessToken(token, { ...settings, keyring, clock });
  if (accessToken?.clientId !== clientId) return undefined;
  // Its grant is that of the token that it was exchanged for, which is another client's to end.
  if (accessToken.exchangedFrom.length > 0) throw exchangedToken();
  return accessToken.grantId;
}

/** RFC 7009 §2.2.1 */
function exchangedToken(): OAuthError {
  const description = 'An exchanged token ends with the token that it was exchanged for.';
  return new OAuthError('unsupported_token_type', description);
}
