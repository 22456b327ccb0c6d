import { OAuthError } from '../../errors.ts';
import type { Parameters } from '../../parameters.ts';

/** Assertion type of RFC 7523 §2.2. */
export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** What a request brings to prove which client sent it; not verified yet. */
export type PresentedCredentials =
  | { readonly method: 'none'; readonly clientId: string }
  | { readonly method: 'client_secret_basic'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'client_secret_post'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly clientId: string | undefined; readonly assertion: string };

/**
 * Reads the client's credentials from where RFC 6749 §2.3 and RFC 7523 §2.2 allow them.
 *
 * @throws OAuthError invalid_request for more than one method at once, invalid_client for none or malformed ones
 */
export function readCredentials(
  authorization: string | undefined,
  parameters: Parameters,
): PresentedCredentials {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  const assertion = parameters.get('client_assertion');
  const methods = [authorization, secret, assertion ?? parameters.get('client_assertion_type')];
  if (methods.filter((value) => value !== undefined).length > 1) {
    throw new OAuthError('invalid_request', 'The client authenticates in more than one way.');
  }
  if (authorization !== undefined) return readBasic(authorization, clientId);
  if (assertion !== undefined) return readAssertion(assertion, parameters);
  if (clientId === undefined) throw new OAuthError('invalid_client', 'The client does not say who it is.');
  return secret === undefined
    ? { method: 'none', clientId }
    : { method: 'client_secret_post', clientId, secret };
}

function readAssertion(assertion: string, parameters: Parameters): PresentedCredentials {
  if (parameters.get('client_assertion_type') !== JWT_BEARER) {
    throw new OAuthError('invalid_client', 'The client_assertion_type is not supported.');
  }
  return { method: 'private_key_jwt', clientId: parameters.get('client_id'), assertion };
}

function readBasic(authorization: string, clientIdParameter: string | undefined): PresentedCredentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon === -1 ? undefined : formDecode(text.slice(0, colon));
  const secret = colon === -1 ? undefined : formDecode(text.slice(colon + 1));
  if (!clientId || !secret) throw rejectedBasic('malformed Basic credentials');
  if (clientIdParameter !== undefined && clientIdParameter !== clientId) {
    throw rejectedBasic('client_id differs from the authenticated client');
  }
  return { method: 'client_secret_basic', clientId, secret };
}

/** RFC 6749 §2.3.1 has id and secret form-encoded before they are joined. */
function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** A failed attempt by header is 401 with a challenge. RFC 6749 §5.2 */
export function rejectedBasic(detail: string): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.', {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="client", charset="UTF-8"' },
    detail,
  });
}
