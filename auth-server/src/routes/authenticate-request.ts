import type { FastifyRequest } from 'fastify';
import { authenticateClient } from '../clients/authentication/index.ts';
import { OAuthError } from '../errors.ts';
import { budgetOfRequest } from '../http/request-limits.ts';
import type { Parameters } from '../parameters.ts';
import type { Services } from '../app/services.ts';
import type { Client } from '../clients/client-store.ts';

/**
 * Finds out which client sent a request. One that proves it pays for its requests itself; one that fails to costs its
 * network more.
 *
 * @throws OAuthError invalid_client, too_many_requests
 */
export async function authenticateRequest(
  request: FastifyRequest,
  parameters: Parameters,
  services: Services,
): Promise<Client> {
  const { requestLimits } = services;
  const { ip: address, headers } = request;
  const budget = budgetOfRequest(request);
  const sender = { authorization: headers.authorization, address };
  const client = await authenticateClient(sender, parameters, services).catch((error: unknown) => {
    if (error instanceof OAuthError && error.code === 'invalid_client') {
      requestLimits.chargeFailure(budget, address);
    }
    throw error;
  });
  const { token_endpoint_auth_method: method, client_id: clientId } = client.metadata;
  if (method !== 'none') requestLimits.chargeClient(budget, address, clientId);
  return client;
}
