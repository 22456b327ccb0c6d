import { JWT_BEARER } from '../../src/clients/authentication/client-credentials.ts';
import { DEVICE_CODE_GRANT } from '../../src/clients/client-metadata.ts';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../src/clients/grant-types.ts';
import { ACCESS_TOKEN_TYPE } from '../../src/grants/token-types.ts';
import { authorizationUrl, basic, createPkce } from '../../src/testing/flow.ts';
import { random, type Attacker, type OpenForm } from './attacker.ts';
import {
  DEVICE_CLIENT,
  MACHINE,
  PUBLIC_CLIENT,
  SERVICE,
  SIGNING_CLIENT,
  SIGNING_SERVICE,
} from './attacked-clients.ts';

/** A request that leaves something in a store, or might. */
export interface AnonymousRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the next request of its kind. */
export type RequestKind = (attacker: Attacker) => AnonymousRequest | Promise<AnonymousRequest>;

const NEEDS_A_SESSION = 'needs a session, and is rejected before anything is read';

/** Endpoints that nothing is sent to, and why. The others of `endpointBudgets` are in {@link anonymousRequests}. */
export const notSent: Readonly<Record<string, string>> = Object.freeze({
  'POST /account/password': NEEDS_A_SESSION,
  'POST /account/name': NEEDS_A_SESSION,
  'POST /account/email': NEEDS_A_SESSION,
  'POST /account/export': NEEDS_A_SESSION,
  'POST /account/delete': NEEDS_A_SESSION,
  'POST /account/sessions': NEEDS_A_SESSION,
  'POST /account/applications': NEEDS_A_SESSION,
});

/** Every kind of request by which someone without an account, a secret or a token may have something written, by endpoint. */
export const anonymousRequests: Readonly<Record<string, readonly RequestKind[]>> = Object.freeze({
  'GET /': [() => get('/')],
  'GET /assets': [() => get(`/assets?name=${random()}`)],
  'GET /client-logo': [() => get(`/client-logo?client_id=${random()}`)],
  'GET /authorize': [
    ({ issuer }) => get(`/authorize?${authorization(issuer, 'x'.repeat(2_000))}`),
    async (attacker) => get(`/authorize?${await signedAuthorization(attacker)}`),
  ],
  'POST /authorize': [
    ({ issuer }) => post('/authorize', authorization(issuer, 'x'.repeat(2_000))),
    ({ issuer }) => post('/authorize', authorization(issuer, 'x'.repeat(60_000))),
    async (attacker) => post('/authorize', await signedAuthorization(attacker)),
  ],
  'GET /authorize/resume': [({ signIn }) => opened('/authorize/resume', signIn)],
  'GET /login': [({ signIn }) => opened('/login', signIn)],
  'POST /login': [
    ({ signIn }) => filled(signIn, { email: `${random()}@example.com`, password: 'wrong' }),
    ({ signIn }) => filled(signIn, { email: 'ada@example.com', password: random() }),
  ],
  'GET /consent': [({ signIn }) => opened('/consent', signIn)],
  'POST /consent': [({ signIn }) => filled({ ...signIn, path: '/consent' }, { decision: 'allow' })],
  'GET /device': [() => get(`/device?user_code=${random()}`)],
  'POST /device': [() => post('/device', form({ user_code: random(), decision: 'allow', csrf: random() }))],
  'GET /logout': [async (attacker) => get(`/logout?${await signOut(attacker)}`)],
  'POST /logout': [
    async (attacker) => post('/logout', await signOut(attacker)),
    () => post('/logout', form({ state: 'x'.repeat(5_000) })),
  ],
  'POST /logout/confirm': [() => post('/logout/confirm', form({ decision: 'sign_out', csrf: random() }))],
  'GET /account': [() => get('/account')],
  'GET /link': [() => get(`/link?token=${random()}`)],
  'POST /link': [
    () => post('/link', form({ token: random(), csrf: random(), new_password: random() })),
    ({ forgotten }) => filled({ ...forgotten, path: '/link' }, { token: random(), new_password: random() }),
  ],
  'GET /sign-up': [() => get('/sign-up')],
  'POST /sign-up': [
    ({ signUp }) => filled(signUp, { email: `${random()}@example.com`, name: 'N'.repeat(200) }),
  ],
  'GET /forgotten': [() => get('/forgotten')],
  'POST /forgotten': [
    ({ forgotten }) => filled(forgotten, { email: `${random()}@example.com` }),
    ({ forgotten }) => filled(forgotten, { email: 'ada@example.com' }),
  ],
  'POST /token': [
    () => token({ grant_type: 'client_credentials' }, basic(MACHINE, random())),
    () => token({ grant_type: 'client_credentials' }, basic(random(), random())),
    () => token({ grant_type: 'authorization_code', ...ofPublicClient(), code_verifier: 'x'.repeat(43) }),
    async ({ proof }) => token(refreshForm(), { dpop: await proof('/token') }),
    () => token({ grant_type: DEVICE_CODE_GRANT, client_id: DEVICE_CLIENT, device_code: random() }),
    async (attacker) => token(await exchangeForm(attacker), basic(SERVICE, random())),
    async (attacker) => token(await assertionForm(attacker), basic(SERVICE, random())),
    async (attacker) => token(await signedClientForm(attacker)),
  ],
  'GET /userinfo': [async (attacker) => get('/userinfo', await bearer(attacker))],
  'POST /userinfo': [
    () => post('/userinfo', form({ access_token: random() })),
    async ({ proof }) =>
      post('/userinfo', '', { authorization: `DPoP ${random()}`, dpop: await proof('/userinfo') }),
  ],
  'POST /introspect': [() => post('/introspect', form({ token: random() }), basic(MACHINE, random()))],
  'POST /revoke': [() => post('/revoke', form({ token: random(), client_id: PUBLIC_CLIENT }))],
  'POST /par': [
    ({ issuer }) => post('/par', authorization(issuer, 'x'.repeat(2_000), { login_hint: 'x'.repeat(5_000) })),
    ({ issuer }) => post('/par', authorization(issuer, '')),
    ({ issuer }) => post('/par', authorization(issuer, '', { unknown: 'x'.repeat(60_000) })),
    async ({ issuer, proof }) => post('/par', authorization(issuer, ''), { dpop: await proof('/par') }),
    async (attacker) => post('/par', await signedAuthorization(attacker)),
  ],
  'POST /device_authorization': [
    () => post('/device_authorization', form({ client_id: DEVICE_CLIENT, scope: 'openid' })),
  ],
  'POST /register': [() => register('POST', '/register', {})],
  'GET /register/:id': [() => get(`/register/${PUBLIC_CLIENT}`, { authorization: `Bearer ${random()}` })],
  'PUT /register/:id': [() => register('PUT', `/register/${random()}`, { client_name: 'x'.repeat(60_000) })],
  'DELETE /register/:id': [
    (): AnonymousRequest => ({
      method: 'DELETE',
      path: `/register/${PUBLIC_CLIENT}`,
      headers: { authorization: `Bearer ${random()}` },
    }),
  ],
});

