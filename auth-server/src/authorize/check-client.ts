import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Client } from '../clients/client-store.ts';

/**
 * Finds the client of an authorization request.
 *
 * @throws OAuthError that no redirect may carry. RFC 6749 §4.1.2.1
 */
export async function checkClient(parameters: Parameters, clients: ClientRegistry): Promise<Client> {
  const clientId = parameters.get('client_id');
  if (parameters.isRepeated('client_id') || clientId === undefined) {
    throw new OAuthError('invalid_request', 'The client_id is missing or sent twice.', { redirect: false });
  }
  const client = await clients.find(clientId);
  if (!client) throw new OAuthError('invalid_client', 'The client is not registered here.');
  return client;
}
