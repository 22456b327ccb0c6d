import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { completePages } from './flow.ts';
import { createClientKey, startKeySetServer, type ClientKey, type KeySetServer } from './key-set-server.ts';
import { registerGood } from './signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';
import { CALLBACK } from './test-clients.ts';

let server: TestAuthServer;
let published: KeySetServer;
let key: ClientKey;
beforeAll(async () => {
  [server, key] = await Promise.all([startTestAuthServer(), createClientKey('of-the-party')]);
  published = await startKeySetServer([key.publicJwk]);
  const common = { redirect_uris: [CALLBACK], jwks_uri: published.uri };
  await registerGood(server, { ...common, client_id: 'signing-party', require_signed_request_object: true });
  await registerGood(server, { ...common, client_id: 'fapi-party', security_profile: 'fapi2' });
});
afterAll(async () => {
  await published.close();
  await server.stop();
});

function discover(clientId: string): Promise<openid.Configuration> {
  const signer = { key: key.privateKey, kid: 'of-the-party' };
  return openid.discovery(new URL(server.issuer), clientId, undefined, openid.PrivateKeyJwt(signer), {
    execute: [openid.allowInsecureRequests],
  });
}

async function parametersFor(verifier: string): Promise<Record<string, string>> {
  return {
    redirect_uri: CALLBACK,
    scope: 'openid profile read:data offline_access',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'the-state',
  };
}

/** Sends a browser through the pages. @returns where it is sent back to */
async function passPages(url: URL): Promise<URL> {
  const browser = new Browser();
  const last = await completePages(browser, await browser.get(url.href), server.issuer);
  return new URL(last.headers.get('location') ?? '');
}

describe('openid-client, unmodified, with keys at an address', () => {
  it('G6: A-169 A-171 A-173 signs its request, and exchanges the code by an assertion', async () => {
    const configuration = await discover('signing-party');
    const verifier = openid.randomPKCECodeVerifier();
    const signer = { key: key.privateKey, kid: 'of-the-party' };
    const url = await openid.buildAuthorizationUrlWithJAR(
      configuration,
      await parametersFor(verifier),
      signer,
    );
    const checks = { pkceCodeVerifier: verifier, expectedState: 'the-state' };
    const tokens = await openid.authorizationCodeGrant(configuration, await passPages(url), checks);
    expect(tokens.claims()?.aud).toBe('signing-party');
  });

  it('G9: A-169 A-185 A-189 A-195 is a party of FAPI 2.0: pushes, proves, refreshes by one token, reads userinfo', async () => {
    const configuration = await discover('fapi-party');
    const DPoP = openid.getDPoPHandle(configuration, await openid.randomDPoPKeyPair('ES256'));
    const verifier = openid.randomPKCECodeVerifier();
    const parameters = await parametersFor(verifier);
    const url = await openid.buildAuthorizationUrlWithPAR(configuration, parameters, { DPoP });
    const checks = { pkceCodeVerifier: verifier, expectedState: 'the-state' };
    const response = await passPages(url);
    const tokens = await openid.authorizationCodeGrant(configuration, response, checks, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const refreshToken = tokens.refresh_token ?? '';
    for (let round = 0; round < 2; round += 1) {
      const refreshed = await openid.refreshTokenGrant(configuration, refreshToken, undefined, { DPoP });
      expect(refreshed.refresh_token).toBe(refreshToken);
    }
    const subject = tokens.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(configuration, tokens.access_token, subject, { DPoP });
    expect(info.sub).toBe(subject);
  });
});
