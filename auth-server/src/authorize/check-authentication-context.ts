import { supportedAcrValues } from '../accounts/authentication-context.ts';
import type { ClientMetadata } from '../clients/client-metadata.ts';
import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { ClaimsRequest } from './read-claims-request.ts';

/**
 * Checks that a sign-in here can be of a class that the request needs. What `acr_values` asks for is voluntary where an
 * id_token says which class it was. Without one no one but the API would see that it was another, and would ask for the same
 * sign-in over and over: there it is needed.
 *
 * @throws OAuthError unmet_authentication_requirements
 * @see OpenID Connect Core §5.5.1.1, RFC 9470 §5
 */
export function checkAuthenticationContext(
  parameters: Parameters,
  claims: ClaimsRequest,
  scopes: readonly string[],
  metadata: Pick<ClientMetadata, 'default_acr_values'>,
): void {
  if (claims.isAcrEssential) assertPossible(claims.acrValues);
  if (!scopes.includes('openid')) assertPossible(acrValuesOf(parameters) ?? metadata.default_acr_values);
}

function acrValuesOf(parameters: Parameters): readonly string[] | undefined {
  return parameters
    .get('acr_values')
    ?.split(' ')
    .filter((value) => value !== '');
}

/** @param values undefined where any class will do */
function assertPossible(values: readonly string[] | undefined): void {
  if (values === undefined || values.some((value) => supportedAcrValues.includes(value))) return;
  throw new OAuthError('unmet_authentication_requirements', 'No sign-in here is of a class that is needed.');
}
