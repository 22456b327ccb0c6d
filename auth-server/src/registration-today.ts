import { parseScope } from './scopes.ts';
import { redirectUriMatches } from './redirect-uri.ts';
import type { Settings } from './services.ts';
import type { Client } from './stores/client-store.ts';

/** The incarnation of whatever was stored before incarnations were: that of the registrations that there were then. */
export const FIRST_INCARNATION = 'first';

/** Whether something was given to this registration of the client, and not to one that has been removed. */
export function isGivenTo(
  client: Client,
  given: { readonly clientIncarnation?: string | undefined },
): boolean {
  return client.incarnation === (given.clientIncarnation ?? FIRST_INCARNATION);
}

/** Those of the scopes that the client is registered for today, and that this server knows today. */
export function allowedScopes(
  scopes: readonly string[],
  { metadata }: Client,
  settings: Pick<Settings, 'scopes'>,
): readonly string[] {
  const registered = parseScope(metadata.scope) ?? [];
  return scopes.filter((scope) => registered.includes(scope) && settings.scopes.includes(scope));
}

/** Whether a client is registered today with a redirect URI. RFC 6749 §3.1.2.3 */
export function isRegisteredUri(requested: string, { metadata }: Client): boolean {
  const isNative = metadata.application_type === 'native';
  return metadata.redirect_uris.some((uri) => redirectUriMatches(requested, uri, isNative));
}

/** Whether a registration allows less than the one before: what was issued under that one says too much. */
export function isNarrower(before: Client, after: Client): boolean {
  const scopesAfter = parseScope(after.metadata.scope) ?? [];
  const lost = (parseScope(before.metadata.scope) ?? []).some((scope) => !scopesAfter.includes(scope));
  const lostGrant = before.metadata.grant_types.some((type) => !after.metadata.grant_types.includes(type));
  return lost || lostGrant;
}
