import { exportJWK, generateKeyPair, decodeJwt, SignJWT, UnsecuredJWT, calculateJwkThumbprint } from 'jose';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { addClient, command } from '../testing/add-client.ts';
import { basic, postForm } from '../testing/flow.ts';
import { API } from '../testing/test-clients.ts';
import { ACCESS_TOKEN_TYPE } from './token-types.ts';

import { SECOND, startExchangeStage, type ExchangeStage, type Form } from '../testing/exchange-stage.ts';

let server: ExchangeStage['server'];
let subject: ExchangeStage['subject'];
let userTokens: ExchangeStage['userTokens'];
let machineToken: ExchangeStage['machineToken'];
let trade: ExchangeStage['trade'];
let traded: ExchangeStage['traded'];
let audited: ExchangeStage['audited'];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // so that tokens expire at a word
  ({ server, subject, userTokens, machineToken, trade, traded, audited } = await startExchangeStage());
});
afterAll(async () => {
  vi.useRealTimers();
  await server.stop();
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
