import { OAuthError, type OAuthErrorCode } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

const UNSUPPORTED: readonly (readonly [string, OAuthErrorCode])[] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
];

/**
 * Rejects what must not be ignored because it would change the meaning of the rest. Nothing is ever fetched.
 *
 * @throws OAuthError. OpenID Connect Core §3.1.2.6, RFC 9101 §10.4
 */
export function checkUnsupported(parameters: Parameters): void {
  for (const [name, code] of UNSUPPORTED) {
    if (parameters.get(name) !== undefined)
      throw new OAuthError(code, `The parameter ${name} is not supported.`);
  }
}
