import { Auth, type AuthConfig } from '@auth/core';
import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client';
import fastifyCookie from '@fastify/cookie';
import fastifyOauth2, { type OAuth2Namespace } from '@fastify/oauth2';
import fastify, { type FastifyInstance } from 'fastify';
import * as oauth from 'oauth4webapi';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, CookieJar } from '@trellis/testkit/sign-in';
import { completePages, createPkce, isHonoured } from './flow.ts';
import { runCommand } from './run-command.ts';
import { CALLBACK, CLIENT_SECRET } from './test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';

const AUTH_CORE = 'https://site.example/auth';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
  const metadata = {
    client_id: 'site',
    client_secret: CLIENT_SECRET,
    redirect_uris: [`${AUTH_CORE}/callback/trellis`],
  };
  await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
});
afterAll(() => server.stop());

/** Sends a browser through the pages. @returns where it is sent back to */
async function reachClient(url: string): Promise<URL> {
  const browser = new Browser();
  const last = await completePages(browser, await browser.get(url), server.issuer);
  return new URL(last.headers.get('location') ?? '');
}

describe('A-169: oauth4webapi, unmodified', () => {
  it('A-169 A-165 A-166 pushes the request, binds tokens to a key, reads userinfo and refreshes', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(server.issuer);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const as = await oauth.processDiscoveryResponse(issuer, discovered);
    const client: oauth.Client = { client_id: 'jwt' };
    const authentication = oauth.PrivateKeyJwt({ key: server.assertionKey.privateKey, kid: 'client-key' });
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const parameters = {
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid profile read:data',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    };
    const pushed = await oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, { DPoP, ...insecure }),
    );
    const query = new URLSearchParams({ client_id: 'jwt', request_uri: pushed.request_uri });
    const result = oauth.validateAuthResponse(
      as,
      client,
      await reachClient(`${as.authorization_endpoint}?${query}`),
      state,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, authentication, result, CALLBACK, verifier, {
        DPoP,
        ...insecure,
      }),
      { expectedNonce: nonce, requireIdToken: true },
    );
    expect(tokens.token_type).toBe('dpop');
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
    const info = await oauth.userInfoRequest(as, client, tokens.access_token, { DPoP, ...insecure });
    expect(await oauth.processUserInfoResponse(as, client, subject, info)).toMatchObject({
      name: 'Ada Marlow',
    });
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token ?? '', {
        DPoP,
        ...insecure,
      }),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  });

  it('A-169 A-168 connects a device', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(server.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: 'television' };
    const asked = await oauth.deviceAuthorizationRequest(
      as,
      client,
      oauth.None(),
      { scope: 'openid' },
      insecure,
    );
    const device = await oauth.processDeviceAuthorizationResponse(as, client, asked);
    expect(device.verification_uri).toBe(`${server.issuer}/device`);
    const polled = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), device.device_code, insecure);
    await expect(oauth.processDeviceCodeResponse(as, client, polled)).rejects.toMatchObject({
      error: 'authorization_pending',
    });
  });
});

describe('A-169: simple-oauth2, unmodified', () => {
  it('A-169 exchanges a code, refreshes and revokes', async () => {
    const auth = {
      tokenHost: server.issuer,
      tokenPath: '/token',
      authorizePath: '/authorize',
      revokePath: '/revoke',
    };
    const client = new AuthorizationCode({ client: { id: 'basic', secret: CLIENT_SECRET }, auth });
    const { verifier, challenge } = createPkce();
    const parameters = { redirect_uri: CALLBACK, scope: 'openid read:data', state: 's' };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const back = await reachClient(client.authorizeURL({ ...parameters, ...pkce }));
    const exchange = {
      code: back.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    };
    const token = await client.getToken(exchange);
    const refreshed = await token.refresh();
    expect(await isHonoured(server.issuer, String(refreshed.token['access_token']))).toBe(true);
    await refreshed.revokeAll();
    expect(await isHonoured(server.issuer, String(refreshed.token['access_token']))).toBe(false);
  });

  it('A-169 A-167 acts as a machine', async () => {
    const auth = { tokenHost: server.issuer, tokenPath: '/token' };
    const client = new ClientCredentials({ client: { id: 'machine', secret: CLIENT_SECRET }, auth });
    const { token } = await client.getToken({ scope: 'read:data' });
    expect(token).toMatchObject({ scope: 'read:data', token_type: 'Bearer' });
  });
});

