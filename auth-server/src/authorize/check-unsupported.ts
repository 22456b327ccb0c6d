import { OAuthError, type OAuthErrorCode } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

const UNSUPPORTED: readonly (readonly [string, OAuthErrorCode, string])[] = [
  ['request', 'request_not_supported', 'The parameter request needs a client with registered keys.'],
  ['request_uri', 'request_uri_not_supported', 'A request_uri is only supported of a pushed request.'],
  ['registration', 'registration_not_supported', 'The parameter registration is not supported.'],
];

/**
 * Rejects what must not be ignored because it would change the meaning of the rest. Nothing is ever fetched.
 *
 * @throws OAuthError. OpenID Connect Core §3.1.2.6, RFC 9101 §10.4
 */
export function checkUnsupported(parameters: Parameters): void {
  for (const [name, code, description] of UNSUPPORTED) {
    if (parameters.get(name) !== undefined) throw new OAuthError(code, description);
  }
}
