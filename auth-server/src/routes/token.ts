import type { FastifyInstance, FastifyRequest } from 'fastify';
import { missingParameter, OAuthError } from '../errors.ts';
import {
  grantHandlers,
  type GrantHandler,
  type TokenResponse,
  type GrantTypeFeatures,
} from '../grants/index.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import type { Parameters } from '../parameters.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { Client } from '../clients/client-store.ts';
import { authenticateRequest, type AuthenticateRequestFeatures } from './authenticate-request.ts';
import { paths } from '../paths.ts';
import { offerNonce, readProof, type ReadProofFeatures } from './read-proof.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';

/** What the token endpoint works with. */
export type TokenEndpointFeatures = HasClock &
  Pick<AuditFeatures, 'metrics'> &
  Pick<ClientFeatures, 'clients'> &
  AuthenticateRequestFeatures &
  ReadProofFeatures &
  GrantTypeFeatures;

/** The token endpoint. RFC 6749 §3.2 */
export function addTokenRoute(server: FastifyInstance, features: TokenEndpointFeatures): void {
  addEndpoint(
    server,
    paths.token,
    {
      POST: async (request, reply) => {
        offerNonce(request, reply, features);
        const parameters = formParameters(request);
        parameters.assertUnrepeated();
        const readKey = (client: Client): Promise<string | undefined> =>
          readProof(request, reply, paths.token, client, features);
        const response = await respondToTokenRequest(request, parameters, readKey, features);
        return reply
          .header('cache-control', 'no-store')
          .header('content-type', 'application/json; charset=utf-8')
          .send(formatTokenResponse(response));
      },
    },
    { cors: true },
  );
}

/** @param readKey verifies the proof, which costs more than anything else that anonymous callers can send: after the client */
async function respondToTokenRequest(
  request: FastifyRequest,
  parameters: Parameters,
  readKey: (client: Client) => Promise<string | undefined>,
  features: TokenEndpointFeatures,
): Promise<TokenResponse> {
  const grantType = parameters.get('grant_type');
  if (grantType === undefined) throw missingParameter('grant_type');
  const handler = grantHandlers.get(grantType);
  if (!handler) throw new OAuthError('unsupported_grant_type', 'The grant_type is not supported.');
  const receivedAt = nowS(features);
  const authenticated = await authenticateRequest(request, parameters, features);
  const presented: TokenBinding = {
    keyThumbprint: await readKey(authenticated),
    certificateThumbprint: features.clientCertificates.of(request)?.thumbprint,
  };
  // What is remembered of the client may be seconds old.
  const clientToday = (): Promise<Client> =>
    features.clients.findToday(authenticated).then((client) => {
      if (!client) throw clientRemoved();
      const problem = problemOf(client, handler, presented);
      if (problem) throw problem;
      return client;
    });
  // What is remembered of it may be out of date, and rejects nothing by itself.
  if (problemOf(authenticated, handler, presented)) await clientToday();
  const clientId = authenticated.metadata.client_id;
  const response = await handler.handle(
    { clientId, clientToday, parameters, presented, receivedAt, address: request.ip },
    features,
  );
  features.metrics.tokensIssued.inc({ grant_type: grantType });
  return response;
}

/**
 * The same text that `JSON.stringify` makes: that looks at each of more than a thousand characters of tokens, of which none has to
 * be escaped, because tokens are base64url and dots. RFC 7515 §2
 */
function formatTokenResponse(response: TokenResponse): string {
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, ...others } = response;
  let text = `{"access_token":"${accessToken}",`;
  if (refreshToken !== undefined) text += `"refresh_token":"${refreshToken}",`;
  if (idToken !== undefined) text += `"id_token":"${idToken}",`;
  return text + JSON.stringify(others).slice(1);
}

function problemOf(
  { metadata }: Client,
  { grantType }: Pick<GrantHandler<never>, 'grantType'>,
  { keyThumbprint, certificateThumbprint }: TokenBinding,
): OAuthError | undefined {
  if (!metadata.grant_types.includes(grantType)) {
    return new OAuthError('unauthorized_client', 'The client is not registered for this grant_type.');
  }
  if (metadata.dpop_bound_access_tokens && keyThumbprint === undefined) {
    const description = 'The client is registered for tokens that are bound to a key.';
    return new OAuthError('invalid_dpop_proof', description);
  }
  if (metadata.tls_client_certificate_bound_access_tokens && certificateThumbprint === undefined) {
    const description = 'The client is registered for tokens that are bound to its certificate.';
    return new OAuthError('invalid_request', description);
  }
  return undefined;
}

function clientRemoved(): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.', { detail: 'client was removed' });
}