function get(path: string, headers: Readonly<Record<string, string>> = {}): AnonymousRequest {
  return { method: 'GET', path, headers };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): AnonymousRequest {
  return { method: 'POST', path, body, headers: { ...FORM, ...headers } };
}

function token(fields: Record<string, string>, headers?: Record<string, string>): AnonymousRequest {
  return post('/token', form(fields), headers);
}

/** Metadata that come with a token that was guessed. */
function register(method: 'POST' | 'PUT', path: string, more: Record<string, string>): AnonymousRequest {
  const metadata = { redirect_uris: ['https://app.example/callback'], client_name: random(), ...more };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${random()}` };
  return { method, path, body: JSON.stringify(metadata), headers };
}

/** A page of the sign-in that was begun. */
function opened(path: string, { fields, cookie }: OpenForm): AnonymousRequest {
  return get(`${path}?${form({ transaction: fields['transaction'] ?? '' })}`, { cookie });
}

function filled({ path, fields, cookie }: OpenForm, typed: Record<string, string>): AnonymousRequest {
  return post(path, form({ ...fields, ...typed }), { cookie });
}

function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

function authorization(issuer: string, state: string, changes: Record<string, string> = {}): string {
  return new URL(authorizationUrl(issuer, createPkce(), { state, ...changes })).search.slice(1);
}

/** With a request object that another key has signed. RFC 9101 */
async function signedAuthorization({ issuer, forge }: Attacker): Promise<string> {
  const client = { client_id: SIGNING_CLIENT };
  const claims = { ...client, iss: SIGNING_CLIENT, aud: issuer, state: 'x'.repeat(2_000) };
  return form({ ...client, request: await forge('oauth-authz-req+jwt', claims) });
}

async function signOut({ issuer, forge }: Attacker): Promise<string> {
  const hint = await forge('JWT', { iss: issuer, aud: PUBLIC_CLIENT, sub: random(), sid: random() });
  return form({ id_token_hint: hint, state: 'x'.repeat(2_000) });
}

function ofPublicClient(): Record<string, string> {
  return { client_id: PUBLIC_CLIENT, code: random() };
}

function refreshForm(): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: PUBLIC_CLIENT, refresh_token: random() };
}

/** RFC 8693 §2.1 */
async function exchangeForm(attacker: Attacker): Promise<Record<string, string>> {
  const subject = { subject_token: await accessToken(attacker), subject_token_type: ACCESS_TOKEN_TYPE };
  return { grant_type: TOKEN_EXCHANGE_GRANT, ...subject };
}

/** RFC 7523 §2.1 */
async function assertionForm({ issuer, forge }: Attacker): Promise<Record<string, string>> {
  const claims = { iss: `https://${random()}.example`, sub: random(), aud: issuer };
  return { grant_type: JWT_BEARER_GRANT, assertion: await forge('JWT', claims) };
}

/** A client that signs, with the signature of another key. RFC 7523 §2.2 */
async function signedClientForm({ issuer, forge }: Attacker): Promise<Record<string, string>> {
  const claims = { iss: SIGNING_SERVICE, sub: SIGNING_SERVICE, aud: issuer };
  return {
    grant_type: 'client_credentials',
    client_assertion_type: JWT_BEARER,
    client_assertion: await forge('JWT', claims),
  };
}

function accessToken({ issuer, forge }: Attacker): Promise<string> {
  return forge('at+jwt', { iss: issuer, aud: issuer, sub: random(), gid: random(), scope: 'openid' });
}

async function bearer(attacker: Attacker): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await accessToken(attacker)}` };
}
