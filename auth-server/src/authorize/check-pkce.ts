import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import { isPkceExempt } from '../clients/registration-today.ts';
import { isCodeChallenge } from '../grants/pkce.ts';

/**
 * The S256 challenge, which every client must send; undefined for an exempt one that sends none: see {@link checkNonce}.
 *
 * @throws OAuthError invalid_request. RFC 7636 §4.3, §4.4.1, RFC 9700 §2.1.1
 */
export function checkPkce(parameters: Parameters, client: Client): string | undefined {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (isPkceExempt(client) && method === undefined) return undefined;
    throw missingParameter('code_challenge');
  }
  if (method !== 'S256') {
    throw new OAuthError('invalid_request', 'The code_challenge_method must be S256.');
  }
  if (!isCodeChallenge(challenge)) {
    throw new OAuthError('invalid_request', 'The code_challenge is not 43 characters of base64url.');
  }
  return challenge;
}

/**
 * Without a challenge it is the nonce that ties the code to the client's session, and the id_token that brings it back.
 *
 * @throws OAuthError invalid_request. RFC 9700 §2.1.1
 */
export function checkNonce(parameters: Parameters, scopes: readonly string[]): void {
  if (parameters.get('nonce') !== undefined && scopes.includes('openid')) return;
  const description = 'A request without code_challenge needs a nonce and the scope openid.';
  throw new OAuthError('invalid_request', description);
}
