import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { authorizationUrl, basic, createPkce } from '../../src/testing/flow.ts';

/** A request that leaves something in a store, or did. */
export interface AnonymousRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the next request of its kind. */
export type RequestKind = () => AnonymousRequest | Promise<AnonymousRequest>;

const PUBLIC_CLIENT = 'spa';
const DEVICE_CLIENT = 'television';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Every kind of request by which someone without an account, a secret or a token has something written. */
export async function anonymousRequests(issuer: string): Promise<readonly RequestKind[]> {
  const proofs = await createProofs(issuer);
  const [signIn, forgotten, signUp] = await Promise.all([
    openSignIn(issuer),
    openForm(issuer, '/forgotten'),
    openForm(issuer, '/sign-up'),
  ]);
  return [
    () => ({ method: 'GET', path: `/authorize?${authorization(issuer, 'x'.repeat(2_000))}` }),
    () => post('/authorize', authorization(issuer, 'x'.repeat(2_000))),
    () => post('/authorize', authorization(issuer, 'x'.repeat(60_000))),
    () => post('/par', authorization(issuer, 'x'.repeat(2_000), { login_hint: 'x'.repeat(5_000) })),
    () => post('/par', authorization(issuer, '')),
    () => post('/par', authorization(issuer, '', { unknown: 'x'.repeat(60_000) })),
    () => post('/device_authorization', form({ client_id: DEVICE_CLIENT, scope: 'openid' })),
    () => post('/token', form({ grant_type: 'client_credentials' }), basic('machine', random())),
    () => post('/token', form({ grant_type: 'client_credentials' }), basic(random(), random())),
    async () => post('/token', refreshForm(), { dpop: await proofs('/token') }),
    async () => post('/par', authorization(issuer, ''), { dpop: await proofs('/par') }),
    () => post('/introspect', form({ token: random() }), basic('machine', random())),
    () => post('/revoke', form({ token: random(), client_id: PUBLIC_CLIENT })),
    () => filled(signIn, { email: `${random()}@example.com`, password: 'wrong' }),
    () => filled(signIn, { email: 'ada@example.com', password: random() }),
    () => filled(forgotten, { email: `${random()}@example.com` }),
    () => filled(signUp, { email: `${random()}@example.com`, name: 'N'.repeat(200) }),
  ];
}

interface OpenForm {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly cookie: string;
}

async function openSignIn(issuer: string): Promise<OpenForm> {
  const browser = new Browser();
  const first = await browser.get(authorizationUrl(issuer, createPkce()));
  return toForm(browser, await browser.follow(first, issuer));
}

async function openForm(issuer: string, path: string): Promise<OpenForm> {
  const browser = new Browser();
  return toForm(browser, await browser.get(`${issuer}${path}`));
}

async function toForm(browser: Browser, page: Response): Promise<OpenForm> {
  const { action, fields } = readForm(await page.text(), page.url);
  return { path: new URL(action).pathname, fields: { ...fields }, cookie: browser.cookies.header };
}

function filled({ path, fields, cookie }: OpenForm, typed: Record<string, string>): AnonymousRequest {
  return post(path, form({ ...fields, ...typed }), { cookie });
}

function post(path: string, body: string, headers: Record<string, string> = {}): AnonymousRequest {
  return { method: 'POST', path, body, headers: { ...FORM, ...headers } };
}

function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

function authorization(issuer: string, state: string, changes: Record<string, string> = {}): string {
  return new URL(authorizationUrl(issuer, createPkce(), { state, ...changes })).search.slice(1);
}

function refreshForm(): string {
  return form({ grant_type: 'refresh_token', client_id: PUBLIC_CLIENT, refresh_token: random() });
}

/** Proofs of a key that anybody can make. RFC 9449 */
async function createProofs(issuer: string): Promise<(path: string) => Promise<string>> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  return (path) =>
    new SignJWT({ htm: 'POST', htu: `${issuer}${path}`, jti: random() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
}

function random(): string {
  return randomBytes(12).toString('base64url');
}
