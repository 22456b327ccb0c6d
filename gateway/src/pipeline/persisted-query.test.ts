import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShareBuckets } from '@trellis/runtime/admission';
import { connectRedis } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../identity/caller.ts';
import { createMemoryPersistedQueryStore } from '../caching/persisted-query-store.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { resolvePersistedQuery } from './persisted-query.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer } from '../testing/token-issuer.ts';

let graph: LibraryGraph;
const running: TestGateway[] = [];

beforeAll(async () => {
  graph = await startLibraryGraph();
});
afterAll(() => graph.close());
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close();
});

async function start(
  options: Omit<Parameters<typeof startTestGateway>[0], 'subgraphs'>,
): Promise<TestGateway> {
  const gateway = await startTestGateway({ subgraphs: graph.all, ...options });
  running.push(gateway);
  return gateway;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const byHash = (text: string): object => ({ persistedQuery: { version: 1, sha256Hash: hash(text) } });
const code = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];

const LISTED = 'query Listed { public }';
const OTHER = 'query Other { __typename }';
const APOLLO = JSON.stringify({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id: 'listed-1', name: 'Listed', type: 'query', body: LISTED }],
});
const RELAY = JSON.stringify({ [hash(OTHER)]: OTHER });

describe('Safelist', () => {
  const settings = 'persistedQueries: { mode: safelist, manifests: [apollo.json] }';

  it('serves listed operations by id, by hash, by document id and by text', async () => {
    const gateway = await start({ settings, files: { 'apollo.json': APOLLO } });
    const requests = [
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'listed-1' } } },
      { query: '', extensions: byHash(LISTED) },
      { documentId: 'listed-1' },
      { documentId: `sha256:${hash(LISTED)}` },
      { doc_id: 'listed-1' },
      { query: LISTED },
    ];
    for (const request of requests)
      expect((await gateway.post(request)).body).toEqual({ data: { public: 'open to all' } });
  });

  it('S-054 rejects everything else with 400, and stores nothing', async () => {
    const gateway = await start({ settings, files: { 'apollo.json': APOLLO } });
    for (const request of [
      { query: OTHER },
      { query: OTHER, extensions: byHash(OTHER) },
      { extensions: byHash(OTHER) },
      { documentId: 'unknown' },
      { query: `${LISTED} ` },
    ]) {
      const result = await gateway.post(request);
      expect([result.status, code(result)]).toEqual([400, 'PERSISTED_QUERY_REQUIRED']);
    }
  });

  it('is planned before the first client comes, and what can not be is logged', async () => {
    const gateway = await start({
      settings: 'persistedQueries: { mode: safelist, manifests: [apollo.json, relay.json] }',
      files: { 'apollo.json': APOLLO, 'relay.json': JSON.stringify({ bad: 'query Bad { nowhere }' }) },
    });
    const plansMade = async (): Promise<number> =>
      Number(/plans_total\{outcome="miss".*\} (\d+)/.exec(await gateway.metrics.metrics())?.[1] ?? 0);
    expect(await plansMade()).toBe(1);
    expect((await gateway.post({ documentId: 'listed-1' })).body).toEqual({
      data: { public: 'open to all' },
    });
    expect(await plansMade()).toBe(1);
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({ msg: 'safelist operation cannot be planned' }),
    );
    expect(gateway.logged()).toContainEqual(expect.objectContaining({ planned: 1, failed: 1, left: 0 }));
  });

  it('reads manifests of both formats, and reloads their changes', async () => {
    const gateway = await start({
      settings: 'persistedQueries: { mode: safelist, manifests: [apollo.json, relay.json] }',
      files: { 'apollo.json': APOLLO, 'relay.json': '{}' },
    });
    expect((await gateway.post({ documentId: hash(OTHER) })).status).toBe(400);
    writeFileSync(join(gateway.directory, 'relay.json'), '{ not json');
    await expect.poll(() => JSON.stringify(gateway.logged())).toContain('keeping the current one');
    expect((await gateway.post({ query: LISTED })).status).toBe(200);
    writeFileSync(join(gateway.directory, 'relay.json'), RELAY);
    await expect.poll(async () => (await gateway.post({ documentId: hash(OTHER) })).status).toBe(200);
  });

  it('only logs others when it is not enforced, once each', async () => {
    const gateway = await start({
      settings: 'persistedQueries: { mode: safelist, manifests: [apollo.json], enforce: false }',
      files: { 'apollo.json': APOLLO },
    });
    for (let index = 0; index < 3; index += 1)
      expect((await gateway.post({ query: OTHER })).body.data).toEqual({ __typename: 'Query' });
    expect(code(await gateway.post({ extensions: byHash('{ public }') }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    const warnings = gateway.logged().filter(({ msg }) => msg === 'operation not on the safelist');
    expect(warnings).toMatchObject([{ hash: hash(OTHER) }]);
  });

  describe('of single clients', () => {
    const [WEB, IOS, OLD_IOS] = ['{ web: public }', '{ ios: public }', '{ oldIos: public }'];
    const files = {
      'apollo.json': APOLLO,
      'web.json': JSON.stringify({ w: WEB }),
      'ios.json': JSON.stringify({ i: IOS, both: WEB }),
      'old.json': JSON.stringify({ o: OLD_IOS }),
    };
    const ofClients = `persistedQueries:
  mode: safelist
  manifests: [apollo.json]
  clients:
    web: { manifests: [web.json] }
    ios: { manifests: [ios.json] }
    ios@1.0: { manifests: [old.json] }
    constructor: { manifests: [old.json] }`;
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startTestGateway({ subgraphs: graph.all, settings: ofClients, files });
    });
    afterAll(() => gateway.close());

    it.each([
      ['web', undefined, [WEB]],
      ['web', '9', [WEB]],
      ['ios', '2.0', [IOS, WEB]],
      ['ios', undefined, [IOS, WEB]],
      ['ios', '1.0', [OLD_IOS]],
      ['constructor', undefined, [OLD_IOS]],
      ['toString', undefined, [LISTED]],
      ['android', '1.0', [LISTED]],
      [undefined, '1.0', [LISTED]],
    ])('%s %s may use its own list and no other', async (name, version, listed) => {
      for (const prefix of ['apollographql-client', 'graphql-client']) {
        const headers = {
          ...(name !== undefined && { [`${prefix}-name`]: name }),
          ...(version !== undefined && { [`${prefix}-version`]: version }),
        };
        for (const query of [WEB, IOS, OLD_IOS, LISTED]) {
          const expected = listed.includes(query) ? undefined : 'PERSISTED_QUERY_REQUIRED';
          for (const sent of [{ query }, { documentId: hash(query) }, { extensions: byHash(query) }])
            expect(code(await gateway.post(sent, headers)), JSON.stringify(sent)).toBe(expected);
        }
      }
    });

    it('of an OAuth client is for its tokens alone, whatever name comes beside them', async () => {
      const issuer = await startTokenIssuer();
      const own = await start({
        settings: `persistedQueries:
  mode: safelist
  manifests: [apollo.json]
  clients:
    web: { manifests: [web.json] }
    oauth:web: { manifests: [ios.json] }
    oauth:web@1.0: { manifests: [old.json] }
  lists: .`,
        files: {
          ...files,
          'published.operations.json': JSON.stringify({
            ...(JSON.parse(APOLLO) as object),
            trellis: { list: 1, client: 'oauth:published' },
          }),
          'retired.operations.json': JSON.stringify({
            ...(JSON.parse(APOLLO) as object),
            trellis: { list: 1, client: 'oauth:published', version: '1', retires: '2020-01-01T00:00:00Z' },
          }),
        },
        environment: issuer.environment,
      });
      const bearer = async (clientId: string): Promise<Readonly<Record<string, string>>> => ({
        authorization: `Bearer ${await issuer.sign({ client_id: clientId })}`,
      });
      const named = (name: string, version = ''): Readonly<Record<string, string>> => ({
        'graphql-client-name': name,
        'graphql-client-version': version,
      });
      const [web, other] = [await bearer('web'), await bearer('other')];
      const rows: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
        [web, [IOS, WEB]],
        [{ ...web, ...named('web') }, [IOS, WEB]],
        [{ ...web, ...named('web', '1.0') }, [OLD_IOS]],
        [await bearer('published'), [LISTED]],
        [{ ...(await bearer('published')), ...named('web') }, [LISTED]],
        [other, [LISTED]],
        [{ ...other, ...named('web') }, [WEB]],
        [named('web'), [WEB]],
        [named('oauth:web'), [LISTED]],
        [{ ...other, ...named('oauth:web', '1.0') }, [LISTED]],
        [{}, [LISTED]],
      ];
      for (const [headers, listed] of rows)
        for (const query of [WEB, IOS, OLD_IOS, LISTED]) {
          const expected = listed.includes(query) ? undefined : 'PERSISTED_QUERY_REQUIRED';
          expect(code(await own.post({ query }, headers)), `${JSON.stringify(listed)} ${query}`).toBe(
            expected,
          );
        }
      const retired = { ...(await bearer('published')), ...named('any', '1') };
      expect(code(await own.post({ query: LISTED }, retired))).toBe('CLIENT_RETIRED');
      const invalid = await own.post({ query: LISTED }, { authorization: 'Bearer forged' });
      expect(code(invalid)).toBe('UNAUTHENTICATED');
      await issuer.close();
    });

    it('stands alone, too: then clients without a name have no list', async () => {
      const alone = await start({
        settings: 'persistedQueries: { mode: safelist, clients: { web: { manifests: [web.json] } } }',
        files,
      });
      expect(code(await alone.post({ query: WEB }))).toBe('PERSISTED_QUERY_REQUIRED');
      expect(code(await alone.post({ query: WEB }, { 'graphql-client-name': 'web' }))).toBeUndefined();
    });

    it('is rejected at the start without its file, without any, and in another mode', async () => {
      await expect(start({ settings: ofClients, files: { 'apollo.json': APOLLO } })).rejects.toThrow(
        /There is no file or directory for \S*web\.json\./,
      );
      await expect(
        start({ settings: 'persistedQueries: { mode: safelist, clients: { web: { manifests: [] } } }' }),
      ).rejects.toThrow(/clients\.web\.manifests/);
      await expect(
        start({ settings: 'persistedQueries: { clients: { web: { manifests: [web.json] } } }', files }),
      ).rejects.toThrow(/go together/);
    });
  });

  it('is rejected at the start when a manifest is invalid', async () => {
    await expect(start({ settings, files: { 'apollo.json': '[]' } })).rejects.toThrow(/neither a manifest/);
    await expect(start({ settings })).rejects.toThrow(/There is no file or directory for \S*apollo\.json\./);
    await expect(start({ settings: 'persistedQueries: { mode: safelist }' })).rejects.toThrow(/go together/);
  });
});

