import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { isCodeChallenge } from '../grants/pkce.ts';

/** The S256 challenge, which every client must send. @throws OAuthError invalid_request. RFC 7636 §4.3, §4.4.1 */
export function checkPkce(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined) throw missingParameter('code_challenge');
  if (parameters.get('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'The code_challenge_method must be S256.');
  }
  if (!isCodeChallenge(challenge)) {
    throw new OAuthError('invalid_request', 'The code_challenge is not 43 characters of base64url.');
  }
  return challenge;
}
