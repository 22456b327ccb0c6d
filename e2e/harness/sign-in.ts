import * as client from 'openid-client';
import { demoPassword, demoPeople, type DemoUser } from './demo-people.ts';
import { FormBrowser, passPages, type Departure, type Page, type Shown } from '@trellis/testkit/sign-in';

/** What a client asks for, and who signs in. */
export interface SignInOptions {
  /** @default Ada, the administrator */
  readonly user?: DemoUser;
  /** @default that of the demo accounts */
  readonly password?: string;
  /** @default everything that the graph asks for, and the profile */
  readonly scope?: string;
  /** Resource that the token is for (RFC 8707). @default none asked for */
  readonly resource?: string;
  /** A browser that may have a session already. @default a new one */
  readonly browser?: FormBrowser;
  /** More parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What openid-client returns when it has checked it. */
export type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** An authorization request on its way, with the secrets that its client keeps. */
export interface AuthorizationRequest {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The native demo client; its redirect URI takes any port of the loopback address (RFC 8252 §7.3). */
export const demoClientId = 'trellis-cli';

/** No one listens here: the browser only reports where it was sent. */
export const demoRedirectUri = 'http://127.0.0.1:53123/callback';

/** All scopes that the graph knows, and those of OpenID Connect. */
export const fullScope = 'openid profile email read:data read:profile write:data';

/** Reads the discovery document, as every client begins. Plain http is for loopback addresses. */
export function discover(issuer: string, clientId: string = demoClientId): Promise<client.Configuration> {
  return client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  });
}

/** Makes an authorization request with PKCE, state and nonce. */
export async function prepareRequest(
  config: client.Configuration,
  options: SignInOptions = {},
): Promise<AuthorizationRequest> {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: demoRedirectUri,
    scope: options.scope ?? fullScope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...(options.resource && { resource: options.resource }),
    ...options.parameters,
  });
  return { url, verifier, state, nonce };
}

/** Goes through the login and consent pages as far as they appear, and returns where the browser is sent. */
export async function reachClient(
  browser: FormBrowser,
  url: URL,
  user: DemoUser = demoPeople.ada,
  password: string = demoPassword,
): Promise<Departure> {
  const shown = await passPages(browser, await browser.open(url), { email: user.email, password });
  if (shown.kind === 'page') throw new Error(`Not sent back to the client, but shown:\n${shown.html}`);
  return shown;
}

/** Whether the page is the one that asks for a password. */
export function asksForPassword(page: Page): boolean {
  return page.document.querySelector('input[type=password]') !== null;
}

/** Fills in the sign-in page. */
export function enterPassword(
  browser: FormBrowser,
  page: Page,
  user: DemoUser,
  password: string = demoPassword,
): Promise<Shown> {
  return browser.submit(page, { fields: { email: user.email, password } });
}

/** The whole authorization code flow with PKCE; openid-client checks every response. */
export async function signIn(issuer: string, options: SignInOptions = {}): Promise<Tokens> {
  const config = await discover(issuer);
  const request = await prepareRequest(config, options);
  const { url } = await reachClient(
    options.browser ?? new FormBrowser(),
    request.url,
    options.user,
    options.password,
  );
  return exchangeCode(config, url, request);
}

/** The client's half of the flow, from the address that the browser came back with. */
export function exchangeCode(
  config: client.Configuration,
  callback: URL,
  { verifier, state, nonce, url }: AuthorizationRequest,
): Promise<Tokens> {
  const isOpenId = (url.searchParams.get('scope') ?? '').split(' ').includes('openid');
  return client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
  });
}
