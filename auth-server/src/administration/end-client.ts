import type { Services } from '../app/services.ts';
import type { ClientStore } from '../clients/client-store.ts';

/** What changing clients works with. */
export interface ClientAdministration {
  readonly services: Services;
  readonly clientStore: ClientStore;
}

/**
 * Ends a client with all that it was given: its grants, which name the registration that is gone, the access tokens that are
 * about, and what people have allowed it. Whoever is registered under its id later begins with nothing. Nothing else removes
 * a client.
 *
 * @returns whether there was one
 */
export async function endClient(
  { services, clientStore }: ClientAdministration,
  clientId: string,
): Promise<boolean> {
  if (!(await clientStore.remove(clientId))) return false;
  services.clients.forget(clientId);
  await services.consents.removeOfClient(clientId);
  await services.revoker.revokeTokens({ kind: 'client', clientId }, 'client_removed');
  return true;
}
