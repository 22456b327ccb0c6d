import { exportJWK, generateKeyPair, type CryptoKey } from 'jose';

/** Where the web clients' responses go. */
export const CALLBACK = 'https://app.example/callback';

/** What access tokens are for. */
export const API = 'https://api.example/graphql';

/** The secret of every client that has one; `:`, `+`, `%` and a blank need encoding in Basic. */
export const CLIENT_SECRET = 'a secret: 100% + long enough to be good';

/** A key pair of the client that signs assertions. */
export interface AssertionKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: Record<string, unknown>;
}

export async function createAssertionKey(): Promise<AssertionKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: 'client-key', alg: 'ES256' } };
}

/** The clients that tests use, as a clients file declares them. */
export function testClients(assertionJwk: Record<string, unknown>): readonly Record<string, unknown>[] {
  const code = { redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'refresh_token'] };
  return [
    {
      ...code,
      client_id: 'spa',
      client_name: 'The <b>Web</b> App',
      token_endpoint_auth_method: 'none',
      post_logout_redirect_uris: ['https://app.example/bye', 'https://app.example/bye?x=1'],
    },
    {
      ...code,
      client_id: 'other-spa',
      redirect_uris: ['https://other.example/callback'],
      token_endpoint_auth_method: 'none',
    },
    { ...code, client_id: 'first-party', token_endpoint_auth_method: 'none', first_party: true },
    { ...code, client_id: 'basic', client_secret: CLIENT_SECRET },
    {
      ...code,
      client_id: 'post',
      client_secret: CLIENT_SECRET,
      token_endpoint_auth_method: 'client_secret_post',
    },
    {
      ...code,
      client_id: 'jwt',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [assertionJwk] },
    },
    {
      ...code,
      client_id: 'rs256',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'RS256',
    },
    { ...code, client_id: 'lenient', token_endpoint_auth_method: 'none', refresh_reuse_leeway_seconds: 30 },
    { ...code, client_id: 'narrow', token_endpoint_auth_method: 'none', scope: 'openid read:data' },
    { ...code, client_id: 'aged', token_endpoint_auth_method: 'none', default_max_age: 0 },
    {
      ...code,
      client_id: 'no-refresh',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
    },
    {
      ...code,
      client_id: 'pushing',
      token_endpoint_auth_method: 'none',
      require_pushed_authorization_requests: true,
    },
    {
      ...code,
      client_id: 'several',
      token_endpoint_auth_method: 'none',
      redirect_uris: [CALLBACK, 'https://app.example/second?tenant=1'],
    },
    {
      ...code,
      client_id: 'native',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: [
        'http://127.0.0.1/callback',
        'http://[::1]/callback',
        'com.example.app:/callback',
        'http://localhost:7777/callback',
      ],
    },
    {
      client_id: 'television',
      client_name: 'Television',
      token_endpoint_auth_method: 'none',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    },
    {
      ...code,
      client_id: 'endpoint-audience',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [assertionJwk] },
      token_endpoint_audience: true,
    },
    {
      ...code,
      client_id: 'exempt',
      client_secret: CLIENT_SECRET,
      pkce_exempt: true,
      default_scope: 'openid profile',
    },
    { ...code, client_id: 'unvetted', token_endpoint_auth_method: 'none', unvetted: true },
    { ...code, client_id: 'bound', token_endpoint_auth_method: 'none', dpop_bound_access_tokens: true },
    {
      client_id: 'machine',
      client_secret: CLIENT_SECRET,
      grant_types: ['client_credentials'],
      scope: 'openid read:data write:data',
    },
  ];
}
