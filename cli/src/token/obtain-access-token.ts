import * as client from 'openid-client';
import { CookieJar } from './cookie-jar.ts';
import { readForm, type HtmlForm } from './html-form.ts';
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

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636), through the same pages that a user sees. Nothing
 * listens at the redirect URI: its address alone carries the code.
 *
 * @throws SignInFailed when the auth-server refuses
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
  const cookies = new CookieJar();
  let request = new Request(start);
  let form: HtmlForm | undefined;
  for (let step = 0; step < MOST_STEPS; step++) {
    const answer = await send(request, cookies);
    const next = redirectOf(answer, request.url);
    if (next?.href.startsWith(REDIRECT_URI)) return requireCode(next);
    if (next) {
      request = new Request(next);
    } else {
      form = await nextForm(answer, { address: request.url, email: signIn.email, before: form });
      request = form.submit(form.hasPassword ? credentials(form.fieldNames, signIn) : {});
    }
  }
  throw new SignInFailed('The auth-server asks in circles.');
}

function redirectOf(answer: Response, address: string): URL | undefined {
  const location = answer.headers.get('location');
  return location === null ? undefined : new URL(location, address);
}

/** A second page that asks for a password says that the first one was refused. */
async function nextForm(
  answer: Response,
  { address, email, before }: { address: string; email: string; before: HtmlForm | undefined },
): Promise<HtmlForm> {
  const page = await answer.text();
  const form = readForm(page, new URL(address));
  if (!form) throw new SignInFailed(`The auth-server answered ${answer.status}: ${readText(page)}`);
  if (form.hasPassword && before?.hasPassword)
    throw new SignInFailed(`${email} could not sign in: ${readText(page)}`);
  return form;
}

async function send(request: Request, cookies: CookieJar): Promise<Response> {
  request.headers.set('cookie', cookies.header());
  const answer = await fetch(request, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  cookies.keep(answer.headers.getSetCookie());
  return answer;
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
