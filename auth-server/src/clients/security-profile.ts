/** Sets of rules that a client can be registered to be held to. `fapi2`: FAPI 2.0 Security Profile. */
export type SecurityProfile = 'fapi2';

/** Longest lifetime of an authorization code under FAPI 2.0, seconds. §5.3.2.1 */
const FAPI_CODE_TTL_S = 60;

/** Algorithms that FAPI 2.0 leaves. §5.4.1 */
const FAPI_ALGORITHMS: ReadonlySet<string> = new Set(['PS256', 'ES256', 'EdDSA']);

/** Grant types to which FAPI 2.0 has rules. §5.3.2 */
const FAPI_GRANT_TYPES: ReadonlySet<string> = new Set([
  'authorization_code',
  'refresh_token',
  'client_credentials',
]);

/** Methods by which clients authenticate under FAPI 2.0. §5.3.2.1 (6) */
const FAPI_METHODS: ReadonlySet<string> = new Set([
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
]);

interface HasProfile {
  readonly security_profile?: SecurityProfile | undefined;
}

/** What of a registration the profile has rules for. */
export interface ProfiledMetadata extends HasProfile {
  readonly token_endpoint_auth_method: string;
  readonly token_endpoint_auth_signing_alg?: string | undefined;
  readonly request_object_signing_alg?: string | undefined;
  readonly id_token_signed_response_alg: string;
  readonly grant_types: readonly string[];
  readonly redirect_uris: readonly string[];
  readonly application_type: string;
  readonly dpop_bound_access_tokens: boolean;
  readonly tls_client_certificate_bound_access_tokens: boolean;
  readonly require_pushed_authorization_requests: boolean;
  readonly pkce_exempt: boolean;
  readonly token_endpoint_audience: boolean;
  readonly refresh_reuse_leeway_seconds: number;
}

/** Whether a client is held to FAPI 2.0. */
export function isFapi({ security_profile: profile }: HasProfile): boolean {
  return profile === 'fapi2';
}

/** Those of the algorithms by which a client may sign. */
export function allowedAlgorithms(algorithms: readonly string[], metadata: HasProfile): readonly string[] {
  return isFapi(metadata) ? algorithms.filter((algorithm) => FAPI_ALGORITHMS.has(algorithm)) : algorithms;
}

/** How long the authorization codes of a client live, seconds. @param codeTtlS of other clients */
export function codeTtlOf(metadata: HasProfile, codeTtlS: number): number {
  return isFapi(metadata) ? Math.min(codeTtlS, FAPI_CODE_TTL_S) : codeTtlS;
}

/** Whether the refresh tokens of a client stay as they are: it proves by a key that they are its own. §5.3.2.1 */
export function keepsRefreshTokens(metadata: HasProfile): boolean {
  return isFapi(metadata);
}

/** What of a registration FAPI 2.0 does not allow, a sentence each; nothing for other clients. §5.3.2, §5.4 */
export function profileProblems(metadata: ProfiledMetadata): readonly (readonly [boolean, string])[] {
  if (!isFapi(metadata)) return [];
  const { token_endpoint_auth_method: method, grant_types: grantTypes } = metadata;
  const otherGrants = grantTypes.filter((type) => !FAPI_GRANT_TYPES.has(type));
  const plainUris = metadata.redirect_uris.filter((uri) => uri.startsWith('http:'));
  const isRsa = (algorithm: string | undefined): boolean => algorithm === 'RS256';
  const rule = ' with security_profile fapi2';
  return [
    [
      !FAPI_METHODS.has(method),
      `token_endpoint_auth_method: must be private_key_jwt, tls_client_auth or self_signed_tls_client_auth${rule}`,
    ],
    [
      !metadata.dpop_bound_access_tokens && !metadata.tls_client_certificate_bound_access_tokens,
      `dpop_bound_access_tokens: must not be false without tls_client_certificate_bound_access_tokens${rule}`,
    ],
    [
      !metadata.require_pushed_authorization_requests,
      `require_pushed_authorization_requests: must not be false${rule}`,
    ],
    [metadata.pkce_exempt, `pkce_exempt: must not be true${rule}`],
    [metadata.token_endpoint_audience, `token_endpoint_audience: must not be true${rule}`],
    [metadata.refresh_reuse_leeway_seconds > 0, `refresh_reuse_leeway_seconds: has no use${rule}`],
    [otherGrants.length > 0, `grant_types: not possible${rule}: ${otherGrants.join(' ')}`],
    [
      plainUris.length > 0 && metadata.application_type !== 'native',
      `redirect_uris: must be https${rule}, but for loopback addresses of native clients`,
    ],
    [
      isRsa(metadata.token_endpoint_auth_signing_alg) ||
        isRsa(metadata.request_object_signing_alg) ||
        isRsa(metadata.id_token_signed_response_alg),
      `signing algorithms: must be PS256, ES256 or EdDSA${rule}`,
    ],
  ];
}
