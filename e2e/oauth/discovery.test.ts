import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { signIn } from '../harness/sign-in.ts';

const { issuer } = sharedPlatform().addresses;

describe('OpenID Connect Discovery', () => {
  let response: Response;
  let metadata: Record<string, unknown>;

  beforeAll(async () => {
    response = await fetch(`${issuer}/.well-known/openid-configuration`);
    metadata = (await response.json()) as Record<string, unknown>;
  });

  it('answers JSON at the well-known address, to any origin and without credentials (A-015, A-024)', () => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('names the issuer byte for byte as it was asked for (A-016)', () => {
    expect(metadata['issuer']).toBe(issuer);
  });

  it('has what clients need, each address below the issuer (A-017)', () => {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
      expect(metadata[name]).toMatch(new RegExp(`^${issuer}/`));
    for (const name of [
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
      'scopes_supported',
      'claims_supported',
    ])
      expect(metadata[name]).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  it('promises the code flow with S256 and nothing implicit (A-018, A-019, A-020)', () => {
    expect(metadata['code_challenge_methods_supported']).toEqual(['S256']);
    expect(metadata['response_types_supported']).toEqual(['code']);
    expect(metadata['grant_types_supported']).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token']),
    );
    expect(metadata['grant_types_supported']).not.toContain('implicit');
    expect(metadata['grant_types_supported']).not.toContain('password');
    expect(metadata['id_token_signing_alg_values_supported']).not.toContain('none');
    expect(metadata['authorization_response_iss_parameter_supported']).toBe(true);
  });

  it('does not trust the Host header about who it is (A-001)', async () => {
    const { hostname, port } = new URL(issuer);
    const asked = await fetch(`http://${hostname}:${port}/.well-known/openid-configuration`, {
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    });
    expect(((await asked.json()) as Record<string, unknown>)['issuer']).toBe(issuer);
  });
});

describe('The key set', () => {
  it('holds public asymmetric keys with ids of their own (A-025)', async () => {
    const { keys } = await readKeySet();
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(key.kty).toMatch(/^(EC|RSA|OKP)$/);
      expect(key.use).toBe('sig');
      expect(key.alg).toEqual(expect.any(String));
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(member);
    }
  });

  it('verifies an access token of RFC 9068, for the graph alone (A-028, A-142, A-143, A-144)', async () => {
    const { access_token: token, expires_in: expiresIn } = await signIn(issuer);
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(await readKeySet()), {
      issuer,
      audience: sharedPlatform().addresses.graph,
      typ: 'at+jwt',
    });
    expect(protectedHeader.alg).toBe('ES256');
    expect(payload).toMatchObject({
      aud: sharedPlatform().addresses.graph,
      client_id: 'trellis-cli',
      roles: ['ADMIN'],
      jti: expect.any(String) as string,
      gid: expect.any(String) as string,
      auth_time: expect.any(Number) as number,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(expiresIn);
    expect(expiresIn).toBeGreaterThanOrEqual(900);
    expect(expiresIn).toBeLessThanOrEqual(3600);
  });
});

async function readKeySet(): Promise<JSONWebKeySet> {
  const metadata = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    jwks_uri: string;
  };
  return (await (await fetch(metadata.jwks_uri)).json()) as JSONWebKeySet;
}
