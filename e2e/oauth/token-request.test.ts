import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { FormBrowser } from '@trellis/testkit/sign-in';
import { confidentialClient } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { reachClient } from '../harness/sign-in.ts';
import { postToken, rejectionOf } from '../harness/token-endpoint.ts';

const { issuer } = sharedPlatform().addresses;
const [redirectUri = ''] = confidentialClient.redirect_uris;
const right = basic(confidentialClient.client_id, confidentialClient.client_secret);

describe('POST /token', () => {
  it('is POST only (A-095)', async () => {
    const response = await fetch(`${issuer}/token?grant_type=authorization_code&code=x`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('takes forms only, from the body only (A-096, A-097)', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'trellis-cli' };
    const json = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    });
    expect([400, 415]).toContain(json.status);
    expect(await json.json()).toMatchObject({ error: 'invalid_request' });
    const query = await fetch(`${issuer}/token?${new URLSearchParams(fields).toString()}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'trellis-cli' }),
    });
    expect(await rejectionOf(query)).toBe('400 invalid_request');
  });

  it('knows the grants that it offers, and rejects the rest (A-098, A-099)', async () => {
    expect(await rejectionOf(await postToken({ grant_type: '' }))).toBe('400 invalid_request');
    for (const grant of ['password', 'implicit', 'token', 'constructor'])
      expect(await rejectionOf(await postToken({ grant_type: grant }))).toBe('400 unsupported_grant_type');
    expect(await rejectionOf(await postToken({ grant_type: 'client_credentials' }))).toMatch(
      /^(400 unauthorized_client|401 invalid_client)$/,
    );
  });

  it('answers errors as JSON that no cache keeps (A-002, A-094)', async () => {
    const response = await postToken({ code: 'x', code_verifier: 'x'.repeat(43) });
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      error: 'invalid_grant',
      error_description: expect.any(String) as string,
    });
  });

  it('rejects unknown clients, and a parameter sent twice (A-101, A-006)', async () => {
    expect(await rejectionOf(await postToken({ client_id: 'unknown', code: 'x' }))).toMatch(
      /^40[01] invalid_client$/,
    );
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: 'grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=trellis-cli',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(await rejectionOf(response)).toBe('400 invalid_request');
  });

  it('survives bodies that are too large (A-009)', async () => {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ code: 'x'.repeat(2_000_000) }),
    });
    await response.body?.cancel();
    expect(Math.floor(response.status / 100)).toBe(4);
  });
});

describe('A client with a secret', () => {
  it('runs the whole flow with openid-client, keeping the query of its redirect URI (A-038, A-103)', async () => {
    const config = await discoverConfidentially();
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email read:data',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const callback = await reachClient(new FormBrowser(), url);
    expect(callback.url.searchParams.get('from')).toBe('reading-room');
    const tokens = await client.authorizationCodeGrant(config, callback.url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    expect(tokens.claims()?.aud).toBe(confidentialClient.client_id);
    expect(await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).toHaveProperty('access_token');
  });

  it('needs PKCE as well (A-044)', async () => {
    const url = new URL(`${issuer}/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: confidentialClient.client_id,
      redirect_uri: redirectUri,
      scope: 'openid',
    }).toString();
    const result = await new FormBrowser().open(url);
    expect([result.kind, result.url.searchParams.get('error')]).toEqual(['departure', 'invalid_request']);
  });

  it('is rejected without its secret, with a wrong one, and by a method it is not registered for (A-102, A-105, A-106)', async () => {
    const { client_id: clientId, client_secret: secret } = confidentialClient;
    const wrong = await postToken(
      { code: 'x', client_id: clientId },
      { authorization: basic(clientId, 'wrong') },
    );
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic/);
    expect(await rejectionOf(wrong)).toBe('401 invalid_client');
    expect(await rejectionOf(await postToken({ code: 'x', client_id: clientId }))).toMatch(
      /^40[01] invalid_client$/,
    );
    const posted = await postToken({ code: 'x', client_id: clientId, client_secret: secret });
    expect(await rejectionOf(posted)).toMatch(/^40[01] invalid_client$/);
    const twice = await postToken(
      { code: 'x', client_id: clientId, client_secret: secret },
      { authorization: right },
    );
    expect(await rejectionOf(twice)).toBe('400 invalid_request');
    const garbage = await postToken({ code: 'x', client_id: clientId }, { authorization: 'Basic %%%' });
    expect([400, 401]).toContain(garbage.status);
  });

  it('is no other client, whatever the body says (A-107)', async () => {
    const result = await postToken({ code: 'x', client_id: 'trellis-cli' }, { authorization: right });
    expect(await rejectionOf(result)).toMatch(/^40[01] invalid_(client|request)$/);
  });
});

/** The library takes the query off the redirect URI, and shows this way to put it back. */
async function discoverConfidentially(): Promise<client.Configuration> {
  const { client_id: id, client_secret: secret } = confidentialClient;
  const config = await client.discovery(new URL(issuer), id, undefined, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  });
  config[client.customFetch] = (url, { method, headers, body }) => {
    if (body instanceof URLSearchParams && body.has('code')) body.set('redirect_uri', redirectUri);
    return fetch(url, { method, headers, body: body instanceof URLSearchParams ? body : null });
  };
  return config;
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
}
