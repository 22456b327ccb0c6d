import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gql } from 'graphql-tag';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import {
  describeTestRedis,
  startSentinelRedis,
  startTestRedisCluster,
  type TestRedisCluster,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRevocationFeed } from '../identity/revocation-feed.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

const hasRedisServer = describeTestRedis().startsWith('redis-server');
const reason = hasRedisServer ? '' : ' (skipped: there is no redis-server)';

const connectTo = (url: string): RedisConnection =>
  connectRedis({ url, name: 'test', onError: () => undefined });

const TYPES = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  type Query {
    count: Int @cacheControl(maxAge: 60)
    now: Int
  }
  type Mutation {
    bump: Int
  }
`;

const MOST_OPERATIONS = 20;

describe.skipIf(!hasRedisServer)(`Two gateways on a Redis Cluster of three nodes${reason}`, () => {
  let cluster: TestRedisCluster;
  let redis: RedisConnection;
  let issuer: TokenIssuer;
  let subgraph: SubgraphServer;
  let [first, second]: readonly TestGateway[] = [];
  let count = 0;

  beforeAll(async () => {
    [cluster, issuer, subgraph] = await Promise.all([
      startTestRedisCluster(),
      startTokenIssuer(),
      startSubgraph({
        name: 'counter',
        typeDefs: TYPES,
        resolvers: {
          Query: { count: () => (count += 1), now: () => 1 },
          Mutation: { bump: () => (count += 1) },
        },
      }),
    ]);
    redis = connectTo(cluster.url);
    const start = (): Promise<TestGateway> =>
      startTestGateway({
        subgraphs: [subgraph],
        settings: `{ responseCache: {}, rateLimits: { perUser: { operations: ${MOST_OPERATIONS}, windowS: 600 } } }`,
        environment: {
          REDIS_URL: cluster.url,
          CACHE_REDIS_URL: cluster.url,
          ...issuer.environment,
        },
      });
    [first, second] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    redis.disconnect();
    await first?.close();
    await second?.close();
    await Promise.all([cluster.stop(), issuer.close(), subgraph.close()]);
  });

  const bearer = async (sub: string, gid = 'g'): Promise<Readonly<Record<string, string>>> => ({
    authorization: `Bearer ${await issuer.sign({ sub, gid })}`,
  });
  const ask = (at: TestGateway | undefined, body: object, headers = {}) => {
    if (!at) throw new Error('It was started.');
    return at.post(body, headers);
  };

  it('share persisted queries', async () => {
    for (let index = 0; index < 8; index += 1) {
      const query = `query Persisted${index} { now }`; // hashes of several slots
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      const extensions = { persistedQuery: { version: 1, sha256Hash } };
      await ask(first, { query, extensions });
      await expect.poll(async () => (await ask(second, { extensions })).body.data).toEqual({ now: 1 });
    }
  });

  it('share responses, until a change of the same user', async () => {
    const ada = await bearer('ada');
    const query = { query: '{ count }' };
    const { body } = await ask(first, query, ada);
    await expect.poll(async () => (await ask(second, query, ada)).body.data).toEqual(body.data);
    await ask(second, { query: 'mutation { bump }' }, ada);
    const changed = await ask(first, query, ada);
    expect(Number(changed.body.data?.['count'])).toBeGreaterThan(Number(body.data?.['count']) + 1);
  });

  it('count rates together', async () => {
    const busy = await bearer('busy');
    const statuses = [];
    for (let sent = 0; sent <= MOST_OPERATIONS; sent += 1)
      statuses.push((await ask([first, second][sent % 2], { query: '{ now }' }, busy)).status);
    expect(statuses).toEqual([...Array.from({ length: MOST_OPERATIONS }, () => 200), 429]);
  });

  it('both hear of a revocation', async () => {
    const headers = await bearer('bob', 'revoked-grant');
    const codeAt = async (gateway: TestGateway | undefined, sent = headers): Promise<unknown> =>
      (await ask(gateway, { query: '{ now }' }, sent)).body.errors?.[0]?.extensions['code'];
    expect([await codeAt(first), await codeAt(second)]).toEqual([undefined, undefined]);
    await redis.publish('revocations', 'revoked-grant');
    for (const gateway of [first, second]) await expect.poll(() => codeAt(gateway)).toBe('UNAUTHENTICATED');
    expect(await codeAt(first, await bearer('bob'))).toBeUndefined();
  });
});

describe.skipIf(!hasRedisServer)(`The feed of revoked grants behind three Sentinels${reason}`, () => {
  it('F-08 keeps what it knows while the master is lost, and hears of more from the next one', async () => {
    const sentinels = await startSentinelRedis();
    const [redis, subscriber, publisher] = [sentinels, sentinels, sentinels].map(({ url }) => connectTo(url));
    if (!redis || !subscriber || !publisher) throw new Error('They were opened.');
    const feed = await startRevocationFeed({ redis, subscriber, pollMs: 60_000, onError: () => undefined });
    const has = (grantId: string): boolean => feed.has({ claims: {}, grantId });
    try {
      const forgetAtS = Date.now() / 1_000 + 900;
      await publisher.zadd('revocations', forgetAtS, 'before');
      await publisher.publish('revocations', 'before');
      await expect.poll(() => has('before')).toBe(true);
      await publisher.call('WAIT', 1, 2_000);
      await sentinels.killMaster();
      const deadline = Date.now() + 90_000;
      const all: boolean[] = [];
      while (!has('after') && Date.now() < deadline) {
        await publisher.publish('revocations', 'after').catch(() => undefined);
        all.push(has('before'));
        await pause(50);
      }
      expect([has('after'), new Set(all)]).toEqual([true, new Set([true])]);
      expect(await redis.zscore('revocations', 'before'), 'the new master has the set').not.toBeNull();
    } finally {
      await feed.close();
      redis.disconnect();
      publisher.disconnect();
      await sentinels.stop();
    }
  });
});
