import type { ClientRules } from '../settings/settings.ts';
import type { CertificateSubject } from './certificate-subject.ts';
import { parseScope } from './scopes.ts';
import { allowedAlgorithms, type SecurityProfile } from './security-profile.ts';

/** How a client proves who it is at the token endpoint. RFC 7591 §2 */
export type ClientAuthenticationMethod = (typeof authenticationMethods)[number];

/** All that are known. */
export const authenticationMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
] as const;

/** The methods that are supported, as discovery lists them. RFC 8705 §2 */
export function clientAuthenticationMethods({
  certificates,
}: Pick<ClientRules, 'certificates'>): readonly ClientAuthenticationMethod[] {
  const missing: ReadonlySet<string> = new Set(missingMethods[certificates]);
  return authenticationMethods.filter((method) => !missing.has(method));
}

const missingMethods: Readonly<Record<ClientRules['certificates'], readonly ClientAuthenticationMethod[]>> = {
  none: ['tls_client_auth', 'self_signed_tls_client_auth'],
  registered: ['tls_client_auth'],
  issued: [],
};

/** Whether a client authenticates by the certificate of its connection. */
export function usesCertificate(method: string): boolean {
  return method === 'tls_client_auth' || method === 'self_signed_tls_client_auth';
}

/** Of the id of a client. RFC 6749 §2.2 */
export const CLIENT_ID: RegExp = /^[\x21-\x7E]{1,200}$/;

/** Whether a text can be the id of a client; no other is looked for. RFC 6749 §2.2 */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text);
}

/** Algorithms of assertions that clients sign. */
export const assertionAlgorithms: readonly string[] = Object.freeze(['ES256', 'RS256', 'PS256', 'EdDSA']);

/** Those by which a client may sign its assertions. */
export function assertionAlgorithmsOf(metadata: ClientMetadata): readonly string[] {
  return algorithmsOf(metadata, metadata.token_endpoint_auth_signing_alg);
}

/** Those by which a client may sign its request objects; `none` is among them for no client. RFC 9101 §10.1 */
export function requestObjectAlgorithmsOf(metadata: ClientMetadata): readonly string[] {
  return algorithmsOf(metadata, metadata.request_object_signing_alg);
}

function algorithmsOf(metadata: ClientMetadata, registered: string | undefined): readonly string[] {
  return allowedAlgorithms(registered === undefined ? assertionAlgorithms : [registered], metadata);
}

/** Grant type of RFC 8628 §3.4. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** A registered client: RFC 7591 metadata under its standard names, complete with defaults, without its secret. */
export interface ClientMetadata extends CertificateSubject {
  readonly client_id: string;
  readonly client_name: string;
  /** What pages show of a client that someone has looked at. RFC 7591 §2 */
  readonly logo_uri?: string | undefined;
  readonly client_uri?: string | undefined;
  readonly policy_uri?: string | undefined;
  readonly tos_uri?: string | undefined;
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly token_endpoint_auth_method: ClientAuthenticationMethod;
  readonly token_endpoint_auth_signing_alg?: string | undefined;
  readonly jwks?: { readonly keys: readonly Record<string, unknown>[] } | undefined;
  /** Where the client publishes its keys, in place of `jwks`. RFC 7591 §2 */
  readonly jwks_uri?: string | undefined;
  readonly request_object_signing_alg?: string | undefined;
  /** Authorization requests must come in signed request objects. RFC 9101 §10.5 */
  readonly require_signed_request_object: boolean;
  /** Space separated. */
  readonly scope: string;
  /** Where this server sends logout notifications. Back-Channel Logout §2.2 */
  readonly backchannel_logout_uri?: string | undefined;
  /** Accepted as it is declared: every logout token names its session. */
  readonly backchannel_logout_session_required: boolean;
  readonly application_type: 'web' | 'native';
  readonly id_token_signed_response_alg: 'ES256' | 'RS256';
  readonly default_max_age?: number | undefined;
  readonly require_auth_time: boolean;
  /** What `acr_values` is where a request has none. OpenID Connect Registration §2 */
  readonly default_acr_values?: readonly string[] | undefined;
  /** Access tokens are always bound to a key. RFC 9449 §5.2 */
  readonly dpop_bound_access_tokens: boolean;
  /** Access tokens are always bound to the client's certificate. RFC 8705 §3.4 */
  readonly tls_client_certificate_bound_access_tokens: boolean;
  /** Authorization requests must be pushed. RFC 9126 §6 */
  readonly require_pushed_authorization_requests: boolean;
  /** An own member: the set of rules that the client is held to. */
  readonly security_profile?: SecurityProfile | undefined;
  /** An own member: consent is not asked for, because client and server belong to the same operator. */
  readonly first_party: boolean;
  /**
   * An own member: no one has looked at the client, so its redirect URI gets no error before the user has signed in, lest
   * links to this server lead anywhere. Always so for clients that registered themselves. RFC 9700 §4.11.2
   */
  readonly unvetted: boolean;
  /**
   * An own member: authorization requests with `nonce` and the scope `openid` need no PKCE. Only for clients that
   * authenticate. RFC 9700 §2.1.1
   */
  readonly pkce_exempt: boolean;
  /**
   * An own member: assertions of the client may name the token endpoint as their audience, as OpenID Connect Core §9 has
   * it. Another server that the client trusts can choose what it calls its token endpoint, so it is for clients of one server.
   */
  readonly token_endpoint_audience: boolean;
  /** An own member, space separated: what a request without `scope` asks for. Absent: such requests are rejected. RFC 6749 §3.3 */
  readonly default_scope?: string | undefined;
  /** With which introspection responses are signed that are asked for as a JWT. RFC 9701 §6. Default: RS256. */
  readonly introspection_signed_response_alg?: 'ES256' | 'RS256' | undefined;
  /**
   * An own member: the resources that the client serves. It may exchange tokens for them that others bring, and introspection shows it
   * no other tokens but its own. Absent: all tokens.
   */
  readonly resource_audiences?: readonly string[] | undefined;
  /** An own member: resources for which the client may exchange tokens of users, beside the one of the token. */
  readonly token_exchange_audiences?: readonly string[] | undefined;
  /** An own member: whether an exchange without `actor_token` gives a token that does not say who acts. RFC 8693 §1.1 */
  readonly token_exchange_impersonation?: boolean | undefined;
  /** An own member: seconds in which the predecessor of a refresh token still gets the same successor. 0 to 60. */
  readonly refresh_reuse_leeway_seconds: number;
}

/** A client as it is declared: metadata, and the secret if it has one. */
export interface ClientDeclaration {
  readonly metadata: ClientMetadata;
  readonly secret: string | undefined;
}

/** The scopes that a client is registered for. */
export function registeredScopes({ scope }: Pick<ClientMetadata, 'scope'>): readonly string[] {
  return parseScope(scope) ?? [];
}

/** Whether a client has registered keys, or where they are. */
export function hasKeys({ jwks, jwks_uri: uri }: Pick<ClientMetadata, 'jwks' | 'jwks_uri'>): boolean {
  return jwks !== undefined || uri !== undefined;
}

/** Whether a method of authentication needs a secret. */
export function usesSecret(method: unknown): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}