describe('What a caller may have stored', () => {
  it('G2: counts what an entry takes beside its text', () => {
    const store = createMemoryPersistedQueryStore({
      memoryBytes: 1_000_000,
      textBytes: 16_384,
      lifetimeS: 60,
    });
    const shares = new ShareBuckets({ amounts: [1_000], windowMs: 3_600_000 });
    const texts = Array.from({ length: 10 }, (_, index) => `{ a${index}: public }`);
    for (const query of texts) {
      const resolved = resolvePersistedQuery(
        {
          query,
          documentId: undefined,
          operationName: undefined,
          variables: {},
          extensions: { ...byHash(query) },
        },
        { kind: 'automatic', store, shares },
        { headers: {} },
      );
      if ('store' in resolved) resolved.store?.(ANONYMOUS, '192.0.2.1');
    }
    expect(texts.filter((text) => store.get(hash(text)) !== undefined).length).toBeLessThan(5);
  });
});

describe('Persisted queries switched off', () => {
  it('make clients send texts', async () => {
    const gateway = await start({ settings: 'persistedQueries: { mode: off }' });
    expect(code(await gateway.post({ extensions: byHash(LISTED) }))).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
    expect((await gateway.post({ query: LISTED, extensions: byHash(LISTED) })).status).toBe(200);
  });
});

describe('Automatic persisted queries shared through Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  it('are known to every gateway once one has seen the text', async () => {
    const environment = { CACHE_REDIS_URL: redis.url };
    const [first, second] = [await start({ environment }), await start({ environment })];
    await first.post({ query: LISTED, extensions: byHash(LISTED) });
    await expect
      .poll(async () => (await second.post({ extensions: byHash(LISTED) })).body.data)
      .toEqual({ public: 'open to all' });
  });

  it('S-054 are not trusted when someone has changed them in Redis', async () => {
    const commands = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    await commands.set(`persisted-query:${hash('query victim { public }')}`, '{ people { id } }');
    const gateway = await start({ environment: { CACHE_REDIS_URL: redis.url } });
    expect(code(await gateway.post({ extensions: byHash('query victim { public }') }))).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
    commands.disconnect();
  });

  it('F-07 go on in memory while Redis is unavailable', async () => {
    const gone = await startTestRedis();
    const gateway = await start({ environment: { CACHE_REDIS_URL: gone.url } });
    await gone.stop();
    await gateway.post({ query: OTHER, extensions: byHash(OTHER) });
    expect((await gateway.post({ extensions: byHash(OTHER) })).body.data).toEqual({ __typename: 'Query' });
  });
});
