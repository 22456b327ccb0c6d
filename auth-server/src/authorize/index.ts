import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import { codeTtlOf } from '../clients/security-profile.ts';
import type { AuthorizationRequest, RedirectTarget } from './authorization-request.ts';
import { checkAuthenticationContext } from './check-authentication-context.ts';
import { checkClient } from './check-client.ts';
import { checkInteraction } from './check-interaction.ts';
import { checkKeyThumbprint } from './check-key-thumbprint.ts';
import { checkNonce, checkPkce } from './check-pkce.ts';
import { checkRedirectUri } from './check-redirect-uri.ts';
import { checkRequestedResource } from './check-resource.ts';
import { checkResponseType, responseModeOf } from './check-response-type.ts';
import { checkScope } from './check-scope.ts';
import { checkUnsupported } from './check-unsupported.ts';
import { readClaimsRequest } from './read-claims-request.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';

export { knownParameters } from './known-parameters.ts';
export { checkWay, openParameters, openRequest, type OpenedRequest } from './open-request.ts';
export type { AuthorizationRequest, Prompt, RedirectTarget } from './authorization-request.ts';

/** What authorization requests are checked with. */
export type CheckRequestFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<ClientFeatures, 'clients'>;

/** A client and where its responses go. */
export interface ResolvedTarget {
  readonly client: Client;
  readonly target: RedirectTarget;
}

/**
 * The first half of checking: whose request it is and where the response may go. Until this has succeeded nothing may be
 * redirected.
 *
 * @throws OAuthError for a page
 */
export async function resolveTarget(
  parameters: Parameters,
  features: CheckRequestFeatures,
): Promise<ResolvedTarget> {
  const client = await checkClient(parameters, features.clients);
  const redirectUri = checkRedirectUri(parameters, client);
  const target = {
    clientId: client.metadata.client_id,
    redirectUri,
    state: parameters.get('state'),
    responseMode: responseModeOf(parameters, redirectUri),
    vetted: !client.metadata.unvetted,
  };
  return { client, target };
}

/**
 * The second half: everything else, in the order in which problems are reported.
 *
 * @throws OAuthError that a redirect may carry
 */
export async function checkAuthorizationRequest(
  { client, target }: ResolvedTarget,
  parameters: Parameters,
  features: CheckRequestFeatures,
): Promise<AuthorizationRequest> {
  const { settings, keyring, clock } = features;
  parameters.assertUnrepeated();
  checkResponseType(parameters, client, target);
  checkUnsupported(parameters);
  const codeChallenge = checkPkce(parameters, client);
  const scopes = checkScope(parameters, client, settings.scopes);
  if (codeChallenge === undefined) checkNonce(parameters, scopes);
  const audience = checkRequestedResource(parameters, settings.audiences);
  const claims = readClaimsRequest(parameters);
  checkAuthenticationContext(parameters, claims, scopes, client.metadata);
  const interaction = await checkInteraction(parameters, claims, client.metadata.default_max_age, {
    ...settings,
    keyring,
    clock,
  });
  return {
    ...target,
    codeTtlS: codeTtlOf(client.metadata, settings.codeTtlS),
    clientIncarnation: client.incarnation,
    codeChallenge,
    scopes,
    audience,
    nonce: parameters.get('nonce'),
    keyThumbprint: checkKeyThumbprint(parameters),
    ...interaction,
  };
}
