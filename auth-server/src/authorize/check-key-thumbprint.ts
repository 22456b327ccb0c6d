import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';

/** The thumbprint in `dpop_jkt`, if there is one. @throws OAuthError invalid_request. RFC 9449 §10 */
export function checkKeyThumbprint(parameters: Parameters): string | undefined {
  const thumbprint = parameters.get('dpop_jkt');
  if (thumbprint === undefined || /^[A-Za-z0-9_-]{43}$/.test(thumbprint)) return thumbprint;
  throw new OAuthError('invalid_request', 'The dpop_jkt is no SHA-256 thumbprint.');
}
