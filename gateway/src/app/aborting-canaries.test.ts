import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import type { BlobReference } from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import { startSubgraph, type SubgraphCallContext, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { until } from '../testing/until.ts';

const PERCENT = 30;
const CALLERS = 60;

let redis: TestRedis;
let graph: PublishedGraph;
let subgraphs: Readonly<Record<'good' | 'failing' | 'poorer', SubgraphServer>>;
let gateways: readonly [TestGateway, TestGateway];

function startVersion(resolve: (context: SubgraphCallContext) => string): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      type Query {
        version: String
        other: String
      }
    `,
    resolvers: {
      Query: {
        version: (_source: unknown, _given: unknown, context: unknown) =>
          resolve(context as SubgraphCallContext), // what its server passes
        other: () => 'same',
      },
    },
  });
}

beforeAll(async () => {
  const [good, failing, poorer, opened, made] = await Promise.all([
    startVersion(() => 'good'),
    startVersion(({ response }) => {
      response.statusCode = 500;
      throw new Error('it fails');
    }),
    startSubgraph({
      name: 'numbers',
      typeDefs: gql`
        type Query {
          other: String
        }
      `,
      resolvers: { Query: { other: () => 'same' } },
    }),
    startTestRedis(),
    PublishedGraph.create(),
  ]);
  subgraphs = { good, failing, poorer };
  redis = opened;
  graph = made;
  await graph.publish([good]);
  const options = {
    subgraphs: [good],
    settings: graph.settings(
      { responseHeader: true, directory: undefined },
      { http: { trustProxy: ['127.0.0.1'] }, traffic: { breaker: { minCalls: 5, failureShare: 0.05 } } },
    ),
    environment: {
      SUPERGRAPH: 'registry',
      CACHE_REDIS_URL: redis.url,
      TRELLIS_SIGNING_KEY: graph.signingKey,
    },
  };
  gateways = [await startTestGateway(options), await startTestGateway(options)];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all(Object.values(subgraphs).map((subgraph) => subgraph.close()));
  await redis.stop();
  graph.close();
});

interface Asked {
  readonly served: string;
  readonly isGood: boolean;
}

async function ask(caller: number, query: string): Promise<Asked> {
  const gateway = gateways[caller % 2 === 0 ? 0 : 1];
  const { headers, body } = await gateway.post(
    { query },
    { 'x-forwarded-for': `10.0.${Math.floor(caller / 250)}.${caller % 250}` },
  );
  return { served: headers.get('trellis-supergraph') ?? '', isGood: body.errors === undefined };
}

async function askAll(query: string): Promise<readonly Asked[]> {
  return Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller, query)));
}

/** Starts a canary, and waits until both gateways serve it. */
async function startCanary(release: BlobReference): Promise<string> {
  const { record } = await graph.append({ variants: [canaryOf(release, PERCENT)], action: 'canary' });
  const version = `production.${record.sequence}`;
  await until(async () => (await askAll('{ other }')).every(({ served }) => served.startsWith(version)));
  return version;
}

/** The action of the newest record that both gateways serve. */
async function servedAction(): Promise<unknown> {
  const actions = gateways.map(
    (gateway) => gateway.logged().findLast(({ msg }) => msg === 'supergraph loaded')?.['action'],
  );
  return actions[0] === actions[1] ? actions[0] : undefined;
}

describe('A canary that fails', () => {
  it.each(['failing', 'poorer'] as const)(
    'is stopped at every gateway by what they count together, and in the registry: %s',
    async (kind) => {
      const version = await startCanary(await graph.release([subgraphs[kind]]));
      const ofCanary = (await askAll('{ other }')).filter(
        ({ served }) => served === `${version}/canary`,
      ).length;
      expect(ofCanary).toBeGreaterThan(4); // 18 of 60 are placed there, by chance
      const query = kind === 'poorer' ? '{ version other }' : '{ version }';
      await until(async () => {
        const asked = await askAll(query);
        // a circuit breaker that both versions had would be open for the main one too
        for (const { served, isGood } of asked) expect(isGood || served !== version).toBe(true);
        return asked.every(({ isGood }) => isGood);
      });
      await until(async () => (await servedAction()) === 'abort');
      expect((await askAll(query)).every(({ served, isGood }) => isGood && !served.includes('/'))).toBe(true);
      const stops = gateways.flatMap((gateway) =>
        gateway.logged().filter(({ msg }) => String(msg).startsWith('canary stopped')),
      );
      expect(stops.length).toBeGreaterThanOrEqual(2);
      expect(stops.some(({ evidence }) => Number(evidence) >= 13)).toBe(true);
    },
  );

  it('is not stopped where it fails like the main version', async () => {
    const version = await startCanary(await graph.release([subgraphs.failing]));
    await graph.append({ release: await graph.release([subgraphs.failing]) });
    await until(async () => (await askAll('{ other }')).every(({ served }) => !served.startsWith(version)));
    for (let round = 0; round < 3; round += 1)
      expect((await askAll('{ version }')).some(({ isGood }) => isGood)).toBe(false);
    expect(await servedAction()).toBe('publish');
  });
});
