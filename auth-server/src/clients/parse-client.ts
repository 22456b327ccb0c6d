import { weaknessOf } from '@trellis/runtime';
import { characterProblem, unfitTextIn } from '@trellis/runtime/admission';
import { isBoundedKey } from '@trellis/runtime/dpop';
import { z } from 'zod';
import type { ClientRules } from '../settings/settings.ts';
import { contradictionsOf } from './client-contradictions.ts';
import {
  authenticationMethods,
  CLIENT_ID,
  type ClientAuthenticationMethod,
  type ClientDeclaration,
  type ClientMetadata,
} from './client-metadata.ts';
import { redirectUriProblem } from './redirect-uri.ts';
import { adminScopes, parseScope } from './scopes.ts';
import { isFapi } from './security-profile.ts';

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

/** As users read it on pages. */
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
