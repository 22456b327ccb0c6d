import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, decodeJwt, SignJWT, UnsecuredJWT, calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { addClient, command } from '../testing/add-client.ts';
import {
  basic,
  createPkce,
  exchange,
  obtainCode,
  postForm,
  tokensOf,
  type JsonResponse,
  type Tokens,
} from '../testing/flow.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { ACCESS_TOKEN_TYPE } from './token-types.ts';

const API = 'https://api.example/graphql';
const SECOND = 'https://second.example/api';
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';

let server: TestAuthServer;
/** Of a user, given to the client `basic` for the first API. */
let subject: Tokens;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // so that tokens expire at a word
  server = await startTestAuthServer();
  const grants = [TOKEN_EXCHANGE_GRANT, 'client_credentials'];
  const scope = 'profile read:data write:data';
  const service = { grant_types: grants, scope };
  await addClient(server, {
    ...service,
    client_id: 'api',
    resource_audiences: [API],
    token_exchange_audiences: [SECOND],
  });
  await addClient(server, {
    ...service,
    client_id: 'second',
    resource_audiences: [SECOND],
    token_exchange_audiences: [API],
  });
  await addClient(server, {
    ...service,
    client_id: 'support',
    resource_audiences: [API, SECOND],
    token_exchange_impersonation: true,
  });
  await addClient(server, {
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT],
    redirect_uris: [CALLBACK],
    client_id: 'own-only',
  });
  await addClient(server, {
    grant_types: grants,
    scope: 'read:profile',
    client_id: 'others',
    resource_audiences: [API],
  });
  await addClient(server, {
    grant_types: ['client_credentials'],
    client_id: 'no-exchange',
    scope: 'read:data',
  });
  subject = await userTokens('basic');
});
afterAll(async () => {
  vi.useRealTimers();
  await server.stop();
});

async function userTokens(clientId: string, email?: string, scope?: string): Promise<Tokens> {
  const pkce = createPkce();
  const request = { client_id: clientId, ...(scope !== undefined && { scope }) };
  const code = await obtainCode(server.issuer, pkce, request, undefined, email);
  return tokensOf(await exchange(server.issuer, code, pkce, { client_id: clientId }, basic(clientId)));
}

async function machineToken(clientId: string): Promise<string> {
  const form = { grant_type: 'client_credentials' };
  return String((await postForm(`${server.issuer}/token`, form, basic(clientId))).body['access_token']);
}

type Form = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An exchange of the user's token, some parameters of it replaced; those that are undefined are left out. */
function trade(
  clientId: string,
  changes: Form = {},
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const good: Form = {
    grant_type: TOKEN_EXCHANGE_GRANT,
    subject_token: subject.accessToken,
    subject_token_type: ACCESS_TOKEN_TYPE,
  };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...good, ...changes }))
    for (const one of [value ?? []].flat()) form.append(name, one);
  return postForm(`${server.issuer}/token`, form, { ...basic(clientId), ...headers });
}

/** The token that an exchange gives. */
async function traded(clientId: string, changes: Form = {}): Promise<string> {
  const { status, body } = await trade(clientId, changes);
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body['access_token']);
}

async function isActive(token: string): Promise<boolean> {
  return (await postForm(`${server.issuer}/introspect`, { token }, basic('basic'))).body['active'] === true;
}

const audited = (event: string): readonly Record<string, unknown>[] =>
  server.log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((record) => record['event'] === event);

