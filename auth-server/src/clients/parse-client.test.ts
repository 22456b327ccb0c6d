import { describe, expect, it } from 'vitest';
import { parseClient } from './parse-client.ts';

const RULES = {
  scopes: ['openid', 'read:data'],
  apiAudiences: [],
  certificates: 'none' as const,
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
};
const PUBLIC_KEY = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
const SECRET = 'x9-Lq27_vTfPw0aZ8rNdK3';
const parse = (client: Record<string, unknown>) =>
  parseClient({ client_id: 'x', redirect_uris: ['https://app.example/cb'], ...client }, RULES);

describe('RFC 7591 §2: client metadata', () => {
  it('completes what is not said', () => {
    expect(parse({ unknown_member: 1 })).toMatchObject({
      kind: 'client',
      client: {
        secret: undefined,
        metadata: {
          client_name: 'x',
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          scope: 'openid read:data',
          application_type: 'web',
        },
      },
    });
  });

  it('G9: turns on what a profile needs', () => {
    const parsed = parse({ jwks_uri: 'https://app.example/keys', security_profile: 'fapi2' });
    expect(parsed).toMatchObject({
      client: {
        metadata: {
          token_endpoint_auth_method: 'private_key_jwt',
          dpop_bound_access_tokens: true,
          require_pushed_authorization_requests: true,
        },
      },
    });
    expect(parse({})).toMatchObject({ client: { metadata: { dpop_bound_access_tokens: false } } });
  });

  it('keeps the secret apart from the metadata', () => {
    const parsed = parse({ client_secret: SECRET });
    expect(parsed).toMatchObject({ client: { secret: SECRET } });
    expect(JSON.stringify(parsed.kind === 'client' && parsed.client.metadata)).not.toContain(SECRET);
    expect(parsed).toMatchObject({
      client: { metadata: { token_endpoint_auth_method: 'client_secret_basic' } },
    });
  });

  it.each([
    { client_id: 'with blank' },
    { client_id: 'line\nbreak' },
    { client_secret: SECRET, token_endpoint_auth_method: 'none' },
    { token_endpoint_auth_method: 'client_secret_basic' },
    { token_endpoint_auth_method: 'client_secret_jwt', client_secret: SECRET },
    { jwks: { keys: [{ kty: 'oct', k: 'x' }] } },
    { jwks: { keys: [{ kty: 'EC', d: 'x' }] } },
    { jwks: { keys: [PUBLIC_KEY] }, jwks_uri: 'https://app.example/keys' },
    { jwks_uri: 'http://app.example/keys' },
    { jwks_uri: ['https://app.example/keys'] },
    { require_signed_request_object: true },
    { jwks_uri: 'https://app.example/keys', request_object_signing_alg: 'none' },
    { jwks_uri: 'https://app.example/keys', request_object_signing_alg: 'HS256' },
    { pkce_exempt: true },
    { pkce_exempt: 'yes', client_secret: SECRET },
    { token_endpoint_audience: true },
    { token_endpoint_audience: true, client_secret: SECRET },
    { default_scope: 'write:data' },
    { default_scope: 'openid read:data', scope: 'openid' },
    { default_scope: '' },
    { response_types: ['token'] },
    { grant_types: ['password'] },
    { refresh_reuse_leeway_seconds: 61 },
    { scope: 'openid "x"' },
    { redirect_uris: 'https://app.example/cb' },
    { client_secret: 'x' },
    { client_secret: 'a'.repeat(64) },
    { client_secret: 'change-this-to-43-random-characters-of-your-own' },
  ])('rejects %j', (client) => {
    expect(parse(client).kind).toBe('problems');
  });
});
