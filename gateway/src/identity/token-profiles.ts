import type { ProfileName } from '../settings/authentication.ts';

/** Of which shape access tokens are. */
export interface TokenProfile {
  /** Values of `typ` that access tokens have, in lower case, without `application/`; `none` for those without. */
  readonly types: readonly string[];
  /** With public keys: a secret that both sides have verifies nothing here. RFC 8725 §3.1. */
  readonly algorithms: readonly string[];
  /** Where what is compared with the configured audience is. The first path that finds something counts. */
  readonly audience: readonly string[];
  /** Whether the audience has to be one string. @default false */
  readonly hasOneAudience?: true;
  readonly client: readonly string[];
  /** Whether tokens without a client are rejected, as ID tokens have none. @default false */
  readonly needsClient?: true;
  /** The values of all paths are united. `{audience}` is each configured audience. */
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly name: readonly string[];
  readonly email: readonly string[];
  readonly tenant: readonly string[];
  /** What a claim has to be where it marks access tokens. @default nothing */
  readonly marks?: Readonly<Record<string, readonly string[]>>;
  /** Claims that only ID tokens have. @default none */
  readonly foreign?: readonly string[];
  /** Claims by which a client that acts for itself is known, beside a `sub` that is its id. RFC 9068 §5. @default none */
  readonly machine?: Readonly<Record<string, string>>;
}

const STANDARD = {
  scopes: ['scope'],
  roles: ['roles'],
  groups: ['groups'],
  name: ['name'],
  email: ['email'],
} as const;

/** OpenID Connect Core §2, §3.1.3.6, §3.3.2.11. */
const OF_ID_TOKENS = ['nonce', 'at_hash', 'c_hash'] as const;

/** What our own auth-server issues. */
export const OWN_PROFILE: TokenProfile = {
  ...STANDARD,
  types: ['at+jwt'],
  algorithms: ['ES256', 'RS256'],
  audience: ['aud'],
  hasOneAudience: true,
  client: ['client_id'],
  tenant: [],
};

/** The profiles that an operator can choose. docs/trusted-issuers.md has where each comes from. */
export const tokenProfiles: Readonly<Record<ProfileName, TokenProfile>> = {
  rfc9068: {
    ...STANDARD,
    types: ['at+jwt'],
    algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
    audience: ['aud'],
    client: ['client_id'],
    scopes: ['scope', 'scp'],
    tenant: [],
  },
  auth0: {
    ...STANDARD,
    types: ['jwt', 'at+jwt'],
    algorithms: ['RS256', 'PS256'],
    audience: ['aud'],
    client: ['azp', 'client_id'],
    needsClient: true,
    scopes: ['scope', 'permissions'],
    tenant: ['org_id'],
    foreign: OF_ID_TOKENS,
    machine: { gty: 'client-credentials' },
  },
  keycloak: {
    ...STANDARD,
    types: ['jwt', 'at+jwt'],
    algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'],
    audience: ['aud'],
    client: ['azp', 'client_id'],
    roles: ['realm_access.roles', 'resource_access.{audience}.roles'],
    name: ['name', 'preferred_username'],
    tenant: [],
    marks: { typ: ['Bearer', 'DPoP'] },
  },
  okta: {
    ...STANDARD,
    types: ['none', 'jwt', 'at+jwt'],
    algorithms: ['RS256'],
    audience: ['aud'],
    client: ['cid'],
    needsClient: true,
    scopes: ['scp'],
    tenant: [],
    foreign: OF_ID_TOKENS,
  },
  entra: {
    ...STANDARD,
    types: ['jwt'],
    algorithms: ['RS256'],
    audience: ['aud'],
    client: ['azp', 'appid'],
    needsClient: true,
    scopes: ['scp'],
    name: ['name', 'preferred_username'],
    email: ['preferred_username'], // the administrator of any tenant can write anything into its claim email
    tenant: ['tid'],
    foreign: OF_ID_TOKENS,
    machine: { idtyp: 'app' },
  },
  cognito: {
    ...STANDARD,
    types: ['none', 'jwt'],
    algorithms: ['RS256'],
    audience: ['client_id'],
    client: ['client_id'],
    needsClient: true,
    roles: ['cognito:groups'],
    groups: ['cognito:groups'],
    name: ['username'],
    tenant: [],
    marks: { token_use: ['access'] },
  },
  google: {
    ...STANDARD,
    types: ['jwt'],
    algorithms: ['RS256', 'ES256'],
    audience: ['aud'],
    client: ['azp'],
    scopes: [],
    roles: [],
    tenant: ['hd'],
  },
  general: {
    ...STANDARD,
    types: ['none', 'jwt', 'at+jwt'],
    algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
    audience: ['aud'],
    client: ['client_id', 'azp', 'cid', 'appid'],
    scopes: ['scope', 'scp', 'permissions'],
    tenant: ['tid', 'org_id'],
    foreign: OF_ID_TOKENS,
  },
};
