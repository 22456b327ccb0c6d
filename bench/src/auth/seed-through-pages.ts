import { createHash } from 'node:crypto';
import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { Browser, FormBrowser, passPages } from '@trellis/testkit/sign-in';
import type { Algorithm, SeedKind } from './seed.ts';

/** The verifier of every code of the benchmark. RFC 7636 §4.1 */
export const VERIFIER: string = 'v'.repeat(43);

const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CALLBACK = 'https://app.example/callback';
const PARALLEL = 16;

/**
 * Codes by the real flow: a sign-in of each demo account, and then an authorization request each. Refresh tokens by
 * exchanging them. A user has at most 200 grants of one client: more than 200 for each account can't be made.
 */
export async function seedThroughPages(
  issuer: string,
  kind: SeedKind,
  algorithm: Algorithm,
  count: number,
): Promise<readonly string[]> {
  const browsers = await Promise.all(demoAccounts.map(({ email }) => signIn(issuer, algorithm, email)));
  const seeds: string[] = [];
  const work = async (): Promise<void> => {
    while (seeds.length < count) {
      const at = seeds.push('') - 1; // takes the place before waiting
      const code = await obtainCode(issuer, algorithm, browsers[at % browsers.length] ?? new Browser());
      seeds[at] = kind === 'code' ? code : await exchange(issuer, algorithm, code);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return seeds;
}

async function signIn(issuer: string, algorithm: Algorithm, email: string): Promise<Browser> {
  const browser = new Browser();
  const forms = new FormBrowser(browser);
  const end = await passPages(forms, await forms.open(authorizationUrl(issuer, algorithm)), {
    email,
    password: demoPassword,
  });
  if (end.kind === 'page') throw new Error(`${email} did not sign in, but was shown ${end.url.href}.`);
  return browser;
}

async function obtainCode(issuer: string, algorithm: Algorithm, browser: Browser): Promise<string> {
  const response = await browser.get(authorizationUrl(issuer, algorithm));
  const code = new URL(response.headers.get('location') ?? issuer).searchParams.get('code');
  if (code === null) throw new Error(`There was no code, but ${response.status}.`);
  return code;
}

async function exchange(issuer: string, algorithm: Algorithm, code: string): Promise<string> {
  const form = { grant_type: 'authorization_code', client_id: algorithm, code, code_verifier: VERIFIER };
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await response.json()) as { readonly refresh_token: string }).refresh_token;
}

function authorizationUrl(issuer: string, algorithm: Algorithm): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: algorithm,
    redirect_uri: CALLBACK,
    scope: 'openid read:data',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  return `${issuer}/authorize?${query.toString()}`;
}
