import { Browser, readForm, type HtmlForm } from '@trellis/testkit/sign-in';
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
const REDIRECT_URI = 'http://127.0.0.1/callback';
/** Login, consent and the redirects between them; a loop ends here. */
const MOST_STEPS = 12;
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
  const callback = await passPages(start, signIn);
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    idTokenExpected: signIn.scope.split(' ').includes('openid'),
  });
  return tokens.access_token;
}

/** Goes from page to page as a browser would, until the redirect URI is reached. */
async function passPages(start: URL, signIn: SignIn): Promise<URL> {
  const browser = new Browser({ timeoutMs: RESPONSE_MS });
  let response = await browser.get(start);
  let form: HtmlForm | undefined;
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = redirectOf(response);
    if (next?.href.startsWith(REDIRECT_URI)) return requireCode(next);
    if (next) {
      response = await browser.get(next);
    } else {
      form = await nextForm(response, signIn.email, form);
      response = await send(browser, form, signIn, new URL(response.url).origin);
    }
  }
  throw new SignInFailed('The auth-server asks in circles.');
}

function send(browser: Browser, form: HtmlForm, signIn: SignIn, origin: string): Promise<Response> {
  const given = form.hasPassword ? credentials(Object.keys(form.visible), signIn) : {};
  return browser.post(form.action, { ...form.fields, ...form.pressed, ...given }, { origin });
}

function redirectOf({ headers, url }: Response): URL | undefined {
  const location = headers.get('location');
  return location === null ? undefined : new URL(location, url);
}

/** A second page that asks for a password says that the first one was rejected. */
async function nextForm(response: Response, email: string, before: HtmlForm | undefined): Promise<HtmlForm> {
  const page = await response.text();
  const form = formOn(page, response);
  if (form.hasPassword && before?.hasPassword)
    throw new SignInFailed(`${email} could not sign in: ${readText(page)}`);
  return form;
}

function formOn(page: string, { url, status }: Response): HtmlForm {
  try {
    return readForm(page, url);
  } catch {
    throw new SignInFailed(`The auth-server answered ${status}: ${readText(page)}`);
  }
}

/** The field for the name is the one that is neither hidden nor the password. */
function credentials(fieldNames: readonly string[], { email, password }: SignIn): Record<string, string> {
  const name = fieldNames.find((field) => field !== 'password') ?? 'email';
  return { [name]: email, password };
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
