import type { FastifyRequest } from 'fastify';
import { authenticateClient, type AuthenticateClientFeatures } from '../clients/authentication/index.ts';
import { OAuthError } from '../errors.ts';
import { budgetOfRequest } from '../http/request-limits.ts';
import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import type { HttpFeatures } from '../http/http-features.ts';

/** What identifies the client that sent a request. */
export type AuthenticateRequestFeatures = Pick<HttpFeatures, 'clientCertificates' | 'requestLimits'> &
  AuthenticateClientFeatures;

/**
 * Finds out which client sent a request. One that proves it pays for its requests itself; one that fails to costs its
 * network more.
 *
 * @throws OAuthError invalid_client, too_many_requests
 */
export async function authenticateRequest(
  request: FastifyRequest,
  parameters: Parameters,
  features: AuthenticateRequestFeatures,
): Promise<Client> {
  const { requestLimits } = features;
  const { ip: address, headers } = request;
  const budget = budgetOfRequest(request);
  const certificate = features.clientCertificates.of(request)?.der;
  const sender = { authorization: headers.authorization, address, certificate };
  let client: Client;
  try {
    client = await authenticateClient(sender, parameters, features);
  } catch (error) {
    if (error instanceof OAuthError && error.code === 'invalid_client') {
      requestLimits.chargeFailure(budget, address);
    }
    throw error;
  }
  const { token_endpoint_auth_method: method, client_id: clientId } = client.metadata;
  if (method !== 'none') requestLimits.chargeClient(budget, address, clientId);
  return client;
}
