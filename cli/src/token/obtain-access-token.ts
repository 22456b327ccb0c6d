import { Browser, FormBrowser, passPages, TooManyPages, type Page } from '@trellis/testkit/sign-in';
import * as client from 'openid-client';
import { SignInFailed } from './sign-in-failed.ts';

/** Who signs in, where, and for what. */
export interface SignIn {
  readonly issuer: URL;
  readonly email: string;
  readonly password: string;
  /** Separated by spaces. */
  readonly scope: string;
}

const CLIENT_ID = 'trellis-cli';
/** Of any port of the loopback address (RFC 8252 §7.3). No auth-server is reached at this one: `fetch` rejects it. */
const REDIRECT_URI = 'http://127.0.0.1:1/callback';
const RESPONSE_MS = 10_000;

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636), through the same pages that a user sees. Nothing
 * listens at the redirect URI: its address alone carries the code.
 *
 * @throws SignInFailed when the auth-server rejects
 */
export async function obtainAccessToken(signIn: SignIn): Promise<string> {
  const isLoopback = signIn.issuer.protocol === 'http:';
  const configuration = await client.discovery(signIn.issuer, CLIENT_ID, undefined, client.None(), {
    timeout: 10,
    ...(isLoopback && { execute: [client.allowInsecureRequests] }),
  });
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const start = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: signIn.scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  const callback = await signInByPages(start, signIn);
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    idTokenExpected: signIn.scope.split(' ').includes('openid'),
  });
  return tokens.access_token;
}

/** Goes from page to page as a browser would, until the redirect URI is reached. */
async function signInByPages(start: URL, { email, password }: SignIn): Promise<URL> {
  const browser = new FormBrowser(new Browser({ timeoutMs: RESPONSE_MS }));
  const end = await passPages(browser, await browser.open(start), { email, password }).catch(explainCircle);
  if (end.kind === 'page') throw rejectionOf(end, email);
  if (end.url.href.startsWith(REDIRECT_URI)) return requireCode(end.url);
  throw new SignInFailed(`The auth-server sends the browser to ${end.url.origin}.`);
}

function explainCircle(error: unknown): never {
  throw error instanceof TooManyPages ? new SignInFailed(error.message) : error;
}

/** A page that asks for a password again says why the first one was rejected. */
function rejectionOf({ document, html, status }: Page, email: string): SignInFailed {
  const asksAgain = document.querySelector('input[type=password]') !== null;
  const outcome = asksAgain ? `${email} could not sign in` : `The auth-server answered ${status}`;
  return new SignInFailed(`${outcome}: ${readText(html)}`);
}

function requireCode(callback: URL): URL {
  const error = callback.searchParams.get('error');
  if (error === null) return callback;
  throw new SignInFailed(`${error}: ${callback.searchParams.get('error_description') ?? 'no description'}`);
}

function readText(page: string): string {
  const main = /<main[^>]*>([\s\S]*?)<\/main>/.exec(page)?.[1] ?? page;
  return main
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}
