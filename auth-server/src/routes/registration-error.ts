import { OAuthError } from '../errors.ts';

/** Metadata that can't be registered. RFC 7591 §3.2.2 */
export function registrationError(problems: readonly string[]): OAuthError {
  const isRedirectUri = problems.some((problem) => problem.startsWith('redirect_uris'));
  const code = isRedirectUri ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  return new OAuthError(code, problems.join('; '));
}
