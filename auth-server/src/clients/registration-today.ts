import { isKnownScope } from './scopes.ts';
import { redirectUriMatches } from './redirect-uri.ts';
import { subjectMembers } from './certificate-subject.ts';
import { registeredScopes, type ClientMetadata } from './client-metadata.ts';
import { certificatesOf } from './registered-certificates.ts';
import type { Settings } from '../settings/settings.ts';
import type { Client } from './client-store.ts';

/** Whether something was given to this registration of the client, and not to one that has been removed. */
export function isGivenTo(client: Client, given: { readonly clientIncarnation: string }): boolean {
  return client.incarnation === given.clientIncarnation;
}

/** Those of the scopes that the client is registered for today, and that this server knows today. */
export function allowedScopes(
  scopes: readonly string[],
  { scopes: registered }: Client,
  settings: Pick<Settings, 'scopes'>,
): readonly string[] {
  return scopes.filter((scope) => registered.includes(scope) && isKnownScope(settings.scopes, scope));
}

/** Whether a client is registered today with a redirect URI. RFC 6749 §3.1.2.3 */
export function isRegisteredUri(requested: string, { metadata }: Client): boolean {
  const isNative = metadata.application_type === 'native';
  return metadata.redirect_uris.some((uri) => redirectUriMatches(requested, uri, isNative));
}

/** Whether a client may leave PKCE out today, where a `nonce` stands in its place. RFC 9700 §2.1.1 */
export function isPkceExempt({ metadata }: Client): boolean {
  return metadata.pkce_exempt && metadata.token_endpoint_auth_method !== 'none';
}

/**
 * Whether a registration allows less than the one before: what was issued under that one says too much, or is good without a
 * key that it now has to come with.
 */
export function isNarrower(before: ClientMetadata, after: ClientMetadata): boolean {
  const scopesAfter = registeredScopes(after);
  const lost = registeredScopes(before).some((scope) => !scopesAfter.includes(scope));
  const lostGrant = before.grant_types.some((type) => !after.grant_types.includes(type));
  const isConstrained =
    (after.dpop_bound_access_tokens && !before.dpop_bound_access_tokens) ||
    (after.tls_client_certificate_bound_access_tokens && !before.tls_client_certificate_bound_access_tokens);
  return (
    lost || lostGrant || isConstrained || losesAudience(before, after) || losesCertificate(before, after)
  );
}

/**
 * What is bound to a certificate that the registration does not name any more is good for everybody who has its key. What a set at an
 * address has lost is not known.
 */
function losesCertificate(before: ClientMetadata, after: ClientMetadata): boolean {
  if (!before.tls_client_certificate_bound_access_tokens) return false;
  const isRenamed = subjectMembers.some(
    (member) => before[member] !== undefined && before[member] !== after[member],
  );
  const certificates = certificatesOf(after.jwks?.keys);
  return isRenamed || certificatesOf(before.jwks?.keys).some((text) => !certificates.includes(text));
}

/** What was exchanged for a resource, or without an actor, is not any more. */
function losesAudience(before: ClientMetadata, after: ClientMetadata): boolean {
  const isLost = (member: 'resource_audiences' | 'token_exchange_audiences'): boolean =>
    before[member]?.some((audience) => !after[member]?.includes(audience)) === true;
  const lostImpersonation =
    before.token_exchange_impersonation === true && !after.token_exchange_impersonation;
  return isLost('resource_audiences') || isLost('token_exchange_audiences') || lostImpersonation;
}
