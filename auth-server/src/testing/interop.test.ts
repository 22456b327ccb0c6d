import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { completePages } from './flow.ts';
import { CALLBACK, CLIENT_SECRET } from './test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

async function discover(
  clientId: string,
  authentication: client.ClientAuth,
  metadata: Partial<client.ClientMetadata> = {},
): Promise<client.Configuration> {
  return client.discovery(new URL(server.issuer), clientId, metadata, authentication, {
    execute: [client.allowInsecureRequests],
  });
}

async function runFlow(config: client.Configuration): Promise<void> {
  const codeVerifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email read:data',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    max_age: '3600',
    state,
    nonce,
  });
  const browser = new Browser();
  const last = await completePages(browser, await browser.get(url.href), server.issuer);
  const tokens = await client.authorizationCodeGrant(config, new URL(last.headers.get('location') ?? ''), {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    expectedNonce: nonce,
    maxAge: 3_600,
    idTokenExpected: true,
  });
  const subject = tokens.claims()?.sub ?? '';
  expect(await client.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({
    email: 'ada@example.com',
  });
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(refreshed.claims()?.sub).toBe(subject);
  await client.tokenRevocation(config, refreshed.refresh_token ?? '');
  await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
}

describe('A-169: openid-client, unmodified', () => {
  it('A-169 A-170 runs the whole flow as a public client', async () => {
    await runFlow(await discover('spa', client.None()));
  });

  it('A-169 with client_secret_basic, and introspects', async () => {
    const config = await discover('basic', client.ClientSecretBasic(CLIENT_SECRET));
    await runFlow(config);
    expect(await client.tokenIntrospection(config, 'x')).toMatchObject({ active: false });
  });

  it('A-169 with client_secret_post', async () => {
    await runFlow(await discover('post', client.ClientSecretPost(CLIENT_SECRET)));
  });

  it('A-169 with private_key_jwt', async () => {
    const key = { key: server.assertionKey.privateKey, kid: 'client-key' };
    await runFlow(await discover('jwt', client.PrivateKeyJwt(key)));
  });

  it('A-169 with id_tokens in RS256', async () => {
    await runFlow(await discover('rs256', client.None(), { id_token_signed_response_alg: 'RS256' }));
  });

  it('A-169 as a machine', async () => {
    const config = await discover('machine', client.ClientSecretBasic(CLIENT_SECRET));
    const tokens = await client.clientCredentialsGrant(config, { scope: 'read:data' });
    expect(tokens.scope).toBe('read:data');
  });
});
