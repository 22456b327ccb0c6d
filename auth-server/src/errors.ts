/** What a code of the catalogue means. */
export interface OAuthErrorDescription {
  /** HTTP status where the response is JSON or a page. */
  readonly status: number;
  /** Whether an authorization response may carry it to the client's redirect URI. */
  readonly redirect: boolean;
  /** Where the standard defines it. */
  readonly section: string;
  readonly summary: string;
}

/** A value of `error` in a response of this server. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'consent_required'
  | 'expired_token'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_dpop_proof'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_request_object'
  | 'invalid_request_uri'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'login_required'
  | 'not_found'
  | 'registration_not_supported'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'too_many_requests'
  | 'unauthorized_client'
  | 'unmet_authentication_requirements'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'use_dpop_nonce';

/** Every error that this server answers with. */
export const oauthErrors: Readonly<Record<OAuthErrorCode, OAuthErrorDescription>> = Object.freeze({
  access_denied: describe(400, true, 'RFC 6749 §4.1.2.1', 'The user or this server rejected the request.'),
  authorization_pending: describe(400, false, 'RFC 8628 §3.5', 'The user has not decided yet.'),
  consent_required: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'Consent is needed, and prompt=none forbids asking.',
  ),
  expired_token: describe(400, false, 'RFC 8628 §3.5', 'The device code has expired.'),
  insufficient_scope: describe(403, false, 'RFC 6750 §3.1', 'The token lacks a scope that this needs.'),
  insufficient_user_authentication: describe(
    401,
    false,
    'RFC 9470 §3',
    'The user signed in too long ago for this; sign in again with max_age.',
  ),
  interaction_required: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'A page is needed, and prompt=none forbids it.',
  ),
  invalid_client: describe(400, false, 'RFC 6749 §5.2', 'The client is unknown or did not prove who it is.'),
  invalid_client_metadata: describe(
    400,
    false,
    'RFC 7591 §3.2.2',
    'The metadata of a client can not be registered.',
  ),
  invalid_dpop_proof: describe(400, false, 'RFC 9449 §5', 'The DPoP proof is not valid here.'),
  invalid_grant: describe(400, false, 'RFC 6749 §5.2', 'The code or refresh token is invalid.'),
  invalid_redirect_uri: describe(400, false, 'RFC 7591 §3.2.2', 'A redirect URI can not be registered.'),
  invalid_request: describe(
    400,
    true,
    'RFC 6749 §4.1.2.1, §5.2',
    'A parameter is missing, malformed or sent twice.',
  ),
  invalid_request_object: describe(
    400,
    true,
    'RFC 9101 §7',
    'The request object is not valid here, or was used before.',
  ),
  invalid_request_uri: describe(
    400,
    false,
    'OpenID Connect Core §3.1.2.6',
    'The pushed request is unknown, expired or already used.',
  ),
  invalid_scope: describe(
    400,
    true,
    'RFC 6749 §4.1.2.1, §5.2',
    'A scope is unknown, malformed or not allowed.',
  ),
  invalid_target: describe(400, true, 'RFC 8707 §2', 'The resource is unknown or was not granted.'),
  invalid_token: describe(
    401,
    false,
    'RFC 6750 §3.1',
    'The access token is expired, revoked or not valid here.',
  ),
  login_required: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'Signing in is needed, and prompt=none forbids it.',
  ),
  not_found: describe(404, false, 'RFC 9110 §15.5.5', 'What is to be administered does not exist.'),
  registration_not_supported: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'The registration parameter is not supported.',
  ),
  request_not_supported: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'Request objects of clients without keys are not supported.',
  ),
  request_uri_not_supported: describe(
    400,
    true,
    'OpenID Connect Core §3.1.2.6',
    'Request objects by reference are not supported.',
  ),
  server_error: describe(500, true, 'RFC 6749 §4.1.2.1', 'Something failed inside.'),
  slow_down: describe(400, false, 'RFC 8628 §3.5', 'The device asks too often.'),
  temporarily_unavailable: describe(
    503,
    true,
    'RFC 6749 §4.1.2.1',
    'A store is unavailable or the server is busy; try again.',
  ),
  too_many_requests: describe(
    429,
    false,
    'RFC 6585 §4',
    'The network, client or user has asked too often; wait for as long as Retry-After says.',
  ),
  unmet_authentication_requirements: describe(
    400,
    true,
    'RFC 9470 §5',
    'No sign-in here is of a class that the request needs.',
  ),
  unauthorized_client: describe(400, true, 'RFC 6749 §4.1.2.1, §5.2', 'The client may not use this grant.'),
  unsupported_grant_type: describe(400, false, 'RFC 6749 §5.2', 'The grant type is not supported.'),
  unsupported_response_type: describe(
    400,
    true,
    'RFC 6749 §4.1.2.1',
    'Only response_type=code is supported.',
  ),
  unsupported_token_type: describe(
    400,
    false,
    'RFC 7009 §2.2.1',
    'A token of this kind is not revoked by itself.',
  ),
  use_dpop_nonce: describe(400, false, 'RFC 9449 §8', 'The DPoP proof needs a nonce of this server.'),
});

function describe(
  status: number,
  redirect: boolean,
  section: string,
  summary: string,
): OAuthErrorDescription {
  return Object.freeze({ status, redirect, section, summary });
}

/** More about one occurrence of an error. */
export interface OAuthErrorOptions {
  /** Another HTTP status than the catalogue's. */
  readonly status?: number;
  /** Response headers, such as `www-authenticate` or `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log: what exactly was wrong. Never sent. */
  readonly detail?: string;
  /** `false` where the redirect URI is not known to be good, or must not see the error. */
  readonly redirect?: boolean;
  readonly cause?: unknown;
}

/** A failure that is answered in the terms of OAuth. Its message is the `error_description`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly detail: string | undefined;
  /** Whether a redirect may carry it. */
  readonly redirectable: boolean;

  /** @param description shown to the client; characters outside RFC 6749 §5.2's set are replaced */
  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(toDescription(description), { cause: options.cause });
    const entry = oauthErrors[code];
    this.code = code;
    this.status = options.status ?? entry.status;
    this.headers = options.headers ?? {};
    this.detail = options.detail;
    this.redirectable = options.redirect ?? entry.redirect;
  }
}

/** RFC 6749 §5.2 allows %x20-21 / %x23-5B / %x5D-7E. */
function toDescription(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/** The code or refresh token is unknown, expired, used, or someone else's: outside these are all one response. */
export function invalidGrant(detail: string): OAuthError {
  return new OAuthError('invalid_grant', 'The code or token is unknown, expired, revoked or already used.', {
    detail,
  });
}

/** A parameter that must be there is missing. */
export function missingParameter(name: string): OAuthError {
  return new OAuthError('invalid_request', `The parameter ${name} is missing.`);
}

/** Someone has asked too often. @param waitS seconds after which there is something left */
export function tooManyRequests(reason: string, waitS: number): OAuthError {
  const seconds = Math.max(1, Math.ceil(waitS));
  return new OAuthError('too_many_requests', `${reason} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
