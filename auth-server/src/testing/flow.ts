import { createHash, randomBytes } from 'node:crypto';
import { demoPassword } from '@trellis/demo-data';
import { Browser, FormBrowser, passPages, readForm } from '@trellis/testkit/sign-in';
import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { CALLBACK, CLIENT_SECRET } from './test-clients.ts';

/** A PKCE pair. */
export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export const ALL_SCOPES = 'openid profile email read:data read:profile write:data';

/** Parameters of a good authorization request, some of them replaced; an undefined one is left out. */
export function authorizationUrl(
  issuer: string,
  pkce: Pkce,
  changes: Record<string, string | undefined> = {},
): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: 'spa',
    redirect_uri: CALLBACK,
    scope: ALL_SCOPES,
    state: 'the-state',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  const present = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `${issuer}/authorize?${new URLSearchParams(present)}`;
}

/** Sends the sign-in form of a page. */
export async function submitSignIn(
  browser: Browser,
  page: Response,
  email = 'ada@example.com',
  password = demoPassword,
): Promise<Response> {
  const { action, fields } = readForm(await page.text(), page.url);
  return browser.post(action, { ...fields, email, password });
}

/** Sends the consent form of a page. */
export async function submitConsent(browser: Browser, page: Response, decision = 'allow'): Promise<Response> {
  const { action, fields } = readForm(await page.text(), page.url);
  return browser.post(action, { ...fields, decision });
}

/** Goes through whatever pages come, and returns the response that leads back to the client. */
export async function completePages(
  browser: Browser,
  first: Response,
  issuer: string,
  email = 'ada@example.com',
  password = demoPassword,
): Promise<Response> {
  const forms = new FormBrowser(browser);
  const shown = await forms.show(first, new URL(issuer).origin);
  const { response } = await passPages(forms, shown, { email, password });
  return response;
}

/** The parameters that a response carries back to the client. */
export function responseOf(response: Response): URLSearchParams {
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '').searchParams;
}

/** A code from the whole flow, signing in where needed. */
export async function obtainCode(
  issuer: string,
  pkce: Pkce,
  changes: Record<string, string | undefined> = {},
  browser = new Browser(),
  email = 'ada@example.com',
  password = demoPassword,
): Promise<string> {
  const first = await browser.get(authorizationUrl(issuer, pkce, changes));
  const result = responseOf(await completePages(browser, first, issuer, email, password));
  return result.get('code') ?? expect.fail(`no code but ${result}`);
}

/** A response of an endpoint with JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Posts a form and reads JSON. */
export async function postForm(
  url: string,
  form: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** Exchanges a code as the public client. */
export function exchange(
  issuer: string,
  code: string,
  pkce: Pkce,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const form = {
    grant_type: 'authorization_code',
    client_id: 'spa',
    code,
    code_verifier: pkce.verifier,
    ...changes,
  };
  return postForm(`${issuer}/token`, form, headers);
}

/** Refreshes as the public client. */
export function refresh(
  issuer: string,
  refreshToken: string,
  changes: Record<string, string> = {},
): Promise<JsonResponse> {
  return postForm(`${issuer}/token`, {
    grant_type: 'refresh_token',
    client_id: 'spa',
    refresh_token: refreshToken,
    ...changes,
  });
}

/** The tokens of one flow. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly grantId: string;
}

export function tokensOf({ status, body }: JsonResponse): Tokens {
  expect(status, JSON.stringify(body)).toBe(200);
  const accessToken = String(body['access_token']);
  return {
    accessToken,
    refreshToken: String(body['refresh_token']),
    idToken: String(body['id_token']),
    grantId: String(decodeJwt(accessToken)['gid']),
  };
}

/** Signs in and exchanges. */
export async function obtainTokens(
  issuer: string,
  changes: Record<string, string | undefined> = {},
  browser = new Browser(),
  email = 'ada@example.com',
  password = demoPassword,
): Promise<Tokens> {
  const pkce = createPkce();
  const code = await obtainCode(issuer, pkce, changes, browser, email, password);
  return tokensOf(await exchange(issuer, code, pkce, { client_id: changes['client_id'] ?? 'spa' }));
}

/** The header by which a client with a secret authenticates. RFC 6749 §2.3.1 */
export function basic(clientId: string, secret: string = CLIENT_SECRET): Record<string, string> {
  const encode = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);
  return {
    authorization: `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`,
  };
}

/** Whether userinfo still honours an access token. */
export async function isHonoured(issuer: string, accessToken: string): Promise<boolean> {
  const response = await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } });
  return response.status === 200;
}
