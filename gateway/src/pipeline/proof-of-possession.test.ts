import { createHash, randomUUID } from 'node:crypto';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly thumbprint: string;
}

/** What is unusual about a proof. */
interface Unusual {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: Key;
  readonly method?: string;
  readonly url?: string;
}

let redis: TestRedis;
let issuer: TokenIssuer;
let subgraph: SubgraphServer;
let gateway: TestGateway;
let own: Key;
let other: Key;
let token: string;

beforeAll(async () => {
  [redis, issuer, own, other] = await Promise.all([
    startTestRedis(),
    startTokenIssuer(),
    createKey(),
    createKey(),
  ]);
  subgraph = await startSubgraph({
    name: 'own',
    typeDefs: gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@authenticated"])
      type Query {
        mine: Int @authenticated
      }
    `,
    resolvers: { Query: { mine: () => 1 } },
  });
  gateway = await start();
  token = await issuer.sign({ cnf: { jkt: own.thumbprint } });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([redis.stop(), issuer.close(), subgraph.close()]);
});

function start(settings = ''): Promise<TestGateway> {
  return startTestGateway({
    subgraphs: [subgraph],
    settings,
    environment: {
      ...issuer.environment,
      CACHE_REDIS_URL: redis.url,
    },
  });
}

async function createKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** A good proof but for what is given. */
async function proofFor(access: string, unusual: Unusual = {}, at = gateway): Promise<string> {
  const { claims, header, key = own, method = 'POST', url = `${at.url}/graphql` } = unusual;
  return new SignJWT({
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(Date.now() / 1_000),
    ath: createHash('sha256').update(access).digest('base64url'),
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: key.jwk, ...header })
    .sign(key.privateKey);
}

function ask(authorization: string, dpop?: string, at = gateway): Promise<GatewayResponse> {
  return at.post({ query: '{ mine }' }, { authorization, ...(dpop !== undefined && { dpop }) });
}

const codeOf = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];

describe('RFC 9449 §7.1 A token that is bound to a key, over HTTP', () => {
  it('is taken with a proof of the key, one for all operations of a batch', async () => {
    expect((await ask(`DPoP ${token}`, await proofFor(token))).body.data).toEqual({ mine: 1 });
    const result = await gateway.post([{ query: '{ mine }' }, { query: '{ a: mine }' }], {
      authorization: `dpop ${token}`,
      dpop: await proofFor(token),
    });
    expect(result.bodies).toEqual([{ data: { mine: 1 } }, { data: { a: 1 } }]);
  });

  it('is taken where query and fragment of the address differ', async () => {
    const proof = await proofFor(token, { url: `${gateway.url}/graphql?query=x#y` });
    expect((await ask(`DPoP ${token}`, proof)).body.data).toEqual({ mine: 1 });
  });

  it('is not taken as a Bearer token, with a proof or without', async () => {
    for (const proof of [undefined, await proofFor(token)])
      expect(codeOf(await ask(`Bearer ${token}`, proof))).toBe('UNAUTHENTICATED');
  });

  it('is not taken without a proof, and the challenge says what is needed', async () => {
    const result = await gateway.post(
      { query: '{ mine }' },
      { authorization: `DPoP ${token}`, accept: 'application/graphql-response+json' },
    );
    expect(result.status).toBe(401);
    expect(result.headers.get('www-authenticate')).toBe(
      'DPoP realm="graph", error="invalid_token", algs="ES256 RS256 PS256 EdDSA", resource_metadata="http://localhost:4000/.well-known/oauth-protected-resource/graphql"',
    );
  });

  it.each<[string, () => Unusual | Promise<Unusual>]>([
    ['of another key', () => ({ key: other })],
    ['whose header has another key', () => ({ header: { jwk: other.jwk } })],
    ['with the private key in it', async () => ({ header: { jwk: await exportJWK(own.privateKey) } })],
    ['without a key', () => ({ header: { jwk: undefined } })],
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['for another method', () => ({ method: 'GET' })],
    ['for another host', () => ({ url: 'https://other.example/graphql' })],
    ['for another path', () => ({ url: `${gateway.url}/graphql/stream` })],
    ['for no address', () => ({ url: 'graphql' })],
    ['for another token', () => ({ claims: { ath: createHash('sha256').update('x').digest('base64url') } })],
    ['for no token', () => ({ claims: { ath: undefined } })],
    ['from long ago', () => ({ claims: { iat: Math.floor(Date.now() / 1_000) - 120 } })],
    ['from the future', () => ({ claims: { iat: Math.floor(Date.now() / 1_000) + 120 } })],
    ['without a time', () => ({ claims: { iat: undefined } })],
    ['without an id', () => ({ claims: { jti: undefined } })],
    ['with an endless id', () => ({ claims: { jti: 'x'.repeat(201) } })],
  ])('is not taken with a proof %s', async (_what, make) => {
    expect(codeOf(await ask(`DPoP ${token}`, await proofFor(token, await make())))).toBe('UNAUTHENTICATED');
  });

  it.each(['', 'nonsense', 'a.b.c', 'x'.repeat(5_000)])(
    'is not taken with a proof that is none',
    async (proof) => {
      expect(codeOf(await ask(`DPoP ${token}`, proof))).toBe('UNAUTHENTICATED');
    },
  );

  it('is not taken with a proof that was used, by this gateway or another', async () => {
    const proof = await proofFor(token, { url: 'http://graph.example/graphql' });
    const settings = 'authentication: { dpopUrls: ["http://graph.example/graphql"] }';
    const [one, two] = await Promise.all([start(settings), start(settings)]);
    const results = await Promise.all([ask(`DPoP ${token}`, proof, one), ask(`DPoP ${token}`, proof, one)]);
    expect(new Set(results.map(codeOf))).toEqual(new Set([undefined, 'UNAUTHENTICATED']));
    expect(codeOf(await ask(`DPoP ${token}`, proof, two))).toBe('UNAUTHENTICATED');
    const itsOwn = await proofFor(token, {}, one);
    expect(codeOf(await ask(`DPoP ${token}`, itsOwn, one))).toBe('UNAUTHENTICATED'); // dpopUrls alone count
    await Promise.all([one.close(), two.close()]);
  });
});

