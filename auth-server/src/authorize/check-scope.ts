import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { includesAll, isKnownScope, parseScope } from '../clients/scopes.ts';
import type { Client } from '../clients/client-store.ts';

/**
 * The scopes of the request, or the client's default ones where it names none, all of which the client must be registered for.
 *
 * @throws OAuthError invalid_scope. RFC 6749 §3.3
 */
export function checkScope(
  parameters: Parameters,
  { metadata, scopes: registered }: Client,
  known: readonly string[],
): readonly string[] {
  const text = parameters.get('scope') ?? metadata.default_scope;
  if (text === undefined) throw new OAuthError('invalid_scope', 'The scope is missing.');
  const scopes = parseScope(text);
  if (!scopes) throw new OAuthError('invalid_scope', 'The scope has characters that are not allowed.');
  if (!scopes.every((scope) => isKnownScope(known, scope)))
    throw new OAuthError('invalid_scope', 'The scope is unknown.');
  if (!includesAll(registered, scopes)) {
    throw new OAuthError('invalid_scope', 'The client is not registered for the scope.');
  }
  return scopes;
}
