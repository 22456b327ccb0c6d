import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTokenIntrospection } from './introspect-token.ts';
import { createKeySet, KeysUnavailable } from './key-set.ts';
import { InvalidAccessToken, tokenRulesOf } from './token-rules.ts';

const ISSUER = 'https://id.example';
const CLIENT = 'graph-gateway';
const SIGNED = 'application/token-introspection+jwt';
const SENDER = { keys: ['a'] as const, isKnown: false };

let server: Server;
let key: CryptoKey;
let otherKey: CryptoKey;
let response: { readonly type: string; readonly body: string };
let accepted: (string | undefined)[] = [];
let failures: unknown[];
let isAvailable: boolean;
/** One that demands signed responses, of an issuer of another organization. */
let introspect: (token: string) => Promise<unknown>;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  otherKey = (await generateKeyPair('ES256')).privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  server = createServer((request, result) => {
    accepted.push(request.headers.accept);
    request
      .resume()
      .on('end', () => result.writeHead(200, { 'content-type': response.type }).end(response.body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`; // it listens
  introspect = async (token) => {
    const fetchKeys = async () => {
      if (!isAvailable) throw new Error('They are unavailable.');
      return { keys: [jwk] };
    };
    const introspection = createTokenIntrospection({
      issuer: ISSUER,
      rules: tokenRulesOf({ audience: 'graph', profile: 'rfc9068' }),
      url: async () => url,
      clientId: CLIENT,
      clientSecret: 'secret',
      signedBy: createKeySet({ fetchKeys }),
      cacheMs: 0,
      negativeCacheMs: 0,
      maxConcurrent: 8,
      leewayS: 10,
      outages: { failed: (error) => failures.push(error), succeeded: () => undefined },
    });
    return introspection.introspect(token, SENDER);
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  accepted = [];
  failures = [];
  isAvailable = true;
});

const nowS = (): number => Math.floor(Date.now() / 1_000);
const INTROSPECTION = {
  active: true,
  sub: 'ada',
  client_id: 'web',
  scope: 'read:data',
  aud: 'graph',
  iss: ISSUER,
};

type Changes = { readonly claims?: JWTPayload; readonly header?: object; readonly by?: CryptoKey };

function sign({ claims = {}, header = {}, by = key }: Changes = {}): Promise<string> {
  const good = { iss: ISSUER, aud: CLIENT, iat: nowS(), token_introspection: INTROSPECTION };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'token-introspection+jwt', ...header })
    .sign(by);
}

describe('RFC 9701: the response of an issuer that has to sign', () => {
  it('is asked for, and is what it says of the token', async () => {
    response = { type: `${SIGNED}; charset=utf-8`, body: await sign({ claims: { aud: [CLIENT] } }) };
    expect(await introspect('opaque')).toMatchObject({
      context: { issuer: ISSUER, clientId: 'web', scopes: ['read:data'], user: { id: 'ada' } },
    });
    expect(accepted).toEqual([SIGNED]);
    response = { type: SIGNED, body: await sign({ claims: { token_introspection: { active: false } } }) };
    await expect(introspect('opaque')).rejects.toBeInstanceOf(InvalidAccessToken);
    expect(failures).toEqual([]);
  });

  it.each<[string, () => Promise<string>, string?]>([
    ['that is not signed', async () => JSON.stringify(INTROSPECTION), 'application/json'],
    ['that is a JWT of another media type', () => sign(), 'application/jwt'],
    ['of another type', () => sign({ header: { typ: 'JWT' } })],
    ['that is an access token', () => sign({ header: { typ: 'at+jwt' }, claims: INTROSPECTION })],
    ['without a type', () => sign({ header: { typ: undefined } })],
    ['of another key', () => sign({ by: otherKey })],
    ['of a key that no one knows', () => sign({ by: otherKey, header: { kid: 'two' } })],
    [
      'without a signature',
      async () => new UnsecuredJWT({ iss: ISSUER, aud: CLIENT }).setIssuedAt().encode(),
    ],
    ['of another issuer', () => sign({ claims: { iss: 'https://evil.example' } })],
    ['of no issuer', () => sign({ claims: { iss: undefined as never } })],
    ['for another resource server', () => sign({ claims: { aud: 'other' } })],
    ['for several', () => sign({ claims: { aud: [CLIENT, 'other'] } })],
    ['for no one', () => sign({ claims: { aud: undefined as never } })],
    ['of two minutes ago', () => sign({ claims: { iat: nowS() - 120 } })],
    ['of the future', () => sign({ claims: { iat: nowS() + 120 } })],
    ['of no time', () => sign({ claims: { iat: undefined as never } })],
    [
      'without what it is about',
      () => sign({ claims: { token_introspection: undefined, ...INTROSPECTION, aud: CLIENT } }),
    ],
    ['that is garbage', async () => 'x.y.z'],
  ])('%s says nothing about the token: it can not be judged', async (_what, make, type = SIGNED) => {
    response = { type, body: await make() };
    await expect(introspect('opaque')).rejects.toBeInstanceOf(KeysUnavailable);
    expect(failures).toHaveLength(1);
  });

  it('can not be judged while there are no keys', async () => {
    isAvailable = false;
    response = { type: SIGNED, body: await sign() };
    await expect(introspect('opaque')).rejects.toBeInstanceOf(KeysUnavailable);
  });
});
