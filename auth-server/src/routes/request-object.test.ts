import { Browser } from '@trellis/testkit/sign-in';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  responseOf,
  authorizationUrl,
  completePages,
  createPkce,
  postForm,
  type Pkce,
} from '../testing/flow.ts';
import {
  createClientKey,
  startKeySetServer,
  type ClientKey,
  type KeySetServer,
} from '../testing/key-set-server.ts';
import {
  systemNowS,
  push,
  registerGood,
  signingClient,
  visit,
  type Changes,
  type SigningClient,
} from '../testing/signing-client.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';

const HOUR_S = 3_600;

let server: TestAuthServer;
let published: KeySetServer;
let key: ClientKey;
let foreign: ClientKey;
let rsa: ClientKey;
let client: SigningClient;
let strict: SigningClient;
let pkce: Pkce;
const browser = new Browser();
beforeAll(async () => {
  [server, key, foreign, rsa] = await Promise.all([
    startTestAuthServer(),
    createClientKey('key'),
    createClientKey('key'),
    createClientKey('rsa', 'RS256'),
  ]);
  published = await startKeySetServer([key.publicJwk]);
  pkce = createPkce();
  const common = { redirect_uris: [CALLBACK], first_party: true };
  const jwks = { keys: [key.publicJwk, rsa.publicJwk] };
  const clients = [
    { ...common, client_id: 'signing', jwks },
    {
      ...common,
      client_id: 'strict',
      jwks,
      require_signed_request_object: true,
      request_object_signing_alg: 'ES256',
    },
    { ...common, client_id: 'remote', jwks_uri: published.uri },
  ];
  for (const metadata of clients) await registerGood(server, metadata);
  client = signingClient(server.issuer, 'signing', key);
  strict = signingClient(server.issuer, 'strict', key);
});
afterAll(async () => {
  await published.close();
  await server.stop();
});

const sendBy = async (
  who: SigningClient,
  changes: Changes = {},
  beside: Record<string, string> = {},
): Promise<URLSearchParams> => {
  const request = await who.requestObject(pkce, changes);
  return visit(server.issuer, browser, { client_id: who.clientId, request, ...beside });
};

/** The error on the page with which an object is rejected; nothing of it is trusted, so none goes to the client. */
async function pageErrorOf(request: string, clientId = 'signing'): Promise<string> {
  const url = `${server.issuer}/authorize?${new URLSearchParams({ client_id: clientId, request })}`;
  const response = await fetch(url, { redirect: 'manual' });
  expect(response.status).toBe(400);
  const [, error = 'no error'] = /\b(invalid_\w+|request_not_supported)\b/.exec(await response.text()) ?? [];
  return error;
}

