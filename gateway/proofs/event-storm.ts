import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { compose } from '../src/testing/compose.ts';
import { startGatewayProcess } from '../test-fixtures/gateway-process.ts';
import { quantile, type LoadReport } from '../test-fixtures/load/open-loop.ts';
import { startSteadyQueries } from '../test-fixtures/load/steady-queries/start-steady-queries.ts';
import type { EventCounts } from '../test-fixtures/load/storm/messages.ts';
import { startStorm, type Storm } from '../test-fixtures/load/storm/start-storm.ts';

const SIZES = {
  small: {
    topics: 200,
    eventsPerSecond: 1,
    roundMs: 1_500,
    rounds: 1,
    queriesPerSecond: 50,
    factor: 6,
    program: 'source',
    published: 0.3, // what publishes gives way to all else, and other proofs run beside it
  },
  full: {
    topics: 1_000,
    eventsPerSecond: 1,
    roundMs: 8_000,
    rounds: 5,
    queriesPerSecond: 100,
    factor: 2,
    program: 'compiled', // what is shipped
    published: 0.8,
  },
} as const;

/** Of the events that were published. */
const DELIVERED_SHARE = 0.99;
const DELIVERED_WITHIN_MS = 10_000;
/** Each in another network, so that no caller's share is met. */
const NETWORKS = 50;
const SETTINGS = `
  subscriptions: { webSocket: { maxMessages: 1000000 } }
  live: { maxPerUser: 1000 }`;

/**
 * Events take the turns of one caller from those who wait for a response, however many topics there are. What the storm's other processes
 * delay, which have the same processors, is measured by queries that go straight to the subgraph, and allowed for, at most once more what
 * queries take without a storm.
 */
proof({
  name: 'event-storm',
  description:
    'Events on a thousand topics at most double the 99th percentile of queries, apart from what queries that go straight to the subgraph wait longer as well',
  async run({ size }) {
    const { topics, eventsPerSecond, roundMs, rounds, factor, published: publishedShare } = SIZES[size];
    const stage = await openStage(SIZES[size]);
    try {
      await stage.blow(eventsPerSecond);
      await sleep(roundMs); // compiles what an event runs through
      await stage.blow(0);
      const before = await stage.storm.count();
      const calm: Loads[] = [];
      const stormy: Loads[] = [];
      for (let round = 0; round < rounds; round += 1) {
        calm.push(await stage.measure(roundMs));
        await stage.blow(eventsPerSecond);
        stormy.push(await stage.measure(roundMs));
        await stage.blow(0);
      }
      const { published, delivered } = await countedSince(before, stage.storm);
      const due = topics * eventsPerSecond * ((roundMs * 1.5) / 1_000) * rounds;
      const queriesOf = (loads: readonly Loads[]): number => medianP99(loads.map(({ queries }) => queries));
      const controlOf = (loads: readonly Loads[]): number => medianP99(loads.map(({ control }) => control));
      const delayedMs = controlOf(stormy) - controlOf(calm);
      const delayedElsewhereMs = Math.min(Math.max(0, delayedMs), queriesOf(calm));
      const budgetMs = factor * queriesOf(calm) + delayedElsewhereMs;
      const failed = [...calm, ...stormy].reduce(
        (sum, { queries, control }) => sum + queries.failed + control.failed,
        0,
      );
      return {
        passed:
          failed === 0 &&
          published >= publishedShare * due &&
          delivered >= DELIVERED_SHARE * published &&
          queriesOf(stormy) <= budgetMs,
        figures: {
          topics,
          eventsPerSecond: topics * eventsPerSecond,
          eventsPublished: published,
          eventsDelivered: delivered,
          queriesFailed: failed,
          calmP99Ms: tenths(queriesOf(calm)),
          stormP99Ms: tenths(queriesOf(stormy)),
          timesCalm: tenths(queriesOf(stormy) / queriesOf(calm)),
          delayedElsewhereMs: tenths(delayedElsewhereMs),
          budgetMs: tenths(budgetMs),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

/** When all have been delivered that will be. */
async function countedSince(before: EventCounts, storm: Storm): Promise<EventCounts> {
  const deadline = Date.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const now = await storm.count();
    const published = now.published - before.published;
    const delivered = now.delivered - before.delivered;
    if (delivered >= DELIVERED_SHARE * published || Date.now() > deadline) return { published, delivered };
    await sleep(100);
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

function medianP99(reports: readonly LoadReport[]): number {
  const values = reports.map((report) => quantile(report, 0.99)).toSorted((left, right) => left - right);
  return values[Math.floor(values.length / 2)] ?? 0;
}

/** Queries of the gateway, and then the same straight to the subgraph. */
interface Loads {
  readonly queries: LoadReport;
  readonly control: LoadReport;
}

interface Stage {
  readonly storm: Storm;
  /** @param perSecond events on each topic; 0 ends the storm */
  blow(perSecond: number): Promise<void>;
  measure(durationMs: number): Promise<Loads>;
  close(): Promise<void>;
}

async function openStage({
  topics,
  queriesPerSecond,
  roundMs,
  program,
}: (typeof SIZES)[keyof typeof SIZES]): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const [storm, queries] = await Promise.all([startStorm(), startSteadyQueries()]);
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([...storm.subgraphs, queries.subgraph]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, SETTINGS);
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings }, program);
  await storm.subscribe({ url: gateway.url, topics, firstNetwork: NETWORKS });
  await sleep(1_000); // what a subgraph is subscribed to late has missed nothing that counts
  const measured = (url: string, durationMs: number): Promise<LoadReport> =>
    queries.measure({ url, perSecond: queriesPerSecond, durationMs, networks: NETWORKS });
  await measured(gateway.url, roundMs / 2); // compiles what is asked
  return {
    storm,
    async blow(perSecond) {
      storm.blow({ topics, perSecond });
      await sleep(500);
    },
    measure: async (durationMs) => ({
      queries: await measured(gateway.url, durationMs),
      control: await measured(new URL(queries.subgraph.url).origin, durationMs / 2),
    }),
    async close() {
      await gateway.stop();
      storm.stop();
      queries.stop();
      directory.remove();
    },
  };
}
