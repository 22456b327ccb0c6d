import { responseModes } from '../authorize/check-response-type.ts';
import { PROOF_ALGORITHMS } from '@trellis/runtime/dpop';
import type { FastifyInstance } from 'fastify';
import { assertionAlgorithms, clientAuthenticationMethods } from '../clients/client-metadata.ts';
import { grantHandlers } from '../grants/index.ts';
import { addEndpoint, type RouteHandler } from '../http/endpoint.ts';
import type { Settings, HasSettings } from '../settings/settings.ts';
import { signingAlgorithms } from '../keys/signing-keys.ts';
import { supportedAcrValues } from '../accounts/authentication-context.ts';
import { supportedClaims } from '../accounts/user-claims.ts';
import { paths } from '../paths.ts';

/** What is advertised to clients. */
export type DiscoveryFeatures = HasSettings;

const CACHE_CONTROL = 'public, max-age=300';

/**
 * What clients need to know of this server, under both names. Only what works is in it.
 *
 * @see OpenID Connect Discovery §3, RFC 8414 §2
 */
export function addOpenidConfigurationRoute(server: FastifyInstance, features: DiscoveryFeatures): void {
  addEndpoint(
    server,
    '/.well-known/openid-configuration',
    { GET: sendMetadata(features.settings) },
    { cors: true },
  );
}

/** RFC 8414 §3.1 has the well-known part before the issuer's own path. */
export function addAuthorizationServerMetadataRoute(
  server: FastifyInstance,
  features: DiscoveryFeatures,
): void {
  const path = new URL(features.settings.issuer).pathname.replace(/\/$/, '');
  addEndpoint(
    server,
    `/.well-known/oauth-authorization-server${path}`,
    { GET: sendMetadata(features.settings) },
    { cors: true },
  );
}

function sendMetadata(settings: Settings): RouteHandler {
  const metadata = serverMetadata(settings);
  return (_request, reply) => reply.header('cache-control', CACHE_CONTROL).send(metadata);
}

function serverMetadata(settings: Settings): Readonly<Record<string, unknown>> {
  const { issuer, scopes, registrationToken } = settings;
  const methods = clientAuthenticationMethods(settings);
  const confidentialMethods = methods.filter((method) => method !== 'none');
  return {
    issuer,
    authorization_endpoint: `${issuer}${paths.authorize}`,
    token_endpoint: `${issuer}${paths.token}`,
    userinfo_endpoint: `${issuer}${paths.userinfo}`,
    device_authorization_endpoint: `${issuer}${paths.deviceAuthorization}`,
    pushed_authorization_request_endpoint: `${issuer}${paths.par}`,
    require_pushed_authorization_requests: false,
    jwks_uri: `${issuer}${paths.jwks}`,
    revocation_endpoint: `${issuer}${paths.revoke}`,
    introspection_endpoint: `${issuer}${paths.introspect}`,
    ...(registrationToken !== undefined && { registration_endpoint: `${issuer}${paths.register}` }),
    end_session_endpoint: `${issuer}${paths.logout}`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    grant_types_supported: [...grantHandlers.keys()],
    code_challenge_methods_supported: ['S256'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: confidentialMethods,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_signing_alg_values_supported: signingAlgorithms,
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    ...certificateMetadata(settings),
    claims_supported: [
      ...supportedClaims,
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'acr',
      'amr',
      'nonce',
      'at_hash',
      'sid',
    ],
    claim_types_supported: ['normal'],
    acr_values_supported: supportedAcrValues,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['en', 'de', 'zh'],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: assertionAlgorithms,
    require_signed_request_object: false,
    request_uri_parameter_supported: false,
  };
}

/** RFC 8705 §3.3, §5 */
function certificateMetadata({ certificates, certificateUrl }: Settings): Readonly<Record<string, unknown>> {
  if (certificates === 'none') return {};
  return {
    tls_client_certificate_bound_access_tokens: true,
    ...(certificateUrl !== undefined && { mtls_endpoint_aliases: aliasesAt(certificateUrl) }),
  };
}

function aliasesAt(base: string): Readonly<Record<string, string>> {
  return {
    token_endpoint: `${base}${paths.token}`,
    userinfo_endpoint: `${base}${paths.userinfo}`,
    device_authorization_endpoint: `${base}${paths.deviceAuthorization}`,
    pushed_authorization_request_endpoint: `${base}${paths.par}`,
    revocation_endpoint: `${base}${paths.revoke}`,
    introspection_endpoint: `${base}${paths.introspect}`,
  };
}
