import type { ClientRules } from '../settings/settings.ts';
import { namedSubjects, subjectMembers, subjectProblem } from './certificate-subject.ts';
import {
  clientAuthenticationMethods,
  hasKeys,
  registeredScopes,
  usesSecret,
  type ClientDeclaration,
  type ClientMetadata,
} from './client-metadata.ts';
import { TOKEN_EXCHANGE_GRANT, unattendedGrants } from './grant-types.ts';
import { hasCertificate } from './registered-certificates.ts';
import { includesAll, isKnownScope } from './scopes.ts';
import { profileProblems } from './security-profile.ts';

/** What is wrong between the members of a client's metadata, or with what this server can do: a sentence each. */
export function contradictionsOf({ metadata, secret }: ClientDeclaration, rules: ClientRules): string[] {
  const method = metadata.token_endpoint_auth_method;
  const hasSecret = usesSecret(method);
  const usesCode = metadata.grant_types.includes('authorization_code');
  const registered = registeredScopes(metadata);
  const defaults = registeredScopes({ scope: metadata.default_scope ?? metadata.scope });
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
