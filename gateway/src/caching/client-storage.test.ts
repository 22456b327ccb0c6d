import { createHash } from 'node:crypto';
import { createLogger, createMetrics } from '@trellis/runtime';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { gql } from 'graphql-tag';
import { gateway } from '../app/gateway.ts';
import { openRedisResources } from '../app/redis-resources.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';

let graph: LibraryGraph;
/** Sessions, grants and revocations. */
let signIn: TestRedis;
let cache: TestRedis;
let signInCommands: RedisConnection;
let cacheCommands: RedisConnection;
let canBeBounded: boolean;
let shared: TestGateway;

beforeAll(async () => {
  [graph, signIn, cache] = await Promise.all([startLibraryGraph(), startTestRedis(), startTestRedis()]);
  signInCommands = connect(signIn);
  cacheCommands = connect(cache);
  canBeBounded = await signInCommands
    .config('SET', 'maxmemory', '16mb', 'maxmemory-policy', 'noeviction')
    .then(
      () => true,
      () => false, // the embedded one has no such command
    );
  shared = await startOver({ CACHE_REDIS_URL: cache.url });
});
afterAll(async () => {
  await shared.close();
  signInCommands.disconnect();
  cacheCommands.disconnect();
  await Promise.all([graph.close(), signIn.stop(), cache.stop()]);
});
beforeEach(async (context: TestContext) => {
  context.skip(!canBeBounded, 'This Redis can not be given a maxmemory.');
  await Promise.all([signInCommands.flushall(), cacheCommands.flushall(), bound('16mb', 'allkeys-lru')]);
});

function connect(redis: TestRedis): RedisConnection {
  return connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
}

function bound(maxmemory: string, policy: string): Promise<unknown> {
  return cacheCommands.config('SET', 'maxmemory', maxmemory, 'maxmemory-policy', policy);
}

function startOver(environment: Readonly<Record<string, string>>): Promise<TestGateway> {
  return startTestGateway({
    subgraphs: graph.all,
    environment: { REDIS_URL: signIn.url, GUARDS: 'on', ...environment },
    settings: `
      limits: { aliases: 2 }
      persistedQueries: { perCallerHour: 40000 }
      http: { trustProxy: true }`,
  });
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const byHash = (text: string): object => ({ persistedQuery: { version: 1, sha256Hash: hash(text) } });
const code = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];

/** Sends a text with its hash; then, whether the hash alone is known. */
async function isStored(
  gateway: TestGateway,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  await gateway.post({ query, extensions: byHash(query) }, headers);
  return code(await gateway.post({ extensions: byHash(query) })) !== 'PERSISTED_QUERY_NOT_FOUND';
}

function ofBytes(bytes: number): string {
  return '{__typename}#'.padEnd(bytes, 'x');
}

const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address });

describe('G2: What anybody can have stored', () => {
  it('never fills the Redis of sign-ins: sessions and revocations are written all the while', async () => {
    const megabyte = 1_000_000;
    for (let round = 0; round < 3; round += 1) {
      const texts = Array.from({ length: 8 }, (_, index) => `${ofBytes(megabyte)}${round} ${index}`);
      await Promise.all(texts.map((query) => shared.post({ query, extensions: byHash(query) })));
    }
    expect(await signInCommands.set('session:2', 'x'.repeat(1_000))).toBe('OK');
    expect(await signInCommands.zadd('revocations', 1, 'grant-1')).toBe(1);
    expect((await signInCommands.keys('*')).toSorted()).toEqual(['revocations', 'session:2']);
    expect(await cacheCommands.keys('*')).toEqual([]);
  });

  it('is stored apart up to 16 KB a text, and expires', async () => {
    expect(await isStored(shared, ofBytes(16_384), from('192.0.2.1'))).toBe(true);
    expect(await isStored(shared, ofBytes(16_385), from('192.0.2.1'))).toBe(false);
    const [key = '', ...others] = await cacheCommands.keys('*');
    expect([key, others]).toEqual([`persisted-query:${hash(ofBytes(16_384))}`, []]);
    expect(await cacheCommands.ttl(key)).toBeGreaterThan(86_000);
    expect(await signInCommands.dbsize()).toBe(0);
  });

  it('has passed all that rejects an operation', async () => {
    const caller = from('198.51.100.1');
    expect(await isStored(shared, '{ a: public }', caller)).toBe(true);
    expect(await isStored(shared, '{ a: public b: public c: public }', caller)).toBe(false);
    expect(await isStored(shared, '{ nowhere }', caller)).toBe(false);
    expect(await isStored(shared, '{', caller)).toBe(false);
    expect(await cacheCommands.dbsize()).toBe(1);
  });

  it('is bounded for each caller, who is served all the same, while others have more stored', async () => {
    const caller = from('203.0.113.1');
    const stored: boolean[] = [];
    for (const bytes of [15_001, 15_002, 15_003]) stored.push(await isStored(shared, ofBytes(bytes), caller));
    expect(stored).toEqual([true, true, false]);
    expect(await isStored(shared, ofBytes(15_001), caller)).toBe(true); // it is stored already, and costs nothing
    expect((await shared.post({ query: ofBytes(15_003) }, caller)).status).toBe(200);
    expect(await isStored(shared, ofBytes(15_004), from('100.64.0.1'))).toBe(true);
  });

  it('stays in the memory of the process where no Redis is given for it', async () => {
    const alone = await startOver({});
    expect(await isStored(alone, ofBytes(100))).toBe(true);
    expect(await signInCommands.dbsize()).toBe(0);
    await alone.close();
  });
});

