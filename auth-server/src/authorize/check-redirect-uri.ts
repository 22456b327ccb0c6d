import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { isRegisteredUri } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';

/**
 * The redirect URI of the request, which must be registered; the only one registered when the request names none.
 *
 * @throws OAuthError that no redirect may carry. RFC 6749 §3.1.2.3, RFC 9700 §2.1
 */
export function checkRedirectUri(parameters: Parameters, client: Client): string {
  const registered = client.metadata.redirect_uris;
  const requested = parameters.get('redirect_uri');
  if (parameters.isRepeated('redirect_uri')) throw rejected('sent twice');
  if (requested === undefined) {
    if (registered.length !== 1 || registered[0] === undefined)
      throw rejected('missing, and not exactly one registered');
    return registered[0];
  }
  if (isRegisteredUri(requested, client)) return requested;
  throw rejected('not registered');
}

function rejected(detail: string): OAuthError {
  return new OAuthError(
    'invalid_request',
    'The redirect_uri is not the one that the client is registered with.',
    {
      redirect: false,
      detail,
    },
  );
}
