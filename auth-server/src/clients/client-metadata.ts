import { weaknessOf } from '@trellis/runtime';
import { characterProblem, isBoundedKey, unfitTextIn } from '@trellis/admission';
import { z } from 'zod';
import type { ClientRules } from '../settings/settings.ts';
import { TOKEN_EXCHANGE_GRANT, unattendedGrants } from './grant-types.ts';
import {
  namedSubjects,
  subjectMembers,
  subjectProblem,
  type CertificateSubject,
} from './certificate-subject.ts';
import { hasCertificate } from './registered-certificates.ts';
import { redirectUriProblem } from './redirect-uri.ts';
import { allowedAlgorithms, isFapi, profileProblems, type SecurityProfile } from './security-profile.ts';
import { adminScopes, includesAll, isKnownScope, parseScope } from './scopes.ts';

/** How a client proves who it is at the token endpoint. RFC 7591 §2 */
export type ClientAuthenticationMethod = (typeof authenticationMethods)[number];

const authenticationMethods = [
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

const CLIENT_ID = /^[\x21-\x7E]{1,200}$/;

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

const redirectUri = z.string().superRefine((uri, context) => {
  const problem = redirectUriProblem(uri);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(uri)} ${problem}` });
});

const webAddress = z.string().superRefine((uri, context) => {
  const problem = redirectUriProblem(uri) ?? (/^https?:/.test(uri) ? undefined : 'is no web address');
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(uri)} ${problem}` });
});

const signingAlgorithm = z.enum(['ES256', 'RS256', 'PS256', 'EdDSA']);

const publicKey = z
  .record(z.string(), z.unknown())
  .refine((key) => key['kty'] !== 'oct' && !('d' in key), {
    error: 'must hold public keys only',
  })
  .refine((key) => key['kty'] !== 'RSA' || isBoundedKey(key), {
    error: 'must have 2,048 to 4,096 bits and the exponent 65,537 where they are of RSA', // anybody can have one used
  });

