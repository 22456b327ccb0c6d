import type { FastifyInstance, FastifyRequest } from 'fastify';
import { missingParameter, OAuthError } from '../errors.ts';
import { grantHandlers, type GrantHandler, type TokenResponse } from '../grants/index.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import type { Parameters } from '../parameters.ts';
import { nowS } from '../clock.ts';
import type { Services } from '../app/services.ts';
import type { Client } from '../clients/client-store.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { paths } from '../http/paths.ts';
import { offerNonce, readProof } from './read-proof.ts';
import type { RouteContext } from './route-context.ts';

/** The token endpoint. RFC 6749 §3.2 */
export function addTokenRoute(server: FastifyInstance, { services }: RouteContext): void {
  addEndpoint(
    server,
    paths.token,
    {
      POST: async (request, reply) => {
        offerNonce(request, reply, services);
        const parameters = formParameters(request);
        parameters.assertUnrepeated();
        const readKey = (): Promise<string | undefined> => readProof(request, reply, paths.token, services);
        const answer = await answerTokenRequest(request, parameters, readKey, services);
        return reply.header('cache-control', 'no-store').send(answer);
      },
    },
    { cors: true },
  );
}

/** @param readKey verifies the proof, which costs more than anything else that strangers can send: after the client */
async function answerTokenRequest(
  request: FastifyRequest,
  parameters: Parameters,
  readKey: () => Promise<string | undefined>,
  services: Services,
): Promise<TokenResponse> {
  const grantType = parameters.get('grant_type');
  if (grantType === undefined) throw missingParameter('grant_type');
  const handler = grantHandlers.get(grantType);
  if (!handler) throw new OAuthError('unsupported_grant_type', 'The grant_type is not supported.');
  const receivedAt = nowS(services);
  const authenticated = await authenticateRequest(request, parameters, services);
  const keyThumbprint = await readKey();
  const clientToday = async (): Promise<Client> => {
    const client = await findToday(authenticated, services);
    const problem = problemOf(client, handler, keyThumbprint);
    if (problem) throw problem;
    return client;
  };
  // What is remembered of it may be out of date, and refuses nothing by itself.
  if (problemOf(authenticated, handler, keyThumbprint)) await clientToday();
  const clientId = authenticated.metadata.client_id;
  const answer = await handler.handle(
    { clientId, clientToday, parameters, keyThumbprint, receivedAt, address: request.ip },
    services,
  );
  services.metrics.tokensIssued.inc({ grant_type: grantType });
  return answer;
}

function problemOf(
  { metadata }: Client,
  { grantType }: GrantHandler,
  keyThumbprint: string | undefined,
): OAuthError | undefined {
  if (!metadata.grant_types.includes(grantType)) {
    return new OAuthError('unauthorized_client', 'The client is not registered for this grant_type.');
  }
  if (!metadata.dpop_bound_access_tokens || keyThumbprint !== undefined) return undefined;
  const description = 'The client is registered for tokens that are bound to a key.';
  return new OAuthError('invalid_dpop_proof', description);
}

/** The client as it is registered now: the one that authenticated may be remembered from seconds ago. */
async function findToday(authenticated: Client, { clients }: Services): Promise<Client> {
  const client = await clients.findToday(authenticated);
  if (client) return client;
  throw new OAuthError('invalid_client', 'Client authentication failed.', { detail: 'client was removed' });
}
