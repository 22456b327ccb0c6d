import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, until, type TestRedis } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import type { BlobReference } from '@trellis/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseTexts } from '../http/pages/page-texts.ts';
import { renderState } from '../http/pages/state-page.ts';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import {
  startSubgraph,
  type SubgraphRequestContext,
  type SubgraphServer,
} from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const PERCENT = 30;
/** So many that chance places enough of them on a canary: 36, and fewer than 20 once in a thousand times. */
const CALLERS = 120;
/** Executed for each caller: equal queries share an execution. */
const SALTED = 'query ($salt: Int) { version(salt: $salt) }';
/** More than what the main version takes on a busy machine. */
const SLOW_MS = 1_000;

const PROXIED = { http: { trustProxy: ['127.0.0.1'] } };

let redis: TestRedis;
let graph: PublishedGraph;
let subgraphs: Readonly<Record<'good' | 'failing' | 'poorer' | 'slow', SubgraphServer>>;
let gateways: readonly [TestGateway, TestGateway];

function startVersion(
  resolve: (context: SubgraphRequestContext) => string | Promise<string>,
): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      type Query {
        version(salt: Int): String
        other: String
      }
    `,
    resolvers: {
      Query: {
        version: (_source: unknown, _given: unknown, context: unknown) =>
          resolve(context as SubgraphRequestContext), // what its server passes
        other: () => 'same',
      },
    },
  });
}

beforeAll(async () => {
  const [good, slow, failing, poorer, opened, made] = await Promise.all([
    startVersion(() => 'good'),
    startVersion(() => sleep(SLOW_MS, 'good')),
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
  subgraphs = { good, failing, poorer, slow };
  redis = opened;
  graph = made;
  await graph.publish([good]);
  const options = {
    subgraphs: [good],
    settings: graph.settings(
      { responseHeader: true, directory: undefined },
      { ...PROXIED, traffic: { breaker: { minRequests: 5, failureShare: 0.05 } } },
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

async function ask(
  caller: number,
  query: string,
  gateway: TestGateway = gateways[caller % 2 === 0 ? 0 : 1],
): Promise<Asked> {
  const { headers, body } = await gateway.post(
    { query, variables: { salt: caller } },
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
      expect(ofCanary).toBeGreaterThan(4);
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
      expect(stops.some(({ evidence }) => Number(evidence) >= 7)).toBe(true);
    },
  );

  it('is stopped where it is slow: at one gateway by what its workers count together', async () => {
    const alone = await startTestGateway({
      subgraphs: [subgraphs.good],
      settings: graph.settings({ responseHeader: true, directory: undefined }, PROXIED),
      environment: { SUPERGRAPH: 'registry', WORKERS: '2' },
    });
    const askThere = (query: string): Promise<readonly Asked[]> =>
      Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller, query, alone)));
    try {
      const release = await graph.release([subgraphs.slow]);
      const { record } = await graph.append({ variants: [canaryOf(release, PERCENT)], action: 'canary' });
      const isOfRecord = ({ served }: Asked): boolean => served.startsWith(`production.${record.sequence}`);
      await until(async () => (await askThere('{ other }')).every(isOfRecord));
      const placed = await askThere('{ other }');
      const onMain = placed.flatMap(({ served }, caller) => (served.includes('/') ? [] : [caller]));
      // Each worker has to know what the main version takes: 200 responses.
      for (let round = 0; round < 20; round += 1)
        await Promise.all(onMain.map((caller) => ask(caller, SALTED, alone)));
      await until(async () => {
        await askThere(SALTED);
        return (await askThere('{ other }')).every(({ served }) => !served.includes('/'));
      });
      expect((await askThere('{ other }')).every(isOfRecord)).toBe(true); // no key: no record
      // one of the workers found it, or both in the same moment; all these requests may have gone to one of them
      const stops = async (): Promise<readonly (string | undefined)[]> =>
        Array.from(
          (await alone.metrics.metrics()).matchAll(/canary_stopped_seconds\{[^}]*reason="([^"]*)"/g),
          ([, reason]) => reason,
        ).toSorted();
      await expect.poll(stops).toEqual([expect.toBeOneOf(['another process', 'slow']), 'slow']);
      const { text } = await renderState(alone.metrics, chooseTexts('en'));
      expect(text).toContain('more callers with slow responses than by chance');
    } finally {
      await alone.close();
    }
  }, 120_000);

  it('is not stopped where it fails like the main version', async () => {
    const version = await startCanary(await graph.release([subgraphs.failing]));
    await graph.append({ release: await graph.release([subgraphs.failing]) });
    await until(async () => (await askAll('{ other }')).every(({ served }) => !served.startsWith(version)));
    for (let round = 0; round < 3; round += 1)
      expect((await askAll('{ version }')).some(({ isGood }) => isGood)).toBe(false);
    expect(await servedAction()).toBe('publish');
  });
});