describe('A-169: @badgateway/oauth2-client, unmodified', () => {
  it('A-169 discovers, exchanges a code as a public client, refreshes and revokes', async () => {
    const client = new OAuth2Client({
      clientId: 'spa',
      discoveryEndpoint: `${server.issuer}/.well-known/oauth-authorization-server`,
    });
    const codeVerifier = await generateCodeVerifier();
    const start = await client.authorizationCode.getAuthorizeUri({
      redirectUri: CALLBACK,
      state: 's',
      codeVerifier,
      scope: ['openid', 'read:data'],
    });
    const back = await reachClient(start);
    const token = await client.authorizationCode.getTokenFromCodeRedirect(back, {
      redirectUri: CALLBACK,
      state: 's',
      codeVerifier,
    });
    const refreshed = await client.refreshToken(token);
    expect(refreshed.refreshToken).not.toBe(token.refreshToken);
    await client.revoke(refreshed, 'refresh_token');
    expect(await isHonoured(server.issuer, refreshed.accessToken)).toBe(false);
  });

  it('A-169 A-154 introspects with a secret that needs no encoding by its interoperable default', async () => {
    const metadata = {
      client_id: 'plain',
      client_secret: 'a-plain-secret-Lq27_vTfPw0aZ8',
      redirect_uris: [CALLBACK],
    };
    await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
    const client = new OAuth2Client({
      server: server.issuer,
      clientId: 'plain',
      clientSecret: 'a-plain-secret-Lq27_vTfPw0aZ8',
      discoveryEndpoint: '/.well-known/openid-configuration',
    });
    const unknown = { accessToken: 'x', refreshToken: null, expiresAt: null };
    expect(await client.introspect(unknown)).toMatchObject({ active: false });
  });
});

describe('A-169: @fastify/oauth2, unmodified', () => {
  let app: FastifyInstance & { readonly trellis?: OAuth2Namespace };
  beforeAll(async () => {
    app = fastify();
    await app.register(fastifyCookie);
    await app.register(fastifyOauth2, {
      name: 'trellis',
      scope: ['openid', 'read:data'],
      credentials: { client: { id: 'basic', secret: CLIENT_SECRET } },
      startRedirectPath: '/start',
      callbackUri: CALLBACK,
      discovery: { issuer: server.issuer },
      pkce: 'S256',
    });
    app.get('/callback', async (request) => app.trellis?.getAccessTokenFromAuthorizationCodeFlow(request));
  });
  afterAll(() => app.close());

  it('A-169 discovers, redirects with PKCE and exchanges the code', async () => {
    const start = await app.inject({ url: '/start' });
    const cookies = Object.fromEntries(start.cookies.map(({ name, value }) => [name, value]));
    const back = await reachClient(String(start.headers.location));
    const result = await app.inject({ url: `/callback${back.search}`, cookies });
    expect(result.statusCode, result.body).toBe(200);
    const token = result.json<{ access_token: string }>();
    expect(await isHonoured(server.issuer, token.access_token)).toBe(true);
  });
});

describe('A-169: @auth/core, unmodified', () => {
  const jar = new CookieJar();

  /** A request of the user's browser to the site that uses the library. */
  async function visit(path: string, form?: Record<string, string>): Promise<Response> {
    const config: AuthConfig = {
      secret: 'a secret of the site that signs its own cookies',
      trustHost: true,
      basePath: '/auth',
      logger: { error: (error) => expect.fail(error.message) },
      providers: [
        {
          id: 'trellis',
          name: 'Trellis',
          type: 'oidc',
          issuer: server.issuer,
          clientId: 'site',
          clientSecret: CLIENT_SECRET,
          // Userinfo returns claims about the user, as OpenID Connect Core §5.4 has it for this flow.
          idToken: false,
          checks: ['pkce', 'state', 'nonce'],
        },
      ],
    };
    const request = new Request(`${AUTH_CORE}/${path}`, {
      headers: { cookie: jar.header },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const response = await Auth(request, config);
    jar.take(response);
    return response;
  }

  it('A-169 A-147 signs a user in with PKCE, state and nonce', async () => {
    const { csrfToken } = (await (await visit('csrf')).json()) as { csrfToken: string };
    const start = await visit('signin/trellis', { csrfToken });
    const back = await reachClient(start.headers.get('location') ?? '');
    expect((await visit(`callback/trellis${back.search}`)).status).toBe(302);
    const session = (await (await visit('session')).json()) as object;
    expect(session).toMatchObject({ user: { name: 'Ada Marlow', email: 'ada@example.com' } });
  });
});
