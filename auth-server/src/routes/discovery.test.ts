import { PASSWORD } from '../accounts/authentication-context.ts';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVICE_CODE_GRANT } from '../clients/client-metadata.ts';
import { grantHandlers } from '../grants/index.ts';
import { authorizationUrl, createPkce, obtainTokens, postForm } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

async function getJson(path: string): Promise<{ response: Response; body: Record<string, unknown> }> {
  const response = await fetch(`${server.issuer}${path}`);
  return { response, body: (await response.json()) as Record<string, unknown> };
}

describe('discovery', () => {
  it('A-015 A-016 A-017 A-023 answers at both well-known addresses with the issuer byte for byte', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const { response, body } = await getJson(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(body['issuer']).toBe(server.issuer);
      for (const name of [
        'authorization',
        'token',
        'userinfo',
        'revocation',
        'introspection',
        'end_session',
      ]) {
        expect(body[`${name}_endpoint`], name).toMatch(new RegExp(`^${server.issuer}/`));
      }
      expect(body['jwks_uri']).toBe(`${server.issuer}/jwks.json`);
      expect(body['subject_types_supported']).toEqual(['public']);
      expect(body['scopes_supported']).toContain('read:data');
      expect(body['claims_supported']).toContain('email');
    }
  });

  it('A-001 never takes the issuer from the Host or forwarding headers', async () => {
    const response = await fetch(`${server.issuer}/.well-known/openid-configuration`, {
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    });
    expect(await response.text()).not.toContain('evil.example');
  });

  it('A-018 A-020 A-029 A-030 advertises code, S256, iss and asymmetric algorithms, and nothing weaker', async () => {
    const { body } = await getJson('/.well-known/openid-configuration');
    expect(body['code_challenge_methods_supported']).toEqual(['S256']);
    expect(body['response_modes_supported']).toEqual(['query', 'form_post']);
    expect(body['authorization_response_iss_parameter_supported']).toBe(true);
    expect(body['id_token_signing_alg_values_supported']).toEqual(['ES256', 'RS256']);
    expect(body['request_uri_parameter_supported']).toBe(false);
    expect(body['claims_parameter_supported']).toBe(true);
    expect(body['acr_values_supported']).toEqual([PASSWORD.acr]);
  });

  it('A-019 names every response type and grant type in both documents, the implicit ones not among them', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const { body } = await getJson(path);
      expect(body['response_types_supported']).toEqual(['code']);
      expect(body['grant_types_supported']).toEqual([...grantHandlers.keys()]);
      for (const known of ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE_GRANT])
        expect(body['grant_types_supported']).toContain(known);
      expect(body['grant_types_supported']).not.toContain('implicit');
    }
  });

  it('A-019 knows the grant types that it names, and no other', async () => {
    const { body } = await getJson('/.well-known/openid-configuration');
    const errorOf = async (grantType: string): Promise<unknown> =>
      (await postForm(`${server.issuer}/token`, { grant_type: grantType })).body['error'];
    for (const known of body['grant_types_supported'] as string[])
      expect(await errorOf(known), known).toBe('invalid_client');
    for (const other of [
      'implicit',
      'password',
      'urn:ietf:params:oauth:grant-type:saml2-bearer',
      '__proto__',
    ])
      expect(await errorOf(other), other).toBe('unsupported_grant_type');
  });

  it.each(['token', 'id_token', 'id_token token', 'code token', 'code id_token', 'none'])(
    'A-019 has no response type %j at the authorization endpoint',
    async (responseType) => {
      const url = authorizationUrl(server.issuer, createPkce(), { response_type: responseType });
      const result = await fetch(url, { redirect: 'manual' });
      const location = new URL(result.headers.get('location') ?? '');
      expect(location.searchParams.get('error')).toBe('unsupported_response_type');
      expect(`${location.search}${location.hash}`).not.toMatch(/access_token|id_token=|code=/);
    },
  );

  it('A-021 names the methods of client authentication for every endpoint that has it', async () => {
    const { body } = await getJson('/.well-known/openid-configuration');
    expect(body['token_endpoint_auth_methods_supported']).toEqual([
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ]);
    expect(body['introspection_endpoint_auth_methods_supported']).not.toContain('none');
    for (const endpoint of ['token', 'revocation', 'introspection']) {
      expect(body[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).not.toContain('none');
    }
  });

  it('A-022 has something at every endpoint that it advertises', async () => {
    const { body } = await getJson('/.well-known/openid-configuration');
    const urls = Object.entries(body).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri');
    for (const [name, url] of urls) {
      const response = await fetch(String(url), { redirect: 'manual' });
      expect(response.status, name).not.toBe(404);
      expect(response.status, name).toBeLessThan(500);
    }
  });

  it('A-024 lets pages of any origin read discovery and keys, without credentials', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks.json']) {
      const response = await fetch(`${server.issuer}${path}`, { headers: { origin: 'https://app.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('A-026 says how long discovery and keys may be cached', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks.json']) {
      const { response } = await getJson(path);
      expect(response.headers.get('cache-control')).toMatch(/max-age=\d+/);
    }
  });
});

describe('the key set', () => {
  it('A-025 holds public members only, with unique kids, use and alg', async () => {
    const { body } = await getJson('/jwks.json');
    const keys = body['keys'] as Record<string, unknown>[];
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(key['kty']).not.toBe('oct');
      expect(key).toMatchObject({ use: 'sig', alg: expect.stringMatching(/^(ES|RS)256$/) });
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret);
    }
  });

  it('A-028 names the key of every token', async () => {
    const { body } = await getJson('/jwks.json');
    const kids = (body['keys'] as { kid: string }[]).map(({ kid }) => kid);
    const tokens = await obtainTokens(server.issuer);
    expect(kids).toContain(decodeProtectedHeader(tokens.accessToken).kid);
    expect(kids).toContain(decodeProtectedHeader(tokens.idToken).kid);
  });

  it('A-030 signs id_tokens with RS256 for clients that are registered with it', async () => {
    const tokens = await obtainTokens(server.issuer, { client_id: 'rs256' });
    expect(decodeProtectedHeader(tokens.idToken).alg).toBe('RS256');
    expect(decodeProtectedHeader(tokens.accessToken).alg).toBe('ES256');
  });
});