describe('RFC 8693: Token exchange', () => {
  it('A-216 gives a token for another API in the name of the user, which says who acts, and no more than the one before', async () => {
    const { status, body, headers } = await trade('api', { audience: SECOND });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, token_type: 'Bearer' });
    expect(body).not.toHaveProperty('refresh_token');
    expect(body).not.toHaveProperty('id_token');
    const before = decodeJwt(subject.accessToken);
    const after = decodeJwt(String(body['access_token']));
    expect(after).toMatchObject({
      iss: server.issuer,
      sub: before.sub,
      aud: SECOND,
      client_id: 'api',
      act: { sub: 'api', client_id: 'api' },
      exchanged_from: ['basic'],
      gid: before['gid'],
      scope: 'profile read:data write:data',
      roles: before['roles'],
      name: before['name'],
      auth_time: before['auth_time'],
      acr: before['acr'],
    });
    expect(after).not.toHaveProperty('email'); // the client is not registered for it
    expect(after.exp).toBeLessThanOrEqual(Number(before.exp));
    expect(after.jti).not.toBe(before.jti);
    const { body: introspected } = await postForm(
      `${server.issuer}/introspect`,
      { token: String(body['access_token']) },
      basic('second'),
    );
    expect(introspected).toMatchObject({ active: true, client_id: 'api', act: { sub: 'api' } });
  });

  it('takes the types that access tokens have, and names the one that was asked for', async () => {
    const changes = { subject_token_type: JWT_TYPE, requested_token_type: JWT_TYPE, resource: API };
    expect((await trade('api', changes)).body).toMatchObject({ issued_token_type: JWT_TYPE });
    expect((await trade('api', { resource: SECOND, audience: SECOND })).status).toBe(200);
  });

  it('lets a client narrow a token of its own, which stays its own', async () => {
    const own = await userTokens('own-only');
    const token = await traded('own-only', { subject_token: own.accessToken, scope: 'read:data' });
    expect(decodeJwt(token)).toMatchObject({ scope: 'read:data', client_id: 'own-only', gid: own.grantId });
    for (const claim of ['act', 'exchanged_from']) expect(decodeJwt(token)).not.toHaveProperty(claim);
    const machine = await traded('api', { subject_token: await machineToken('api'), scope: 'read:data' });
    expect(decodeJwt(machine)).toMatchObject({ sub: 'api', client_id: 'api', scope: 'read:data' });
    expect(decodeJwt(machine)).not.toHaveProperty('act');
  });

  it('A-217 delegates to the subject of the actor token', async () => {
    const actor = { actor_token: await machineToken('support'), actor_token_type: ACCESS_TOKEN_TYPE };
    expect(decodeJwt(await traded('support', actor))['act']).toEqual({
      sub: 'support',
      client_id: 'support',
    });
    const ed = await userTokens('own-only', 'ed@example.com');
    const own = await userTokens('own-only');
    const byEd = await traded('own-only', {
      subject_token: own.accessToken,
      actor_token: ed.accessToken,
      actor_token_type: JWT_TYPE,
    });
    const edId = decodeJwt(ed.accessToken).sub;
    expect(decodeJwt(byEd)['act']).toEqual({ sub: edId, client_id: 'own-only' });
    expect(audited('token_exchanged').at(-1)).toMatchObject({ actor: edId, clientId: 'own-only' });
  });

  it('A-217 impersonates for a client alone that may, and never hides an actor of before', async () => {
    expect(decodeJwt(await traded('support'))).not.toHaveProperty('act');
    const delegated = await traded('api');
    expect(decodeJwt(await traded('support', { subject_token: delegated }))['act']).toEqual({
      sub: 'support',
      client_id: 'support',
      act: { sub: 'api', client_id: 'api' },
    });
  });

  it('A-218 nests actors, to a bound, and prolongs nothing along a chain', async () => {
    let token = subject.accessToken;
    const step = async (index: number): Promise<JsonResponse> => {
      const [client, target] = index % 2 === 0 ? ['api', SECOND] : ['second', API];
      return trade(client, { subject_token: token, audience: target });
    };
    for (let index = 0; index < 5; index += 1) {
      const { status, body } = await step(index);
      expect(status, JSON.stringify(body)).toBe(200);
      token = String(body['access_token']);
    }
    const { exp, act, exchanged_from: from } = decodeJwt(token);
    expect(exp).toBeLessThanOrEqual(Number(decodeJwt(subject.accessToken).exp));
    expect(JSON.stringify(act).match(/"sub"/g)).toHaveLength(5);
    expect(from).toEqual(['basic', 'second']);
    expect(await step(5)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('RFC 8693 §2.2.2: What is not exchanged', () => {
  /** A name, what is changed in an exchange of the client, and the error. */
  type Rejection = readonly [
    what: string,
    clientId: string,
    changes: () => Promise<Form> | Form,
    error: string,
  ];
  const as = (token: string): Form => ({ subject_token: token });
  const actor = (token: string): Form => ({ actor_token: token, actor_token_type: ACCESS_TOKEN_TYPE });
  const rejections: readonly Rejection[] = [
    ['a token of another client for another API', 'own-only', () => ({}), 'invalid_request'],
    ['the token of an API that is not the own one', 'second', () => ({}), 'invalid_request'],
    [
      'the token of another client that acts for itself',
      'api',
      async () => as(await machineToken('machine')),
      'invalid_request',
    ],
    ['an id_token', 'api', () => as(subject.idToken), 'invalid_request'],
    ['a refresh token', 'api', () => as(subject.refreshToken), 'invalid_request'],
    ['garbage', 'api', () => as('garbage'), 'invalid_request'],
    ['half a token', 'api', () => as(subject.accessToken.slice(0, 200)), 'invalid_request'],
    ['another signature', 'api', () => as(`${subject.accessToken.slice(0, -6)}AAAAAA`), 'invalid_request'],
    [
      'alg none',
      'api',
      () => as(new UnsecuredJWT(decodeJwt(subject.accessToken)).encode()),
      'invalid_request',
    ],
    [
      'swapped claims',
      'api',
      () => as(swap(subject.accessToken, { scope: 'read:data write:data auth:admin' })),
      'invalid_request',
    ],
    [
      'another user in the claims',
      'api',
      () => as(swap(subject.accessToken, { sub: randomUUID() })),
      'invalid_request',
    ],
    ['a key of someone else', 'api', async () => as(await forge(subject.accessToken)), 'invalid_request'],
    [
      'an issuer that is not trusted',
      'api',
      async () => as(await forge(subject.accessToken, { iss: 'https://evil.example' })),
      'invalid_request',
    ],
    [
      'no subject token',
      'api',
      () => ({ subject_token: undefined, subject_token_type: undefined }),
      'invalid_request',
    ],
    ['no type', 'api', () => ({ subject_token_type: undefined }), 'invalid_request'],
    [
      'the type of an id_token',
      'api',
      () => ({ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
      'invalid_request',
    ],
    [
      'the type of SAML',
      'api',
      () => ({ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }),
      'invalid_request',
    ],
    [
      'for a refresh token',
      'api',
      () => ({ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }),
      'invalid_request',
    ],
    [
      'two subject tokens',
      'api',
      () => ({ subject_token: [subject.accessToken, subject.accessToken] }),
      'invalid_request',
    ],
    [
      'an actor token without a type',
      'api',
      async () => ({ actor_token: await machineToken('api') }),
      'invalid_request',
    ],
    [
      'the type of an actor token alone',
      'api',
      () => ({ actor_token_type: ACCESS_TOKEN_TYPE }),
      'invalid_request',
    ],
    [
      'the actor token of another client',
      'api',
      async () => actor(await machineToken('support')),
      'invalid_request',
    ],
    ['an actor token that is delegated', 'api', async () => actor(await traded('api')), 'invalid_request'],
    [
      'a forged actor token',
      'api',
      async () => actor(await forge(await machineToken('api'))),
      'invalid_request',
    ],
    [
      'for a scope that the token has not',
      'api',
      () => ({ scope: 'read:data read:profile' }),
      'invalid_scope',
    ],
    ['for the scope of administration', 'api', () => ({ scope: 'auth:admin' }), 'invalid_scope'],
    [
      'for openid',
      'own-only',
      async () => ({ ...as((await userTokens('own-only')).accessToken), scope: 'openid' }),
      'invalid_scope',
    ],
    [
      'for no scope in common',
      'others',
      async () => as((await userTokens('basic', undefined, 'read:data')).accessToken),
      'invalid_scope',
    ],
    ['for an API that is not registered', 'support', () => ({ audience: SECOND }), 'invalid_target'],
    ['for an API that no one knows', 'api', () => ({ audience: 'https://evil.example' }), 'invalid_target'],
    ['for two APIs', 'api', () => ({ audience: [API, SECOND] }), 'invalid_target'],
    [
      'for one API and another resource',
      'api',
      () => ({ audience: API, resource: SECOND }),
      'invalid_target',
    ],
    ['by a client without the grant', 'no-exchange', () => ({}), 'unauthorized_client'],
  ];

  it.each(rejections)('A-219 %s', async (_what, clientId, changes, error) => {
    const { status, body } = await trade(clientId, await changes());
    expect({ status, error: body['error'] }).toEqual({ status: 400, error });
    expect(body).not.toHaveProperty('access_token');
  });

  it('A-219 a token that is bound to a key, without that key; with it, or by the API that it was sent to', async () => {
    await addClient(server, {
      grant_types: ['client_credentials', TOKEN_EXCHANGE_GRANT],
      scope: 'read:data',
      client_id: 'bound-service',
    });
    const [key, other] = await Promise.all([createProver(), createProver()]);
    const form = { grant_type: 'client_credentials' };
    const headers = { ...basic('bound-service'), dpop: await key.prove() };
    const { body } = await postForm(`${server.issuer}/token`, form, headers);
    const changes = { subject_token: String(body['access_token']) };
    expect((await trade('bound-service', changes)).body['error']).toBe('invalid_request');
    const stolen = await trade('bound-service', changes, { dpop: await other.prove() });
    expect(stolen.body['error']).toBe('invalid_request');
    const good = await trade('bound-service', changes, { dpop: await key.prove() });
    expect(good.body['token_type']).toBe('DPoP');
    expect(decodeJwt(String(good.body['access_token']))['cnf']).toEqual({ jkt: key.thumbprint });
  });

  it('A-219 a revoked one, one of a user who is disabled', async () => {
    const gone = await userTokens('basic');
    await postForm(`${server.issuer}/revoke`, { token: gone.refreshToken }, basic('basic'));
    expect((await trade('api', as(gone.accessToken))).body['error']).toBe('invalid_request');
    const vi2 = await userTokens('basic', 'vi@example.com');
    await command(server, 'accounts', 'disable', '--email', 'vi@example.com');
    expect((await trade('api', as(vi2.accessToken))).body['error']).toBe('invalid_request');
    await command(server, 'accounts', 'enable', '--email', 'vi@example.com');
  });

  it('A-220 leaves a row for each exchange, and one for what was rejected', async () => {
    await traded('api', { audience: SECOND });
    expect(audited('token_exchanged').at(-1)).toMatchObject({
      audit: true,
      subject: decodeJwt(subject.accessToken).sub,
      grantId: subject.grantId,
      clientId: 'api',
      actor: 'api',
      audience: SECOND,
    });
    await trade('own-only');
    expect(audited('token_exchange_rejected').some(({ clientId }) => clientId === 'own-only')).toBe(true);
    expect(server.log.join('\n')).not.toContain(subject.accessToken);
  });
});

describe('RFC 8693: Registration for token exchange', () => {
  const service = { grant_types: [TOKEN_EXCHANGE_GRANT], client_id: 'new' };
  it.each<[string, object, string]>([
    [
      'a public client',
      { ...service, client_secret: undefined, token_endpoint_auth_method: 'none' },
      'needs a client that authenticates',
    ],
    [
      'an API that no one knows',
      { ...service, resource_audiences: ['https://evil.example'] },
      'resource_audiences: unknown here',
    ],
    [
      'a target that no one knows',
      { ...service, token_exchange_audiences: ['x'] },
      'token_exchange_audiences: unknown here',
    ],
    [
      'impersonation without the grant',
      { ...service, grant_types: ['client_credentials'], token_exchange_impersonation: true },
      'has no use without the grant type',
    ],
    [
      'targets without the grant',
      { ...service, grant_types: ['client_credentials'], token_exchange_audiences: [API] },
      'has no use without the grant type',
    ],
  ])('is not for %s', async (_what, metadata, problem) => {
    await expect(addClient(server, metadata)).rejects.toThrow(problem);
  });
});

describe('What ends a token that was exchanged', () => {
  it('A-221 its client can not revoke it: it would end the grant of the other client', async () => {
    const token = await traded('api');
    const { status, body } = await postForm(`${server.issuer}/revoke`, { token }, basic('api'));
    expect([status, body['error']]).toEqual([400, 'unsupported_token_type']);
    expect([await isActive(token), await isActive(subject.accessToken)]).toEqual([true, true]);
    expect((await postForm(`${server.issuer}/revoke`, { token }, basic('basic'))).status).toBe(200); // not its own
    expect(await isActive(token)).toBe(true);
  });

  it('A-221 the grant of the subject token does, along the chain', async () => {
    const own = await userTokens('basic');
    const first = await traded('api', { subject_token: own.accessToken, audience: SECOND });
    const last = await traded('second', { subject_token: first, audience: API });
    expect([await isActive(first), await isActive(last)]).toEqual([true, true]);
    await postForm(`${server.issuer}/revoke`, { token: own.refreshToken }, basic('basic'));
    expect([await isActive(first), await isActive(last)]).toEqual([false, false]);
  });

  it.each(['removed', 'narrowed'])('A-221 each client of the chain that is %s does', async (how) => {
    const names = [`${how}-web`, `${how}-middle`, `${how}-last`] as const;
    const [web, middle, last] = names;
    const code = { redirect_uris: [CALLBACK], scope: 'openid read:data write:data' };
    const service = {
      grant_types: [TOKEN_EXCHANGE_GRANT],
      scope: 'read:data write:data',
      resource_audiences: [API],
    };
    for (const ended of names) {
      await addClient(server, { ...code, client_id: web });
      await addClient(server, { ...service, client_id: middle });
      await addClient(server, { ...service, client_id: last });
      vi.setSystemTime(Date.now() + 6_000); // clients are remembered for 5 s, and a second takes tokens of its own
      const own = (await userTokens(web, undefined, code.scope)).accessToken;
      const token = await traded(last, { subject_token: await traded(middle, { subject_token: own }) });
      expect(await isActive(token)).toBe(true);
      if (how === 'removed') await command(server, 'clients', 'remove', '--client-id', ended);
      else
        await addClient(server, {
          ...(ended === web ? code : service),
          client_id: ended,
          scope: 'read:data',
        });
      expect(await isActive(token), ended).toBe(false);
      expect(await isActive(own), ended).toBe(ended !== web);
    }
  });

  it('A-221 the end of the subject token does', async () => {
    const own = (await userTokens('basic')).accessToken;
    vi.setSystemTime(Date.now() + 600_000);
    const late = await traded('api', { subject_token: own });
    expect(decodeJwt(late).exp).toBe(decodeJwt(own).exp);
    vi.setSystemTime(Date.now() + 301_000);
    expect(await isActive(late)).toBe(false);
    expect((await trade('api', { subject_token: own })).body['error']).toBe('invalid_request');
  });
});

/** The same signature over other claims. */
function swap(token: string, claims: object): string {
  const [header = '', , signature = ''] = token.split('.');
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(token), ...claims })).toString('base64url');
  return `${header}.${payload}.${signature}`;
}

/** The same claims, signed with a key of one's own under the server's header. */
async function forge(token: string, claims: object = {}): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as {
    alg: string;
  };
  return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader(header).sign(privateKey);
}

/** A key, and proofs of it for the token endpoint. RFC 9449 §4 */
async function createProver(): Promise<{ readonly thumbprint: string; prove(): Promise<string> }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    prove: () =>
      new SignJWT({
        htm: 'POST',
        htu: `${server.issuer}/token`,
        jti: randomUUID(),
        iat: Math.floor(Date.now() / 1000),
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey),
  };
}