/** As people read it on pages. */
const clientName = z
  .string()
  .min(1)
  .max(200)
  .superRefine((name, context) => {
    const problem = characterProblem(name, 'line');
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const scopeList = z
  .string()
  .refine((scope) => parseScope(scope) !== undefined, { error: 'is not a list of scopes' });

/** Parted by blanks in requests. */
const acrValue = z.string().regex(/^[\x21-\x7E]{1,200}$/, { error: 'must be visible ASCII characters' });

const certificateName = z.string().min(1).max(1_000);

const declared = z.object({
  client_id: z.string().regex(CLIENT_ID, { error: 'must be 1 to 200 visible ASCII characters' }),
  client_secret: z
    .string()
    .regex(/^[\x20-\x7E]{1,500}$/, { error: 'must be 1 to 500 ASCII characters' })
    .superRefine((secret, context) => {
      const weakness = weaknessOf(secret);
      if (weakness !== undefined) context.addIssue({ code: 'custom', message: weakness });
    })
    .optional(),
  client_name: clientName.optional(),
  logo_uri: webAddress.max(2_000).optional(),
  client_uri: webAddress.max(2_000).optional(),
  policy_uri: webAddress.max(2_000).optional(),
  tos_uri: webAddress.max(2_000).optional(),
  redirect_uris: z.array(redirectUri).max(50).default([]),
  post_logout_redirect_uris: z.array(redirectUri).max(50).default([]),
  grant_types: z.array(z.string()).max(20).default(['authorization_code', 'refresh_token']),
  response_types: z.array(z.literal('code')).optional(),
  token_endpoint_auth_method: z.enum(authenticationMethods).optional(),
  token_endpoint_auth_signing_alg: signingAlgorithm.optional(),
  jwks: z.object({ keys: z.array(publicKey).min(1).max(20) }).optional(),
  jwks_uri: webAddress.max(2_000).optional(),
  request_object_signing_alg: signingAlgorithm.optional(),
  require_signed_request_object: z.boolean().default(false),
  scope: scopeList.optional(),
  backchannel_logout_uri: webAddress.optional(),
  backchannel_logout_session_required: z.boolean().default(false),
  application_type: z.enum(['web', 'native']).default('web'),
  id_token_signed_response_alg: z.enum(['ES256', 'RS256']).default('ES256'),
  default_max_age: z.int().min(0).optional(),
  require_auth_time: z.boolean().default(false),
  default_acr_values: z.array(acrValue).min(1).max(20).optional(),
  tls_client_auth_subject_dn: certificateName.optional(),
  tls_client_auth_san_dns: certificateName.optional(),
  tls_client_auth_san_uri: certificateName.optional(),
  tls_client_auth_san_ip: certificateName.optional(),
  tls_client_auth_san_email: certificateName.optional(),
  tls_client_certificate_bound_access_tokens: z.boolean().default(false),
  dpop_bound_access_tokens: z.boolean().optional(),
  require_pushed_authorization_requests: z.boolean().optional(),
  security_profile: z.literal('fapi2').optional(),
  first_party: z.boolean().default(false),
  unvetted: z.boolean().default(false),
  pkce_exempt: z.boolean().default(false),
  token_endpoint_audience: z.boolean().default(false),
  default_scope: scopeList.optional(),
  introspection_signed_response_alg: z.enum(['ES256', 'RS256']).optional(),
  introspection_encrypted_response_alg: z.never({ error: 'is not supported' }).optional(),
  introspection_encrypted_response_enc: z.never({ error: 'is not supported' }).optional(),
  resource_audiences: z.array(z.string()).min(1).max(20).optional(),
  token_exchange_audiences: z.array(z.string()).min(1).max(20).optional(),
  token_exchange_impersonation: z.boolean().optional(),
  refresh_reuse_leeway_seconds: z.int().min(0).max(60).default(0),
});

type Declared = z.output<typeof declared>;

/** What {@link parseClient} found: a client, or all that is wrong with it, a sentence each. */
export type ParsedClient =
  | { readonly kind: 'client'; readonly client: ClientDeclaration }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/**
 * Reads one client's metadata. Members that are not known are ignored (RFC 7591 §2). Without
 * `token_endpoint_auth_method` it is client_secret_basic for a client with a secret, private_key_jwt for one with keys,
 * else none.
 *
 * @param rules what `scope` and `grant_types` may name; the default of `scope` is all but those for administration
 */
export function parseClient(value: unknown, rules: ClientRules): ParsedClient {
  const unfit = unfitTextIn(value, 'token');
  if (unfit) return { kind: 'problems', problems: [`${unfit.path || 'client'}: ${unfit.problem}`] };
  const parsed = declared.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'client'}: ${issue.message}`,
    );
    return { kind: 'problems', problems };
  }
  const client = complete(parsed.data, rules);
  const problems = contradictionsOf(client, rules);
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'client', client };
}

function complete(given: Declared, { scopes }: ClientRules): ClientDeclaration {
  const {
    client_secret: secret,
    response_types: _codeOnly,
    introspection_encrypted_response_alg: _alg,
    introspection_encrypted_response_enc: _enc,
    ...rest
  } = given;
  const isProfiled = isFapi(given);
  const isBound = isProfiled && !given.tls_client_certificate_bound_access_tokens;
  const metadata: ClientMetadata = {
    ...rest,
    client_name: given.client_name ?? given.client_id,
    token_endpoint_auth_method: given.token_endpoint_auth_method ?? defaultMethod(given),
    scope: given.scope ?? scopes.filter((scope) => !adminScopes.includes(scope)).join(' '),
    dpop_bound_access_tokens: given.dpop_bound_access_tokens ?? isBound,
    require_pushed_authorization_requests: given.require_pushed_authorization_requests ?? isProfiled,
  };
  return { metadata, secret };
}

function defaultMethod(given: Declared): ClientAuthenticationMethod {
  if (given.client_secret !== undefined) return 'client_secret_basic';
  return given.jwks || given.jwks_uri !== undefined ? 'private_key_jwt' : 'none';
}

/** Whether a client has registered keys, or where they are. */
export function hasKeys({ jwks, jwks_uri: uri }: Pick<ClientMetadata, 'jwks' | 'jwks_uri'>): boolean {
  return jwks !== undefined || uri !== undefined;
}

/** Whether a method of authentication needs a secret. */
export function usesSecret(method: unknown): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

function contradictionsOf({ metadata, secret }: ClientDeclaration, rules: ClientRules): string[] {
  const method = metadata.token_endpoint_auth_method;
  const hasSecret = usesSecret(method);
  const usesCode = metadata.grant_types.includes('authorization_code');
  const registered = parseScope(metadata.scope) ?? [];
  const defaults = parseScope(metadata.default_scope ?? metadata.scope) ?? [];
  const unknownScopes = registered.filter((scope) => !isKnownScope(rules.scopes, scope));
  const unknownGrants = metadata.grant_types.filter((type) => !rules.grantTypes.includes(type));
  const problems: (readonly [boolean, string])[] = [
    [hasSecret && secret === undefined, `client_secret: is needed for ${method}`],
    [!hasSecret && secret !== undefined, `client_secret: has no use with ${method}`],
    [
      metadata.jwks !== undefined && metadata.jwks_uri !== undefined,
      'jwks: goes with no jwks_uri (RFC 7591 §2)',
    ],
    [method === 'private_key_jwt' && !hasKeys(metadata), 'jwks: is needed for private_key_jwt, or jwks_uri'],
    [
      metadata.require_signed_request_object && !hasKeys(metadata),
      'jwks: is needed for require_signed_request_object, or jwks_uri',
    ],
    [usesCode && metadata.redirect_uris.length === 0, 'redirect_uris: at least one is needed'],
    ...certificateProblems(metadata, rules),
    ...unattendedProblems(metadata),
    ...exchangeProblems(metadata, rules),
    [metadata.pkce_exempt && method === 'none', 'pkce_exempt: needs a client that authenticates'],
    [
      metadata.token_endpoint_audience && method !== 'private_key_jwt',
      `token_endpoint_audience: has no use with ${method}`,
    ],
    [!includesAll(registered, defaults), 'default_scope: is not within scope'],
    [unknownGrants.length > 0, `grant_types: unknown here: ${unknownGrants.join(' ')}`],
    [unknownScopes.length > 0, `scope: unknown here: ${unknownScopes.join(' ')}`],
    ...profileProblems(metadata),
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

type Problem = [boolean, string];

/** RFC 8705 §2.1.2, §2.2.2, §3.4 */
function certificateProblems(metadata: ClientMetadata, rules: ClientRules): Problem[] {
  const method = metadata.token_endpoint_auth_method;
  const members = namedSubjects(metadata);
  const nameProblems = members.map((member): Problem => {
    const problem = subjectProblem(member, metadata[member] ?? '');
    return [problem !== undefined, `${member}: ${problem ?? ''}`];
  });
  const isBound = metadata.tls_client_certificate_bound_access_tokens;
  const hasCertificates = metadata.jwks === undefined || metadata.jwks.keys.some(hasCertificate);
  return [
    [
      !clientAuthenticationMethods(rules).includes(method),
      `token_endpoint_auth_method: ${method} is not possible with the configuration of this server`,
    ],
    [
      isBound && rules.certificates === 'none',
      'tls_client_certificate_bound_access_tokens: is not possible with the configuration of this server',
    ],
    ...nameProblems,
    [
      method === 'tls_client_auth' && members.length !== 1,
      `token_endpoint_auth_method: tls_client_auth needs one of ${subjectMembers.join(', ')}`,
    ],
    [method !== 'tls_client_auth' && members.length > 0, `${members.join(', ')}: has no use with ${method}`],
    [
      method === 'self_signed_tls_client_auth' && (!hasKeys(metadata) || !hasCertificates),
      'jwks: is needed for self_signed_tls_client_auth, or jwks_uri, with the certificate as x5c of a key',
    ],
  ];
}

function unattendedProblems({
  grant_types: types,
  token_endpoint_auth_method: method,
}: ClientMetadata): Problem[] {
  return types
    .filter((type) => unattendedGrants.includes(type))
    .map((type) => [
      method === 'none',
      `grant_types: ${type} needs a client that authenticates (RFC 6749 §4.4)`,
    ]);
}

function exchangeProblems(metadata: ClientMetadata, { apiAudiences }: ClientRules): Problem[] {
  const { resource_audiences: served, token_exchange_audiences: targets } = metadata;
  const exchanges = metadata.grant_types.includes(TOKEN_EXCHANGE_GRANT);
  const unknownIn = (names: readonly string[] = []): readonly string[] =>
    names.filter((name) => !apiAudiences.includes(name));
  return [
    [unknownIn(served).length > 0, `resource_audiences: unknown here: ${unknownIn(served).join(' ')}`],
    [
      unknownIn(targets).length > 0,
      `token_exchange_audiences: unknown here: ${unknownIn(targets).join(' ')}`,
    ],
    [!exchanges && targets !== undefined, 'token_exchange_audiences: has no use without the grant type'],
    [
      !exchanges && metadata.token_exchange_impersonation === true,
      'token_exchange_impersonation: has no use without the grant type',
    ],
    [
      served !== undefined && metadata.token_endpoint_auth_method === 'none',
      'resource_audiences: needs a client that authenticates',
    ],
  ];
}
