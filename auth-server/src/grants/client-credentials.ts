import { isKnownScope, openidScopes, parseScope } from '../clients/scopes.ts';
import type { Client } from '../clients/client-store.ts';
import { issueAccessToken, type AccessTokenFeatures } from '../tokens/access-token.ts';
import { newGrantId } from '../tokens/grant-code.ts';
import type { GrantHandler } from './grant-handler.ts';
import { chooseResource, narrowScopes } from './requested-scopes.ts';
import type { HasSettings } from '../settings/settings.ts';
import { accessBinding } from './key-binding.ts';
import { tokenTypeOf } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type ClientCredentialsFeatures = HasSettings & AccessTokenFeatures;

/**
 * A token for a client that acts for itself: no user, no refresh token, no id_token.
 *
 * @see RFC 6749 §4.4, RFC 9068 §2.2
 */
export const clientCredentialsGrant: GrantHandler<ClientCredentialsFeatures> = {
  grantType: 'client_credentials',
  handle: async ({ clientId, clientToday, parameters, presented, receivedAt }, features) => {
    const client = await clientToday();
    const asked = parameters.get('scope');
    const scopes = narrowScopes(apiScopesOf(client, features, asked === undefined), asked);
    const binding = accessBinding(client, presented);
    const accessToken = issueAccessToken(features, {
      clientId,
      grantId: newGrantId(),
      audience: chooseResource(parameters.getAll('resource'), features.settings.audiences),
      scopes,
      issuedAt: receivedAt,
      binding,
    });
    return {
      access_token: accessToken,
      token_type: tokenTypeOf(binding),
      expires_in: features.settings.accessTokenTtlS,
      scope: scopes.join(' '),
    };
  },
};

/** Scopes of OpenID Connect are about users. @param byDefault whether the request names none */
function apiScopesOf({ metadata }: Client, { settings }: HasSettings, byDefault: boolean): readonly string[] {
  const scope = byDefault ? (metadata.default_scope ?? metadata.scope) : metadata.scope;
  const registered = parseScope(scope) ?? [];
  return registered.filter((scope) => isKnownScope(settings.scopes, scope) && !openidScopes.includes(scope));
}
