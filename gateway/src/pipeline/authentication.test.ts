import { connectRedis } from '@trellis/redis';
import { createTestUserContext, startTestRedis } from '@trellis/testkit';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let graph: LibraryGraph;
let issuer: TokenIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  issuer = await startTokenIssuer();
  const { privateKey } = await createTestUserContext();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: {
      ...issuer.environment,
      USER_CONTEXT_PRIVATE_KEY: JSON.stringify(privateKey),
    },
  });
});

afterAll(async () => {
  await gateway.close();
  await issuer.close();
  await graph.close();
});

beforeEach(() => graph.forget());

const QUERY = { query: '{ public me { name } }' };

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

async function expectRejected(authorization: string): Promise<void> {
  const result = await gateway.post(QUERY, {
    authorization,
    accept: 'application/graphql-response+json',
  });
  expect(result.status).toBe(401);
  expect(result.headers.get('www-authenticate')).toBe(
    'Bearer realm="graph", error="invalid_token", resource_metadata="http://localhost:4000/.well-known/oauth-protected-resource/graphql"',
  );
  expect(result.body.data).toBeUndefined();
  expect(result.body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(graph.requests()).toBe(0);
}

describe('Authentication: valid tokens', () => {
  it('answers the caller of a good token', async () => {
    const result = await gateway.post(QUERY, bearer(await issuer.sign()));
    expect(result.body).toEqual({ data: { public: 'open to all', me: { name: 'Ada' } } });
  });

  it('takes the type with its prefix application/', async () => {
    const token = await issuer.signUnderHeader({ typ: 'application/at+jwt' });
    expect((await gateway.post(QUERY, bearer(token))).body.errors).toBeUndefined();
  });

  it('takes the scheme in any case', async () => {
    const result = await gateway.post(QUERY, { authorization: `bEARER ${await issuer.sign()}` });
    expect(result.body.errors).toBeUndefined();
  });

  it('sends subgraphs the caller, each with its own short-lived context, and not with the token', async () => {
    const token = await issuer.sign({ name: 'Ada', email: 'ada@example.com', roles: ['ADMIN'] });
    await gateway.post({ query: '{ me { books { title } } }' }, bearer(token));
    for (const subgraph of graph.all) {
      const [received] = subgraph.received;
      expect(received?.headers.authorization).toBeUndefined();
      const context = decodeJwt(String(received?.headers[USER_CONTEXT_HEADER]));
      expect(context).toMatchObject({
        aud: subgraph.name,
        sub: 'user-1',
        roles: ['ADMIN'],
        name: 'Ada',
        gid: 'grant-1',
      });
      expect((context.exp ?? 0) - (context.iat ?? 0)).toBeLessThanOrEqual(60);
    }
  });

  it('sends a signed context for anonymous callers, and for clients on their own behalf, without a user', async () => {
    await gateway.post({ query: '{ public }' });
    const ownToken = await issuer.sign({ sub: 'robot', client_id: 'robot' });
    await gateway.post({ query: '{ public }' }, bearer(ownToken));
    const contexts = graph.people.received.map(({ headers }) =>
      decodeJwt(String(headers[USER_CONTEXT_HEADER])),
    );
    expect(contexts[0]).toMatchObject({ aud: 'people', scope: '' });
    expect(contexts[1]).toMatchObject({ aud: 'people', client_id: 'robot' });
    for (const context of contexts) expect(context.sub).toBeUndefined();
  });

  it('signs once for many requests of one token', async () => {
    const token = await issuer.sign();
    await gateway.post({ query: '{ public }' }, bearer(token));
    await gateway.post({ query: '{ public }' }, bearer(token));
    const [first, second] = graph.people.received.map(({ headers }) => headers[USER_CONTEXT_HEADER]);
    expect(first).toBe(second);
  });

  it('publishes the keys of the context, and nothing private', async () => {
    const response = await fetch(`${gateway.url}/.well-known/user-context-jwks.json`);
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });
});

describe('Authentication: invalid tokens reject the request before any subgraph is asked', () => {
  const now = Math.floor(Date.now() / 1_000);

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['expired', { exp: now - 60 }],
    ['without expiry', { exp: undefined }],
    ['not yet valid', { nbf: now + 120 }],
    ['issued in the future', { iat: now + 120, exp: now + 900 }],
    ['for another audience', { aud: 'https://other.example/graphql' }],
    ['for an audience that begins like ours', { aud: 'http://localhost:4000/graphql/x' }],
    [
      'for a list of audiences with ours among them',
      { aud: ['http://localhost:4000/graphql', 'https://other.example'] },
    ],
    ['for a list of our audience alone', { aud: ['http://localhost:4000/graphql'] }],
    ['without audience', { aud: undefined }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['without issuer', { iss: undefined }],
    ['without subject', { sub: undefined }],
  ])('S-090 %s', async (_name, claims) => {
    await expectRejected(`Bearer ${await issuer.sign(claims)}`);
  });

  it('S-090 of our issuer with a slash at its end', async () => {
    await expectRejected(`Bearer ${await issuer.sign({ iss: `${issuer.issuer}/` })}`);
  });

  it('S-090 with alg none', async () => {
    const [, payload = ''] = (await issuer.sign()).split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"key-1"}').toString('base64url');
    await expectRejected(`Bearer ${header}.${payload}.`);
  });

  it('S-090 with HS256 keyed by our public key', async () => {
    const secret = Buffer.from(JSON.stringify(issuer.publicKey));
    await expectRejected(`Bearer ${await issuer.sign({}, { header: { alg: 'HS256' }, key: secret })}`);
  });

  it('S-090 with a header that claims RS256 for an EC key', async () => {
    const [, payload = '', signature = ''] = (await issuer.sign()).split('.');
    const header = Buffer.from('{"alg":"RS256","typ":"at+jwt","kid":"key-1"}').toString('base64url');
    await expectRejected(`Bearer ${header}.${payload}.${signature}`);
  });

  it('S-090 with a changed payload', async () => {
    const [header = '', , signature = ''] = (await issuer.sign()).split('.');
    const [, forged = ''] = (await issuer.sign({ roles: ['ADMIN'] })).split('.');
    await expectRejected(`Bearer ${header}.${forged}.${signature}`);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['an id_token (typ JWT)', { typ: 'JWT' }],
    ['no typ', { typ: undefined }],
    ['an unknown kid', { kid: 'unknown' }],
    ['an empty kid', { kid: '' }],
    ['an unknown critical header', { crit: ['x'], x: 1 }],
  ])('S-090 with %s', async (_name, header) => {
    await expectRejected(`Bearer ${await issuer.signUnderHeader(header)}`);
  });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic dXNlcjpwYXNz',
    'garbage',
    'Bearer a.b',
    'Bearer ' + 'a'.repeat(12_000),
  ])('S-090 credentials that are no Bearer token: %s', (authorization) => expectRejected(authorization));

  it('responds with 200 with the error under application/json, with a challenge', async () => {
    const result = await gateway.post(QUERY, bearer('a.b.c'));
    expect(result.status).toBe(200);
    expect(result.headers.get('www-authenticate')).toContain('invalid_token');
    expect(result.body.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('rejects every element of a batch', async () => {
    const result = await gateway.post([QUERY, { query: '{ public }' }], bearer('a.b.c'));
    expect(result.bodies.map(({ errors }) => errors?.[0]?.extensions['code'])).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ]);
    expect(graph.requests()).toBe(0);
  });

  it('does not say in the log what the token was', async () => {
    const token = await issuer.sign({ aud: 'elsewhere' });
    await gateway.post(QUERY, bearer(token));
    const log = JSON.stringify(gateway.logged());
    expect(log).toContain('access token rejected');
    expect(log).not.toContain(token);
  });
});

describe('Authentication: revoked grants', () => {
  it('S-072 are rejected within a second of their revocation, with tokens that were good before', async () => {
    const redis = await startTestRedis();
    const commands = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    const following = await startTestGateway({
      subgraphs: graph.all,
      environment: {
        ...issuer.environment,
        REDIS_URL: redis.url,
      },
    });
    const revoked = bearer(await issuer.sign({ gid: 'grant-7' }));
    const other = bearer(await issuer.sign({ gid: 'grant-8' }));
    const codeFor = async (headers: Readonly<Record<string, string>>): Promise<unknown> =>
      (await following.post(QUERY, headers)).body.errors?.[0]?.extensions['code'];
    expect([await codeFor(revoked), await codeFor(other)]).toEqual([undefined, undefined]);

    await commands.zadd('revocations', Math.floor(Date.now() / 1_000) + 900, 'grant-7');
    await commands.publish('revocations', 'grant-7');
    await expect.poll(() => codeFor(revoked)).toBe('UNAUTHENTICATED');
    expect(await codeFor(other)).toBeUndefined();

    await following.close();
    commands.disconnect();
    await redis.stop();
  });
});