describe('Other tokens', () => {
  it('that are not bound are Bearer tokens, proof or not', async () => {
    const plain = await issuer.sign();
    expect((await ask(`Bearer ${plain}`, await proofFor(plain))).body.data).toEqual({ mine: 1 });
    expect(codeOf(await ask(`DPoP ${plain}`, await proofFor(plain)))).toBe('UNAUTHENTICATED');
  });

  it.each([{ 'x5t#S256': 'x' }, {}, { jkt: 7 }, null, 'x'])(
    'that are bound in a way unknown here are rejected: %o',
    async (cnf) => {
      const bound = await issuer.sign({ cnf });
      expect(codeOf(await ask(`Bearer ${bound}`))).toBe('UNAUTHENTICATED');
      expect(codeOf(await ask(`DPoP ${bound}`, await proofFor(bound)))).toBe('UNAUTHENTICATED');
    },
  );
});

describe('A token that is bound to a key, over WebSocket', () => {
  const connect = async (payload: Readonly<Record<string, unknown>>, headers = {}): Promise<RawSocket> =>
    RawSocket.connect(`${gateway.url}/graphql`, payload, { headers });
  const upgrade = (unusual: Unusual = {}): Promise<string> => proofFor(token, { method: 'GET', ...unusual });

  async function respondsOn(socket: RawSocket): Promise<unknown> {
    socket.subscribe('1', '{ mine }');
    const { payload } = await socket.next();
    await socket.next();
    socket.subscribe('2', '{ mine }');
    expect((await socket.next()).payload).toEqual(payload);
    await socket.next();
    return payload;
  }

  it.each(['http', 'ws'])(
    'is taken with a proof in connection_init, for all that follows (%s)',
    async (scheme) => {
      const url = `${gateway.url}/graphql`.replace(/^http/, scheme);
      const socket = await connect({ authorization: `DPoP ${token}`, dpop: await upgrade({ url }) });
      expect(await respondsOn(socket)).toEqual({ data: { mine: 1 } });
      socket.close();
    },
  );

  it('is taken with a proof in the upgrade request', async () => {
    const socket = await connect({}, { authorization: `DPoP ${token}`, dpop: await upgrade() });
    expect(await respondsOn(socket)).toEqual({ data: { mine: 1 } });
    socket.close();
  });

  it('closes the connection without a good proof', async () => {
    const used = await upgrade();
    (await connect({ authorization: `DPoP ${token}`, dpop: used })).close();
    const payloads = [
      { authorization: `DPoP ${token}` },
      { authorization: `Bearer ${token}`, dpop: await upgrade() },
      { authorization: `DPoP ${token}`, dpop: await upgrade({ key: other }) },
      { authorization: `DPoP ${token}`, dpop: await upgrade({ method: 'POST' }) },
      { authorization: `DPoP ${token}`, dpop: used },
    ];
    for (const payload of payloads) {
      const socket = new RawSocket(`${gateway.url}/graphql`);
      await socket.opened();
      socket.send({ type: 'connection_init', payload });
      expect((await socket.closed).code).toBe(4403);
    }
  });

  it('is renewed with a proof alone', async () => {
    const socket = await connect({ authorization: `DPoP ${token}`, dpop: await upgrade() });
    const renewed = await issuer.sign({ cnf: { jkt: own.thumbprint } });
    const dpop = await proofFor(renewed, { method: 'GET' });
    socket.send({ type: 'ping', payload: { authorization: `DPoP ${renewed}`, dpop } });
    expect((await socket.next()).type).toBe('pong');
    expect(await respondsOn(socket)).toEqual({ data: { mine: 1 } });
    socket.send({ type: 'ping', payload: { authorization: `DPoP ${token}` } });
    expect((await socket.closed).code).toBe(4403);
  });
});

describe('F-07 Without Redis', () => {
  it('proofs are verified, and taken once by each gateway', async () => {
    await redis.stop();
    const proof = await proofFor(token);
    expect((await ask(`DPoP ${token}`, proof)).body.data).toEqual({ mine: 1 });
    expect(codeOf(await ask(`DPoP ${token}`, proof))).toBe('UNAUTHENTICATED');
  });
});