describe('RFC 9101: a request object', () => {
  it('A-173 is a request, by which a code is issued and exchanged', async () => {
    const response = await sendBy(client);
    expect(Object.fromEntries(response)).toMatchObject({ state: 'signed-state', iss: server.issuer });
    const form = {
      grant_type: 'authorization_code',
      code: response.get('code') ?? '',
      code_verifier: pkce.verifier,
      ...(await client.assertion()),
    };
    expect((await postForm(`${server.issuer}/token`, form)).status).toBe(200);
  });

  it('A-173 is verified by the keys at a jwks_uri, and by each algorithm that discovery lists', async () => {
    const remote = signingClient(server.issuer, 'remote', key);
    expect((await sendBy(remote)).get('code')).toBeTruthy();
    expect((await sendBy(client, { by: rsa })).get('code')).toBeTruthy();
    const document = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
      require_signed_request_object: false,
      request_object_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA'],
    });
  });

  it('A-174 is all that counts: nothing beside it does', async () => {
    const beside = {
      state: 'outer',
      scope: 'openid email',
      redirect_uri: 'https://evil.example/',
      response_mode: 'form_post',
    };
    const response = await sendBy(client, {}, beside);
    expect(response.get('state')).toBe('signed-state');
    const missing = await sendBy(client, { claims: { state: undefined } }, { state: 'outer' });
    expect(missing.has('state')).toBe(false);
    const incomplete = await sendBy(
      client,
      { claims: { code_challenge: undefined } },
      { code_challenge: pkce.challenge },
    );
    expect(incomplete.get('error')).toBe('invalid_request');
  });

  it('A-173 holds claims as an object, and numbers as numbers', async () => {
    const claims = {
      max_age: 3_600,
      claims: { id_token: { acr: { values: ['urn:unknown'], essential: true } } },
    };
    expect((await sendBy(client, { claims })).get('error')).toBe('unmet_authentication_requirements');
    expect((await sendBy(client, { claims: { max_age: 'soon' } })).get('error')).toBe('invalid_request');
  });

  it('A-174 may come by POST', async () => {
    const fields = { client_id: 'signing', request: await client.requestObject(pkce) };
    const first = await browser.post(`${server.issuer}/authorize`, fields);
    expect(responseOf(await completePages(browser, first, server.issuer)).get('state')).toBe('signed-state');
  });

  it.each<[string, Changes]>([
    ['audience', { claims: { aud: 'https://other.example' } }],
    ['audience that is missing', { claims: { aud: undefined } }],
    ['audience that is the endpoint', { claims: { aud: 'ISSUER/authorize' } }],
    ['issuer', { claims: { iss: 'spa' } }],
    ['issuer that is missing', { claims: { iss: undefined } }],
    ['client', { claims: { client_id: 'spa' } }],
    ['client that is missing', { claims: { client_id: undefined } }],
    ['end in the past', { claims: { exp: systemNowS() - 60 } }],
    ['end that is missing', { claims: { exp: undefined } }],
    ['end later than in an hour', { claims: { exp: systemNowS() + HOUR_S + 120 } }],
    ['start in the future', { claims: { nbf: systemNowS() + 120 } }],
    ['start more than an hour ago', { claims: { nbf: systemNowS() - HOUR_S - 120 } }],
    ['time of issue in the future', { claims: { iat: systemNowS() + 120 } }],
    ['subject: it is an assertion', { claims: { sub: 'signing' } }],
    ['request within', { claims: { request: 'x' } }],
    ['request_uri within', { claims: { request_uri: 'https://evil.example/' } }],
    ['jti that is no text', { claims: { jti: 1 } }],
    ['jti that is too long', { claims: { jti: 'x'.repeat(201) } }],
    ['NUL in its state', { claims: { state: 'a\0b' } }],
    ['type: of a proof', { header: { typ: 'dpop+jwt' } }],
    ['type: of a token', { header: { typ: 'at+jwt' } }],
    ['kid', { header: { kid: 'unknown' } }],
  ])('A-175 is none with a wrong %s', async (_what, changes) => {
    const text = JSON.stringify(changes).replace('ISSUER', server.issuer);
    const claims = Object.fromEntries(
      Object.entries(changes.claims ?? {}).filter(([, value]) => value === undefined),
    );
    const parsed = JSON.parse(text) as Changes;
    const object = await client.requestObject(pkce, { ...parsed, claims: { ...parsed.claims, ...claims } });
    expect(await pageErrorOf(object)).toBe('invalid_request_object');
  });

  it('A-175 is none by another key, unsigned, symmetric, encrypted, or an assertion', async () => {
    const claims = { iss: 'signing', aud: server.issuer, client_id: 'signing', exp: systemNowS() + 60 };
    const { client_assertion: assertion = '' } = await client.assertion();
    const [, payload = ''] = (await client.requestObject(pkce)).split('.');
    const header = Buffer.from('{"alg":"HS256","kid":"key"}').toString('base64url');
    const objects = {
      'by another key': await client.requestObject(pkce, { by: foreign }),
      unsigned: new UnsecuredJWT(claims).encode(),
      'unsigned, with another case': `${Buffer.from('{"alg":"nOnE"}').toString('base64url')}.${payload}.`,
      symmetric: `${header}.${payload}.AAAA`,
      encrypted: 'a.b.c.d.e',
      'an assertion': assertion,
      garbage: 'x',
    };
    for (const [what, object] of Object.entries(objects))
      expect(await pageErrorOf(object), what).toBe('invalid_request_object');
  });

  it('A-175 by the key of one client is none of another', async () => {
    const object = await client.requestObject(pkce, { claims: { client_id: 'jwt', iss: 'jwt' } });
    expect(await pageErrorOf(object, 'jwt')).toBe('invalid_request_object');
  });

  it('A-175 is signed by the algorithm that its client is registered with', async () => {
    expect(await pageErrorOf(await strict.requestObject(pkce, { by: rsa }), 'strict')).toBe(
      'invalid_request_object',
    );
  });

  it('A-176 gives one code, whether it is visited or pushed', async () => {
    const request = await client.requestObject(pkce);
    const visited = { client_id: 'signing', request };
    expect((await visit(server.issuer, browser, visited)).get('code')).toBeTruthy();
    expect((await visit(server.issuer, browser, visited)).get('error')).toBe('invalid_request_object');
    const { body } = await push(server.issuer, client, { request });
    const pushed = { client_id: 'signing', request_uri: String(body['request_uri']) };
    expect((await visit(server.issuer, browser, pushed)).get('error')).toBe('invalid_request_object');
  });

  it('A-177 may be pushed, and is bound to the client that pushes it', async () => {
    const request = await client.requestObject(pkce);
    const { status, body } = await push(server.issuer, client, {
      request,
      scope: 'openid email',
      redirect_uri: 'https://evil.example/',
    });
    expect(status).toBe(201);
    const response = await visit(server.issuer, browser, {
      client_id: 'signing',
      request_uri: String(body['request_uri']),
    });
    expect([response.get('state'), response.has('code')]).toEqual(['signed-state', true]);
    const foreignPush = await push(server.issuer, strict, { request: await client.requestObject(pkce) });
    expect(foreignPush).toMatchObject({ status: 400, body: { error: 'invalid_request_object' } });
  });

  it('A-177 is needed of a client that is registered so, visited or pushed', async () => {
    const plain = { client_id: 'strict', scope: 'openid' };
    const response = await fetch(authorizationUrl(server.issuer, pkce, plain), { redirect: 'manual' });
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(searchParams.get('error_description')).toBe('The client has to sign its authorization requests.');
    const parameters = Object.fromEntries(new URL(authorizationUrl(server.issuer, pkce, plain)).searchParams);
    expect((await push(server.issuer, strict, parameters)).body['error']).toBe('invalid_request');
    expect((await sendBy(strict)).get('code')).toBeTruthy();
    const { body } = await push(server.issuer, strict, { request: await strict.requestObject(pkce) });
    const pushed = { client_id: 'strict', request_uri: String(body['request_uri']) };
    expect((await visit(server.issuer, browser, pushed)).get('code')).toBeTruthy();
  });

  it('A-174 goes with no request_uri, and one by reference is not fetched', async () => {
    const request = await client.requestObject(pkce);
    const both = new URLSearchParams({ client_id: 'signing', request, request_uri: published.uri });
    const before = published.requests;
    expect((await fetch(`${server.issuer}/authorize?${both}`, { redirect: 'manual' })).status).toBe(400);
    expect(published.requests).toBe(before);
  });
});