describe('G2: Answers that are cached', () => {
  let asked = 0;
  let pages: SubgraphServer;
  let keeping: TestGateway;

  beforeAll(async () => {
    pages = await startSubgraph({
      name: 'pages',
      typeDefs: PAGES,
      resolvers: {
        Query: {
          page: (_: unknown, { bytes }: { readonly bytes: number }) => {
            asked += 1;
            return { text: 'x'.repeat(bytes) };
          },
        },
      },
    });
    keeping = await startTestGateway({
      subgraphs: [pages],
      environment: { CACHE_REDIS_URL: cache.url },
      settings: `
        responseCache: { perCallerMinute: 1000000 }
        http: { trustProxy: true }`,
    });
  });
  afterAll(async () => {
    await keeping.close();
    await pages.close();
  });

  /** @returns how many of the responses had to be made */
  async function ask(count: number, bytes: number, caller: string): Promise<number> {
    const before = asked;
    for (let index = 0; index < count; index += 1)
      await keeping.post(
        { query: `{ page(id: "${caller} ${index}", bytes: ${bytes}) { text } }` },
        from(caller),
      );
    return asked - before;
  }

  it('of one caller never push out those of others, who have room for theirs all the while', async () => {
    const others = Array.from({ length: 5 }, (_, index) => `192.0.2${index}.1`);
    const made = async (): Promise<number> => {
      let sum = 0;
      for (const caller of others) sum += await ask(3, 10_000, caller);
      return sum;
    };
    expect([await made(), await made()]).toEqual([15, 0]);
    const greedy = '203.0.113.9';
    expect(await ask(250, 100_000, greedy)).toBe(250); // 25 MB, and Redis has 16 MB
    expect(await made()).toBe(0);
    expect(await ask(20, 100_000, greedy)).toBeGreaterThanOrEqual(10); // it is served, and most of it is not stored
    expect([await ask(3, 100_000, '198.51.100.9'), await ask(3, 100_000, '198.51.100.9')]).toEqual([3, 0]);
    // Of its 270 pages; some room has come back to it meanwhile, as the clock goes on.
    expect(await cacheCommands.dbsize()).toBeLessThan(100);
  });
});

const PAGES = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT
  type Query {
    page(id: ID!, bytes: Int!): Page
  }
  type Page @cacheControl(maxAge: 300) {
    text: String!
  }
`;

describe('G2: In production a gateway', () => {
  const records: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'debug',
    destination: { write: (line) => void records.push(line) },
  });

  /** What a gateway opens of Redis at its start; `responseCache` stands in its gateway.yaml. */
  async function open(
    CACHE_REDIS_URL: string,
    responseCache?: GatewaySettings['responseCache'],
  ): Promise<Opened> {
    const config = gateway.readConfig({
      NODE_ENV: 'production',
      SUPERGRAPH: 'graph',
      REDIS_URL: signIn.url,
      CACHE_REDIS_URL,
    });
    const opened = await openRedisResources(
      { ...config, settings: { responseCache } },
      logger,
      createMetrics('gateway'),
    );
    opening.push(opened);
    return opened;
  }
  type Opened = Awaited<ReturnType<typeof openRedisResources>>;
  const opening: Opened[] = [];
  afterEach(async () => {
    for (const opened of opening.splice(0)) await opened.close();
  });

  it('does not start with a Redis for caches that is not fit', async () => {
    await expect(open(signIn.url)).rejects.toThrow(/names the Redis of REDIS_URL/);
    await bound('16mb', 'noeviction');
    await expect(open(cache.url)).rejects.toThrow(/maxmemory-policy noeviction/);
    await bound('0', 'allkeys-lru');
    await expect(open(cache.url)).rejects.toThrow(/has no bound/);
    const { openResponseCache } = await open('');
    await expect(openResponseCache({ url: signIn.url, setting: 'responseCache.redisUrl' })).rejects.toThrow(
      /responseCache\.redisUrl names the Redis of REDIS_URL/,
    );
  });

  it('does not use one that turns out unfit when it is reached at last', async () => {
    let opened: Opened | undefined;
    records.length = 0;
    await cache.restart(async () => {
      opened = await open(cache.url); // when it comes again, no one has set its maxmemory
    });
    await expect.poll(() => records.join()).toContain('cache Redis unsuitable; not used');
    expect(opened?.cacheRedis?.isUsable).toBe(false);
  });

  it('uses a fit one, and starts beside an unavailable one', async () => {
    expect((await open(cache.url)).cacheRedis?.isUsable).toBe(true);
    expect((await open('redis://127.0.0.1:1')).cacheRedis?.isUsable).toBe(false);
  });
});
