import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { createTokenForge, type TokenForge } from '../../test-fixtures/provider-tokens/token-forge.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';

let forge: TokenForge;
let server: Server;
let issuer: string;
let isUp = false;
/** What the issuer answers, beside its keys. */
let results: Readonly<Record<string, object>>;
let subgraph: SubgraphServer;
let development: TestGateway;
let production: TestGateway;

/** An issuer of the shape of Keycloak, which is down at first. */
beforeAll(async () => {
  forge = createTokenForge();
  server = createServer((request, response) => {
    response.statusCode = isUp ? 200 : 503;
    response.end(JSON.stringify(results[request.url ?? ''] ?? forge.keys));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/staff`; // it listens on TCP
  results = {
    '/realms/staff/.well-known/openid-configuration': {
      issuer,
      jwks_uri: `${issuer}/certs`,
      introspection_endpoint: `${issuer}/introspect`,
    },
    '/realms/staff/introspect': { active: true, sub: 'ada', client_id: 'web', scope: 'a b', typ: 'Bearer' },
  };
  subgraph = await startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      extend schema
        @link(
          url: "https://specs.apollo.dev/federation/v2.9"
          import: ["@authenticated", "@requiresScopes", "@policy"]
        )
      type Query {
        one: Int @authenticated
        two: Int @policy(policies: [["role:editor"]])
        three: Int @requiresScopes(scopes: [["a", "b"]])
      }
    `,
    resolvers: { Query: { one: () => 1, two: () => 2, three: () => 3 } },
  });
  const settings = `
authentication:
  issuers:
    - issuer: ${issuer}
      audience: graph
      profile: keycloak
      claims: { groups: organization.groups }
      introspection: { clientId: gateway, clientSecret: "\${env.SECRET}" }
  jwksCooldownMs: 1000
`;
  const started = (NODE_ENV: string): Promise<TestGateway> =>
    startTestGateway({ subgraphs: [subgraph], settings, environment: { NODE_ENV, SECRET: 's3cret' } });
  [development, production] = await Promise.all([started('development'), started('production')]);
});
afterAll(async () => {
  await Promise.all([development.close(), production.close()]);
  await subgraph.close();
  server.closeAllConnections();
  server.close();
});

function token(
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string {
  const nowS = Math.floor(Date.now() / 1_000);
  const good = {
    iss: issuer,
    aud: ['graph', 'account'],
    sub: 'ada',
    azp: 'web',
    typ: 'Bearer',
    iat: nowS,
    exp: nowS + 600,
  };
  const rights = { scope: 'a', resource_access: { graph: { roles: ['editor'] } } };
  return forge.forge({ alg: 'RS256', kid: 'rsa', typ: 'JWT', ...header }, { ...good, ...rights, ...claims });
}

const ask = (gateway: TestGateway, query: string, bearer: string): Promise<GatewayResponse> =>
  gateway.post({ query }, { authorization: `Bearer ${bearer}`, accept: 'application/graphql-response+json' });

describe('An issuer that is found by discovery', () => {
  it('is not needed at the start: its tokens get 503 until its keys are fetched', async () => {
    const before = await ask(production, '{ one }', token());
    expect([before.status, before.body.errors?.[0]?.extensions['code']]).toEqual([
      503,
      'AUTHENTICATION_UNAVAILABLE',
    ]);
    expect(JSON.stringify(production.logged())).toContain('issuer keys unavailable');
    isUp = true;
    const data = async (gateway: TestGateway): Promise<unknown> =>
      (await ask(gateway, '{ one two }', token())).body.data;
    await expect.poll(() => data(production)).toEqual({ one: 1, two: 2 });
    await expect.poll(() => data(development)).toEqual({ one: 1, two: 2 });
  });

  it('is asked about opaque tokens where its metadata say', async () => {
    const { body } = await ask(production, '{ one three }', 'opaque');
    expect(body.data).toEqual({ one: 1, three: 3 });
    expect(JSON.stringify(production.logged())).not.toContain('s3cret');
  });

  it('has to be one whose metadata can be trusted, or to have jwksUrl', () => {
    const settings = 'authentication: { issuers: [{ issuer: "http://id.example", audience: graph }] }';
    return expect(startTestGateway({ subgraphs: [subgraph], settings })).rejects.toThrow(
      "http://id.example is not reached by https, so its metadata can't be trusted; set jwksUrl",
    );
  });

  it.each([
    [
      'a profile that is unknown',
      'profile: ping',
      'issuers.0.profile: Invalid option: expected one of "rfc9068"|"auth0"',
    ],
    ['a path that is none', 'claims: { roles: "a..b" }', 'must be the path of a claim'],
    ['an algorithm with a secret', 'algorithms: [HS256]', 'must be a signature algorithm with a public key'],
    ['no algorithm', 'algorithms: [none]', 'must be a signature algorithm with a public key'],
  ])('is rejected at the start with %s, in a sentence', async (_what, line, message) => {
    const settings = `authentication:\n  issuers:\n    - issuer: https://id.example\n      audience: graph\n      ${line}\n`;
    await expect(startTestGateway({ subgraphs: [subgraph], settings })).rejects.toThrow(message);
  });
});

describe('A6: A token that is rejected', () => {
  it.each<[string, () => string, string]>([
    ['of another audience', () => token({ aud: 'other' }), 'The claim "aud" is "other"; expected is graph.'],
    [
      'of another type',
      () => token({}, { typ: 'dpop+jwt' }),
      'The header "typ" is "dpop+jwt"; expected is jwt or at+jwt.',
    ],
    [
      'of an untrusted issuer',
      () => token({ iss: 'https://evil.example' }),
      'The issuer "https://evil.example" is not trusted.',
    ],
    ['that is too long', () => 'x'.repeat(9_000), 'The token is longer than 8192 characters.'],
    ['that has expired', () => token({ exp: 1 }), '"exp" claim timestamp check failed'],
    [
      'that is an ID token',
      () => token({ typ: 'ID' }),
      'The claim "typ" is "ID"; expected is Bearer or DPoP.',
    ],
  ])(
    '%s says which claim failed in the log, and in development in the response',
    async (_what, make, reason) => {
      const [open, closed] = [
        await ask(development, '{ one }', make()),
        await ask(production, '{ one }', make()),
      ];
      expect([open.status, closed.status]).toEqual([401, 401]);
      expect(open.body.errors?.[0]?.message).toContain(reason);
      expect(closed.body.errors?.[0]?.message).toMatch(
        /^The access token (?:is not valid here|has expired)\.$/,
      );
      const logged = production.logged().filter(({ msg }) => msg === 'access token rejected');
      expect(logged.at(-1)?.['reason']).toContain(reason);
    },
  );

  it('leaves a path that finds nothing to the log, once, and to denials in development', async () => {
    const query = '{ three }';
    const [open, closed] = [await ask(development, query, token()), await ask(production, query, token())];
    expect(open.body.errors?.[0]?.message).toBe(
      'This field needs the scope b. The paths of authentication.issuers[].claims.groups find nothing in the access token.',
    );
    expect(closed.body.errors?.[0]?.message).toBe('This field needs the scope b.');
    const logged = production.logged().filter(({ msg }) => msg === 'claim path finds nothing in a token');
    expect(logged).toMatchObject([{ issuer, setting: 'authentication.issuers[].claims.groups' }]);
  });
});
