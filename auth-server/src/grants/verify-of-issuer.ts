import { OAuthError } from '../errors.ts';
import { KeysUnavailable } from '../outbound/fetched-key-set.ts';
import {
  verifyIssuedToken,
  type IssuedTokenContext,
  type IssuedTokenOutcome,
} from '../issuers/verify-issued-token.ts';

/**
 * Verifies a token of a trusted issuer.
 *
 * @throws OAuthError temporarily_unavailable when the issuer's keys can't be had now: the token may be good
 */
export async function verifyOfIssuer(
  token: string,
  context: IssuedTokenContext,
): Promise<IssuedTokenOutcome> {
  try {
    return await verifyIssuedToken(token, context);
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    throw new OAuthError('temporarily_unavailable', 'The keys of the issuer are unavailable.', {
      headers: { 'retry-after': '5' },
      detail: `${context.issuer.issuer}: ${error.message}`,
      cause: error,
    });
  }
}
