import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import type { RedirectTarget, ResponseMode } from './authorization-request.ts';

/** Schemes of redirect URIs that a browser can post a form to. */
const POSTABLE = /^https?:/;

/** Every mode of response, as discovery lists them. OAuth 2.0 Multiple Response Type Encoding Practices §2.1, Form Post §2 */
export const responseModes: readonly ResponseMode[] = Object.freeze(['query', 'form_post']);

/** The mode in which a request is answered, be it by an error: the query where the one asked for is not possible. */
export function responseModeOf(parameters: Parameters, redirectUri: string): ResponseMode {
  const asked = parameters.get('response_mode');
  return asked === 'form_post' && POSTABLE.test(redirectUri) ? 'form_post' : 'query';
}

/** Only the code flow, answered in a mode that the redirect URI can take. @throws OAuthError. RFC 6749 §3.1.1, RFC 9700 §2.1.2 */
export function checkResponseType(
  parameters: Parameters,
  { metadata }: Client,
  { responseMode }: Pick<RedirectTarget, 'responseMode'>,
): void {
  const responseType = parameters.get('response_type');
  if (responseType === undefined) throw missingParameter('response_type');
  if (responseType !== 'code') {
    throw new OAuthError('unsupported_response_type', 'Only response_type=code is supported.');
  }
  if ((parameters.get('response_mode') ?? responseMode) !== responseMode) {
    const description = 'Only response_mode=query is supported, and form_post for web addresses.';
    throw new OAuthError('invalid_request', description);
  }
  if (!metadata.grant_types.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The client is not registered for authorization codes.');
  }
}
