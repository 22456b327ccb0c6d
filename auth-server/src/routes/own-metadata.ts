import type { ClientMetadata } from '../clients/client-metadata.ts';
import { unattendedGrants } from '../clients/grant-types.ts';
import { heldAdminScopes } from '../clients/scopes.ts';
import { registrationError } from './registration-error.ts';

/** What a client that registers itself may not say of itself. */
const NOT_ITS_OWN = {
  first_party: false,
  refresh_reuse_leeway_seconds: 0,
  unvetted: true,
  pkce_exempt: false,
  token_endpoint_audience: false,
  resource_audiences: undefined,
} as const;

/**
 * The metadata that a client may register for itself: the id is this server's to choose, administration is no one's to ask for, and what
 * no user allows is for clients that an administrator registers: a client that registered itself gets nothing without someone's
 * consent.
 *
 * @throws OAuthError invalid_client_metadata
 */
export function ownMetadata(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { scope, client_id: _chosen, ...given }: Readonly<Record<string, unknown>> = { ...body };
  const { grant_types: grantTypes } = given;
  const unattended = Array.isArray(grantTypes)
    ? unattendedGrants.find((type) => grantTypes.includes(type))
    : undefined;
  if (unattended !== undefined)
    throw registrationError([`grant_types: ${unattended} can't be registered for`]);
  const [forbidden] = typeof scope === 'string' ? heldAdminScopes(scope.split(' ')) : [];
  if (forbidden !== undefined) throw registrationError([`scope: ${forbidden} can't be registered for`]);
  return { ...given, ...(scope !== undefined && { scope }), ...NOT_ITS_OWN };
}

/** Whether a registration is still one that the client could have made itself. */
export function isOwnMetadata(metadata: ClientMetadata): boolean {
  // A registration from before there was a member has nothing of it.
  const registered: Partial<Record<string, unknown>> = { ...NOT_ITS_OWN, ...metadata };
  const isPlain = Object.entries(NOT_ITS_OWN).every(([name, value]) => registered[name] === value);
  const mayActAlone = metadata.grant_types.some((type) => unattendedGrants.includes(type));
  return isPlain && !mayActAlone && heldAdminScopes(metadata.scope.split(' ')).length === 0;
}
