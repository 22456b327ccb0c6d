import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let issuer: TokenIssuer;
let subgraph: SubgraphServer;
let gateway: TestGateway;
let elsewhere: TestGateway;

const METADATA = 'http://localhost:4000/.well-known/oauth-protected-resource/graphql';
const DER = Buffer.from('a certificate');
const HEADER = `:${DER.toString('base64')}:`;
const CERTIFICATE = hash('sha256', DER, 'base64url');

beforeAll(async () => {
  issuer = await startTokenIssuer();
  subgraph = await startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      extend schema
        @link(
          url: "https://specs.apollo.dev/federation/v2.9"
          import: ["@authenticated", "@requiresScopes", "@policy"]
        )
      type Query {
        open: Int
        one: Int @authenticated
        two: Int @requiresScopes(scopes: [["a", "b"], ["admin"]])
        three: Int @requiresScopes(scopes: [["c"]])
        strong: Int @policy(policies: [["strong"]])
        recent: Int @policy(policies: [["recent", "strong"]])
        other: Int @policy(policies: [["gold", "strong"]])
      }
    `,
    resolvers: {
      Query: {
        open: () => 0,
        one: () => 1,
        two: () => 2,
        three: () => 3,
        strong: () => 4,
        recent: () => 5,
        other: () => 6,
      },
    },
  });
  const environment = (audience: string): Readonly<Record<string, string>> => ({
    TOKEN_ISSUER: issuer.issuer,
    TOKEN_AUDIENCE: audience,
    TOKEN_JWKS_URL: issuer.jwksUrl,
  });
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    environment: environment(issuer.audience),
    settings: `
http: { trustProxy: [127.0.0.1] }
authentication:
  scopesSupported: [a, b, c]
  clientCertificate: { header: Client-Cert, format: rfc9440 }
authorization:
  policies:
    strong: { claim: acr, value: phr }
    recent: { claim: acr, value: phr, maxAgeS: 300 }
    gold: { claim: tier, value: gold }
`,
  });
  elsewhere = await startTestGateway({ subgraphs: [subgraph], environment: environment('urn:graph') });
});
afterAll(async () => {
  await Promise.all([gateway.close(), elsewhere.close()]);
  await Promise.all([issuer.close(), subgraph.close()]);
});

type Claims = Readonly<Record<string, unknown>>;

async function ask(
  query: string,
  claims: Claims,
  headers: Readonly<Record<string, string>> = {},
): Promise<GatewayResponse> {
  return gateway.post({ query }, { authorization: `Bearer ${await issuer.sign(claims)}`, ...headers });
}

const challengeOf = (result: GatewayResponse): string | null => result.headers.get('www-authenticate');

describe('RFC 9728: The metadata of the graph', () => {
  it.each(['/.well-known/oauth-protected-resource/graphql', '/.well-known/oauth-protected-resource'])(
    'are at %s',
    async (path) => {
      const response = await fetch(gateway.url + path);
      expect(await response.json()).toEqual({
        resource: issuer.audience,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['a', 'b', 'c'],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']) as string[],
        tls_client_certificate_bound_access_tokens: true,
      });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    },
  );

  it('are absent where the address of the graph is not known, and no challenge names them', async () => {
    expect((await fetch(`${elsewhere.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
    expect(challengeOf(await elsewhere.post({ query: '{ one }' }, { authorization: 'Bearer x' }))).toBe(
      'Bearer realm="graph", error="invalid_token"',
    );
  });
});

