import type { ProfileName } from '../../src/settings/authentication.ts';

/** JSON as a token has it. */
export type Claims = Readonly<Record<string, unknown>>;

/** Access tokens as a provider documents them. */
export interface TokenShape {
  /** Where the provider says so, as of 2026. */
  readonly source: string;
  /** Without `alg` and `kid`, which all of them have. */
  readonly header: Claims;
  /** Beside `iss`, `iat` and `exp`. */
  readonly claims: (audience: string) => Claims;
  /** What the gateway makes of it. */
  readonly caller: {
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly roles: readonly string[];
    readonly name?: string;
    readonly tenant?: string;
    readonly groups?: readonly string[];
  };
  /** Claims that turn it into another kind of token of the same issuer; members that are undefined are left out. */
  readonly others: Readonly<Record<string, Claims>>;
  /** The claim that the audience is compared with. */
  readonly audienceClaim: string;
  /** The claim of the client. */
  readonly clientClaim: string;
  /** The claim of the scopes; absent where there are none. */
  readonly scopeClaim?: string;
}

const SUBJECT = '5f9c1a3e-7d2b-4c8e-9a61-0b2d4e6f8a1c';
const ID_TOKEN = { nonce: 'n-0S6_WzA2Mj', at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' };

/** One for each profile that is a provider's, or a standard's. */
export const tokenShapes: Readonly<Record<Exclude<ProfileName, 'general'>, TokenShape>> = {
  auth0: {
    source:
      'auth0.com/docs/secure/tokens/access-tokens/access-token-profiles: typ JWT, aud a text or a list with /userinfo, azp, scope, permissions with RBAC',
    header: { typ: 'JWT' },
    claims: (audience) => ({
      sub: 'auth0|6553da60a54af58e29493993',
      aud: [audience, 'https://graph-example.eu.auth0.com/userinfo'],
      azp: 'spa-client',
      scope: 'openid profile read:data',
      permissions: ['write:data'],
      org_id: 'org_1',
    }),
    caller: {
      clientId: 'spa-client',
      scopes: ['openid', 'profile', 'read:data', 'write:data'],
      roles: [],
      tenant: 'org_1',
    },
    others: {
      'ID token': {
        aud: 'spa-client',
        azp: undefined,
        scope: undefined,
        permissions: undefined,
        ...ID_TOKEN,
      },
      'ID token for the same audience': { scope: undefined, permissions: undefined, ...ID_TOKEN },
    },
    audienceClaim: 'aud',
    clientClaim: 'azp',
    scopeClaim: 'scope',
  },
  keycloak: {
    source:
      'keycloak.org/docs, Server Administration, and org.keycloak.representations.AccessToken: typ JWT in the header, Bearer in the claims, azp, realm_access, resource_access',
    header: { typ: 'JWT' },
    claims: (audience) => ({
      sub: SUBJECT,
      jti: 'onrtac:312ee6',
      typ: 'Bearer',
      aud: [audience, 'account'],
      azp: 'web',
      sid: '4c0a3a8a',
      acr: '1',
      'allowed-origins': ['https://web.example'],
      realm_access: { roles: ['default-roles-staff', 'operator'] },
      resource_access: { [audience]: { roles: ['editor'] }, account: { roles: ['manage-account'] } },
      scope: 'openid profile email read:data',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      email: 'ada@example.com',
    }),
    caller: {
      clientId: 'web',
      scopes: ['openid', 'profile', 'email', 'read:data'],
      roles: ['default-roles-staff', 'operator', 'editor'],
      name: 'Ada Lovelace',
    },
    others: {
      'ID token': { typ: 'ID', ...ID_TOKEN },
      'refresh token': { typ: 'Refresh' },
      'logout token': { typ: 'Logout' },
    },
    audienceClaim: 'aud',
    clientClaim: 'azp',
    scopeClaim: 'scope',
  },
  okta: {
    source:
      'developer.okta.com/docs/api/openapi/okta-oauth, Tokens and claims: no typ, ver, cid, uid, scp a list',
    header: {},
    claims: (audience) => ({
      ver: 1,
      jti: 'AT.MNAoEQ_jbKqoinrQo1D0XKjMX28U5d7ZszBceot7-Ts',
      aud: audience,
      sub: 'ada@example.com',
      cid: '0oabcde',
      uid: '00u1xyz',
      scp: ['openid', 'read:data'],
      auth_time: 1_700_000_000,
      groups: ['Everyone', 'Editors'],
    }),
    caller: {
      clientId: '0oabcde',
      scopes: ['openid', 'read:data'],
      roles: [],
      groups: ['Everyone', 'Editors'],
    },
    others: {
      'ID token': { aud: '0oabcde', cid: undefined, uid: undefined, scp: undefined, ...ID_TOKEN },
      'ID token for the same audience': { cid: undefined, scp: undefined },
    },
    audienceClaim: 'aud',
    clientClaim: 'cid',
    scopeClaim: 'scp',
  },
  entra: {
    source:
      'learn.microsoft.com/entra/identity-platform/access-token-claims-reference, v2.0: typ JWT, azp, scp a text, roles, tid, oid; ID tokens have no azp',
    header: { typ: 'JWT' },
    claims: (audience) => ({
      aud: audience,
      azp: '22223333-bbbb',
      azpacr: '0',
      name: 'Ada Lovelace',
      oid: '690222be',
      preferred_username: 'ada@example.com',
      roles: ['Editor'],
      scp: 'read:data write:data',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      uti: 'fqiBqXLPj0eQa82S-IYFAA',
      ver: '2.0',
    }),
    caller: {
      clientId: '22223333-bbbb',
      scopes: ['read:data', 'write:data'],
      roles: ['Editor'],
      name: 'Ada Lovelace',
      tenant: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
    },
    others: {
      'ID token': { azp: undefined, azpacr: undefined, scp: undefined, ...ID_TOKEN },
      'ID token without a nonce': { azp: undefined, azpacr: undefined, scp: undefined },
    },
    audienceClaim: 'aud',
    clientClaim: 'azp',
    scopeClaim: 'scp',
  },
  cognito: {
    source:
      'docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html: kid and alg alone in the header, token_use access, client_id, no aud, cognito:groups',
    header: {},
    claims: (audience) => ({
      sub: SUBJECT,
      'cognito:groups': ['editors'],
      version: 2,
      client_id: audience,
      origin_jti: 'aaaaaaaa',
      token_use: 'access',
      scope: 'openid graph/read:data',
      auth_time: 1_700_000_000,
      jti: 'bbbbbbbb',
      username: 'ada',
    }),
    caller: {
      clientId: '1example23456789',
      scopes: ['openid', 'graph/read:data'],
      roles: ['editors'],
      groups: ['editors'],
      name: 'ada',
    },
    others: {
      'ID token': {
        client_id: undefined,
        aud: '1example23456789',
        token_use: 'id',
        'cognito:username': 'ada',
      },
      'ID token with a client_id': { token_use: 'id' },
      'token of no use': { token_use: undefined },
    },
    audienceClaim: 'client_id',
    clientClaim: 'client_id',
    scopeClaim: 'scope',
  },
  google: {
    source:
      "developers.google.com/identity/openid-connect/openid-connect, An ID token's payload: azp, aud the client id, hd; access tokens are opaque",
    header: { typ: 'JWT' },
    claims: (audience) => ({
      azp: 'android.apps.googleusercontent.com',
      aud: audience,
      sub: '10769150350006150715113082367',
      hd: 'example.com',
      email: 'ada@example.com',
      email_verified: true,
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
      nonce: '0394852-3190485-2490358',
      name: 'Ada Lovelace',
    }),
    caller: {
      clientId: 'android.apps.googleusercontent.com',
      scopes: [],
      roles: [],
      name: 'Ada Lovelace',
      tenant: 'example.com',
    },
    others: { 'ID token for another client': { aud: 'android.apps.googleusercontent.com' } },
    audienceClaim: 'aud',
    clientClaim: 'azp',
  },
  rfc9068: {
    source: 'RFC 9068 §2: typ at+jwt, client_id, jti, scope; §2.2.3.1: roles, groups',
    header: { typ: 'at+jwt' },
    claims: (audience) => ({
      sub: SUBJECT,
      aud: [audience, 'https://other.example'],
      client_id: 's6BhdRkqt3',
      jti: 'dbe39bf3a3ba4238a513f51d6e1691c4',
      scope: 'openid read:data',
      roles: ['EDITOR'],
      groups: ['staff'],
    }),
    caller: { clientId: 's6BhdRkqt3', scopes: ['openid', 'read:data'], roles: ['EDITOR'], groups: ['staff'] },
    others: { 'ID token': { aud: 's6BhdRkqt3', client_id: undefined, ...ID_TOKEN } },
    audienceClaim: 'aud',
    clientClaim: 'client_id',
    scopeClaim: 'scope',
  },
};
