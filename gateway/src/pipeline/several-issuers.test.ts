import { createActivityStream, USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { connectRedis } from '@trellis/redis';
import { startTestRedis } from '@trellis/testkit';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

const PARTNER_AUDIENCE = 'https://graph.example/partners';

let own: TokenIssuer;
let partner: TokenIssuer;
let untrusted: TokenIssuer;
let subgraph: SubgraphServer;
let gateway: TestGateway;

beforeAll(async () => {
  [own, partner, untrusted, subgraph] = await Promise.all([
    startTokenIssuer(),
    startTokenIssuer(),
    startTokenIssuer(),
    startSubgraph({
      name: 'numbers',
      typeDefs: gql`
        extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@authenticated"])
        type Query {
          one: Int @authenticated
        }
      `,
      resolvers: { Query: { one: () => 1 } },
    }),
  ]);
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    environment: {
      TOKEN_ISSUER: own.issuer,
      TOKEN_AUDIENCE: own.audience,
      TOKEN_JWKS_URL: own.jwksUrl,
      PARTNER: partner.issuer,
    },
    settings: `
      authentication:
        jwksCooldownMs: 60000
        issuers:
          - { issuer: "\${PARTNER}", audience: "${PARTNER_AUDIENCE}", jwksUrl: "\${PARTNER}/jwks" }`,
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([own.close(), partner.close(), untrusted.close(), subgraph.close()]);
});

/** The code of the error, or `OK`. */
async function outcome(token: string): Promise<unknown> {
  const { body } = await gateway.post({ query: '{ one }' }, { authorization: `Bearer ${token}` });
  return body.errors?.[0]?.extensions['code'] ?? 'OK';
}

describe('Several issuers', () => {
  it('are trusted each for its own audience', async () => {
    expect(await outcome(await own.sign())).toBe('OK');
    expect(await outcome(await partner.sign({ aud: PARTNER_AUDIENCE }))).toBe('OK');
    expect(await outcome(await partner.sign())).toBe('UNAUTHENTICATED');
    expect(await outcome(await own.sign({ aud: PARTNER_AUDIENCE }))).toBe('UNAUTHENTICATED');
  });

  it('S-090 are not trusted about one another, though their keys have the same names', async () => {
    expect(await outcome(await partner.sign({ iss: own.issuer }))).toBe('UNAUTHENTICATED');
    expect(await outcome(await own.sign({ iss: partner.issuer, aud: PARTNER_AUDIENCE }))).toBe(
      'UNAUTHENTICATED',
    );
  });

  it('S-065 are those of the configuration: an untrusted one is not even asked', async () => {
    expect(await outcome(await untrusted.sign())).toBe('UNAUTHENTICATED');
    const header = { jku: untrusted.jwksUrl, x5u: untrusted.jwksUrl };
    expect(await outcome(await untrusted.sign({ iss: own.issuer }, { header }))).toBe('UNAUTHENTICATED');
    expect(untrusted.fetches()).toBe(0);
  });

  it('F-15 do without one another, and are each fetched once in a cooldown', async () => {
    const before = partner.fetches();
    partner.misbehave({ status: 500, body: 'garbage' });
    for (let index = 0; index < 20; index += 1) {
      const unknown = await partner.sign({ aud: PARTNER_AUDIENCE }, { header: { kid: `unknown-${index}` } });
      expect(await outcome(unknown)).toBe('UNAUTHENTICATED');
      expect(await outcome(await own.sign())).toBe('OK');
      expect(await outcome(await partner.sign({ aud: PARTNER_AUDIENCE }))).toBe('OK');
    }
    expect(partner.fetches()).toBeLessThanOrEqual(before + 1);
    partner.misbehave(undefined);
  });
});

describe('G4: Users of two issuers with one sub', () => {
  it('L10: are two for subgraphs, for presence and for rates', async () => {
    const redis = await startTestRedis();
    const connection = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const apart = await startTestGateway({
      subgraphs: [subgraph],
      environment: {
        TOKEN_ISSUER: own.issuer,
        TOKEN_AUDIENCE: own.audience,
        TOKEN_JWKS_URL: own.jwksUrl,
        PARTNER: partner.issuer,
        REDIS_URL: redis.url,
        PRESENCE_INTERVAL_S: '15',
        USER_CONTEXT_PRIVATE_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'context-1' }),
      },
      settings: `
        rateLimits: { perUser: { operations: 2, windowS: 60 } }
        authentication:
          issuers:
            - { issuer: "\${PARTNER}", audience: "${PARTNER_AUDIENCE}", jwksUrl: "\${PARTNER}/jwks", scopes: [read:data] }`,
    });
    const claims = { sub: 'ada', roles: ['ADMIN'], scope: 'read:data write:data' };
    const tokens = [await own.sign(claims), await partner.sign({ ...claims, aud: PARTNER_AUDIENCE })];
    const before = subgraph.received.length;
    const statuses: number[] = [];
    for (const token of [...tokens, ...tokens, ...tokens]) {
      const result = await apart.post({ query: '{ one }' }, { authorization: `Bearer ${token}` });
      statuses.push(result.status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);

    const contexts = subgraph.received
      .slice(before, before + 2)
      .map(({ headers }) => decodeJwt(String(headers[USER_CONTEXT_HEADER])));
    const [ada, other] = contexts;
    expect(other?.sub).not.toBe('ada');
    expect(ada).toMatchObject({
      sub: 'ada',
      token_iss: own.issuer,
      roles: ['ADMIN'],
      scope: 'read:data write:data',
    });
    expect(other).toMatchObject({ token_iss: partner.issuer, roles: [], scope: 'read:data' });

    const there = async (): Promise<readonly string[]> =>
      (await createActivityStream(connection).readAfter(connection, '0', 1)).flatMap(
        ({ userIds }) => userIds,
      );
    await expect.poll(there).toHaveLength(2);
    expect((await there()).toSorted()).toEqual(['ada', String(other?.sub)].toSorted());
    connection.disconnect();
    await apart.close();
    await redis.stop();
  });
});
