import type { AccountFeatures } from '../accounts/account-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What ends clients. */
export type EndClientFeatures = Pick<AccountFeatures, 'consents'> &
  ClientFeatures &
  Pick<GrantFeatures, 'revoker'>;

/**
 * Ends a client with all that it was given: its grants, which name the registration that is gone, the access tokens that are
 * about, and what users have allowed it. A later registration of its id begins with nothing. Nothing else removes
 * a client.
 *
 * @returns whether there was one
 */
export async function endClient(features: EndClientFeatures, clientId: string): Promise<boolean> {
  if (!(await features.clientStore.remove(clientId))) return false;
  features.clients.forget(clientId);
  await features.consents.removeOfClient(clientId);
  await features.revoker.revokeTokens({ kind: 'client', clientId }, 'client_removed');
  return true;
}
