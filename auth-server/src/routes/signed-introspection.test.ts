import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addClient } from '../testing/add-client.ts';
import { basic, obtainTokens, type Tokens } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const API = 'https://api.example/graphql';
const SIGNED = 'application/token-introspection+jwt';

let server: TestAuthServer;
let tokens: Tokens;

beforeAll(async () => {
  server = await startTestAuthServer();
  const machine = { grant_types: ['client_credentials'], scope: 'read:data' };
  await addClient(server, { ...machine, client_id: 'es256', introspection_signed_response_alg: 'ES256' });
  await addClient(server, { ...machine, client_id: 'of-api', resource_audiences: [API] });
  await addClient(server, {
    ...machine,
    client_id: 'of-second',
    resource_audiences: ['https://second.example/api'],
  });
  tokens = await obtainTokens(server.issuer);
});
afterAll(() => server.stop());

async function introspect(
  clientId: string,
  accept: string | undefined,
  token = tokens.accessToken,
): Promise<{ readonly type: string; readonly status: number; readonly text: string; readonly vary: string }> {
  const response = await fetch(`${server.issuer}/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers: { ...basic(clientId), ...(accept !== undefined && { accept }) },
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  return { status, type, vary: headers.get('vary') ?? '', text: await response.text() };
}

describe('RFC 9701: a signed introspection response', () => {
  it.each([
    ['basic', 'RS256'],
    ['es256', 'ES256'],
  ])('A-214 for %s is a JWT that is signed with %s, for it alone', async (clientId, algorithm) => {
    const { type, text, status, vary } = await introspect(clientId, SIGNED);
    expect([status, type]).toEqual([200, SIGNED]);
    expect(vary.toLowerCase()).toContain('accept');
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks.json`));
    const { payload } = await jwtVerify(text, keys, {
      typ: 'token-introspection+jwt',
      algorithms: [algorithm],
      issuer: server.issuer,
      audience: clientId,
    });
    expect(Object.keys(payload).toSorted()).toEqual(['aud', 'iat', 'iss', 'token_introspection']);
    expect(payload.aud).toBe(clientId);
    const plain = await introspect(clientId, 'application/json');
    expect(payload['token_introspection']).toEqual(JSON.parse(plain.text));
    expect(plain.type).toContain('application/json');
  });

  it('says of a token that is not active nothing else', async () => {
    const { text } = await introspect('basic', SIGNED, `${tokens.accessToken}x`);
    expect(decodeJwt(text)['token_introspection']).toEqual({ active: false });
  });

  it.each([
    [`application/json, ${SIGNED}`, true],
    ['Application/Token-Introspection+JWT;q=0.5', true],
    [undefined, false],
    ['*/*', false],
    ['application/jwt', false],
    [`${SIGNED};q=0`, false],
    [`application/json, ${SIGNED}; q=0.0`, false],
  ])('Accept: %s asks for one: %s', async (accept, expected) => {
    const { type } = await introspect('basic', accept);
    expect(type.startsWith(SIGNED)).toBe(expected);
  });

  it('is no access token, for whatever takes those', async () => {
    const { text } = await introspect('es256', SIGNED);
    expect(decodeProtectedHeader(text).typ).toBe('token-introspection+jwt');
    const headers = { authorization: `Bearer ${text}` };
    expect((await fetch(`${server.issuer}/userinfo`, { headers })).status).toBe(401);
    expect(JSON.parse((await introspect('basic', undefined, text)).text)).toEqual({ active: false });
  });

  it('is named by discovery', async () => {
    const result = await fetch(`${server.issuer}/.well-known/openid-configuration`);
    expect(await result.json()).toMatchObject({
      introspection_signing_alg_values_supported: ['ES256', 'RS256'],
    });
  });

  it.each(['introspection_encrypted_response_alg', 'introspection_encrypted_response_enc'])(
    'is not encrypted: %s is rejected',
    async (member) => {
      const added = addClient(server, {
        client_id: 'encrypted',
        redirect_uris: ['https://a.example'],
        [member]: 'x',
      });
      await expect(added).rejects.toThrow('is not supported');
    },
  );
});

describe('RFC 9701 §5: a resource server that says what it serves', () => {
  it('A-215 learns of tokens for it, and nothing of others', async () => {
    const active = async (clientId: string, accept?: string): Promise<unknown> => {
      const { text } = await introspect(clientId, accept);
      return accept === undefined ? JSON.parse(text) : decodeJwt(text)['token_introspection'];
    };
    expect(await active('of-api')).toMatchObject({ active: true, aud: API });
    expect(await active('of-second')).toEqual({ active: false });
    expect(await active('of-second', SIGNED)).toEqual({ active: false });
  });
});