describe('Challenges', () => {
  it('name the metadata to those without a token, and with one that is not valid', async () => {
    const headers = { accept: 'application/graphql-response+json' };
    const typed = await gateway.post({ query: 'mutation { no }' }, headers);
    expect(challengeOf(typed)).toBeNull(); // it is the text that is wrong
    const invalid = await gateway.post({ query: '{ one }' }, { ...headers, authorization: 'Bearer x' });
    expect([invalid.status, challengeOf(invalid)]).toEqual([
      401,
      `Bearer realm="graph", error="invalid_token", resource_metadata="${METADATA}"`,
    ]);
  });

  it.each([
    ['{ two }', 'a b'],
    ['{ two three }', 'a b c'],
    ['{ open three }', 'c'],
  ])('RFC 6750: %s without the scopes asks for %s', async (query, scope) => {
    expect(challengeOf(await ask(query, { scope: 'x' }))).toBe(
      `Bearer realm="graph", error="insufficient_scope", scope="${scope}", resource_metadata="${METADATA}"`,
    );
  });

  it.each<[string, Claims, string]>([
    ['{ strong }', {}, 'acr_values="phr"'],
    ['{ strong }', { acr: 'pwd' }, 'acr_values="phr"'],
    ['{ recent }', { acr: 'phr' }, 'acr_values="phr", max_age="300"'],
    ['{ recent }', { acr: 'phr', auth_time: 1_000 }, 'acr_values="phr", max_age="300"'],
    ['{ recent }', { acr: 'phr', auth_time: 'now' }, 'acr_values="phr", max_age="300"'],
  ])('RFC 9470: %s with %j asks for another sign-in', async (query, claims, parameters) => {
    const result = await ask(query, claims);
    expect(result.body.errors?.[0]?.extensions['code']).toBe('FORBIDDEN');
    expect(challengeOf(result)).toBe(
      `Bearer realm="graph", error="insufficient_user_authentication", ${parameters}, resource_metadata="${METADATA}"`,
    );
  });

  it('RFC 9470: are absent when the sign-in suffices', async () => {
    const nowS = Math.floor(Date.now() / 1_000);
    const fresh = await ask('{ strong recent }', { acr: 'phr', auth_time: nowS - 10 });
    expect([fresh.body.data, challengeOf(fresh)]).toEqual([{ strong: 4, recent: 5 }, null]);
  });

  it('ask for no sign-in where that would not do', async () => {
    expect(challengeOf(await ask('{ other }', { acr: 'pwd' }))).toBeNull();
  });

  it('are absent for what is answered', async () => {
    expect(challengeOf(await ask('{ one }', {}))).toBeNull();
    expect(challengeOf(await gateway.post({ query: '{ open }' }))).toBeNull();
  });
});

describe('RFC 8705: A token that is bound to a certificate', () => {
  const bound = { cnf: { 'x5t#S256': CERTIFICATE } };

  it('is taken with it, as a trusted proxy says', async () => {
    expect((await ask('{ one }', bound, { 'client-cert': HEADER })).body.data).toEqual({ one: 1 });
  });

  it.each<[string, Claims, Readonly<Record<string, string>>]>([
    ['without it', bound, {}],
    ['with another one', bound, { 'client-cert': `:${Buffer.from('another').toString('base64')}:` }],
    ['with something else in the header', bound, { 'client-cert': CERTIFICATE }],
    ['with it in another header', bound, { 'x-client-cert': HEADER }],
    ['bound to a number', { cnf: { 'x5t#S256': 7 } }, { 'client-cert': HEADER }],
    ['bound to nothing', { cnf: { 'x5t#S256': '' } }, { 'client-cert': HEADER }],
    [
      'bound to a key as well, without a proof',
      { cnf: { ...bound.cnf, jkt: 'k' } },
      { 'client-cert': HEADER },
    ],
  ])('is rejected %s', async (_what, claims, headers) => {
    const { body } = await ask('{ one }', claims, headers);
    expect(body.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('is rejected although it was verified before, when the certificate is missing', async () => {
    const authorization = `Bearer ${await issuer.sign(bound)}`;
    const send = (headers: object): Promise<GatewayResponse> =>
      gateway.post({ query: '{ one }' }, { authorization, ...headers });
    expect((await send({ 'client-cert': HEADER })).body.data).toEqual({ one: 1 });
    expect((await send({})).body.errors?.[0]?.message).toContain('bound to a client certificate');
    expect((await send({ 'client-cert': HEADER })).body.data).toEqual({ one: 1 });
  });

  it('is accepted over WebSocket with the certificate of the upgrade request, and not with one of the payload', async () => {
    const payload = { authorization: `Bearer ${await issuer.sign(bound)}`, 'client-cert': HEADER };
    const init = async (headers: Readonly<Record<string, string>>): Promise<RawSocket> => {
      const socket = new RawSocket(`${gateway.url}/graphql`, { headers });
      await socket.opened();
      socket.send({ type: 'connection_init', payload });
      return socket;
    };
    expect((await (await init({})).closed).code).toBe(4403);
    const socket = await init({ 'client-cert': HEADER });
    expect((await socket.next()).type).toBe('connection_ack');
    socket.close();
  });

  it('is rejected where no header is configured', async () => {
    const authorization = `Bearer ${await issuer.sign({ ...bound, aud: 'urn:graph' })}`;
    const { body } = await elsewhere.post({ query: '{ one }' }, { authorization, 'client-cert': HEADER });
    expect(body.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it.each(['{}', '{ trustProxy: true }'])(
    'needs the addresses of the proxies, not http: %s',
    async (http) => {
      const settings = `http: ${http}\nauthentication: { clientCertificate: { header: client-cert } }`;
      await expect(startTestGateway({ subgraphs: [subgraph], settings })).rejects.toThrow(
        'authentication.clientCertificate: it needs http.trustProxy with the addresses of the proxies.',
      );
    },
  );
});
