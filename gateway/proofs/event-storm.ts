import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { compose } from '../src/testing/compose.ts';
import { RawSocket } from '../src/testing/raw-socket.ts';
import { startSubgraph } from '../src/testing/subgraph-server.ts';
import { startGatewayProcess } from '../test-fixtures/gateway-process.ts';
import { addressOf, createAddressedClient } from '../test-fixtures/load/ask-from.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';
import { startStorm } from '../test-fixtures/load/storm/start-storm.ts';

const SIZES = {
  small: { topics: 200, eventsPerSecond: 1, roundMs: 1_500, rounds: 1, queriesPerSecond: 50, factor: 6 },
  full: { topics: 1_000, eventsPerSecond: 1, roundMs: 8_000, rounds: 3, queriesPerSecond: 100, factor: 2 },
} as const;

/** Of the events that were due: a timer in a busy process is late now and then. */
const DELIVERED_SHARE = 0.9;
/** Topics of one connection: fewer than one may have open. */
const TOPICS_PER_SOCKET = 40;
/** Each in another network, so that no caller's share is met. */
const NETWORKS = 50;
const SETTINGS = `
  subscriptions: { webSocket: { maxMessages: 1000000 } }
  live: { maxPerUser: 1000 }`;

/** Events take the turns of one caller from those who wait for a response, however many topics there are. */
proof({
  name: 'event-storm',
  description: 'Events on a thousand topics at most double the 99th percentile of queries.',
  async run({ size }) {
    const { topics, eventsPerSecond, roundMs, rounds, factor } = SIZES[size];
    const stage = await openStage(SIZES[size]);
    try {
      const calm: LoadReport[] = [];
      const stormy: LoadReport[] = [];
      for (let round = 0; round < rounds; round += 1) {
        calm.push(await stage.queries(roundMs));
        stage.storm.blow({ topics, perSecond: eventsPerSecond });
        await sleep(500);
        stormy.push(await stage.queries(roundMs));
        stage.storm.blow({ topics, perSecond: 0 });
        await sleep(500);
      }
      const [calmP99Ms, stormP99Ms] = [calm, stormy].map((reports) => medianP99(reports));
      const failed = [...calm, ...stormy].reduce((sum, report) => sum + report.failed, 0);
      const delivered = stage.delivered();
      const due = topics * eventsPerSecond * (roundMs / 1_000) * rounds;
      return {
        passed:
          failed === 0 &&
          delivered >= DELIVERED_SHARE * due &&
          (stormP99Ms ?? 0) <= factor * (calmP99Ms ?? 0),
        figures: {
          topics,
          eventsPerSecond: topics * eventsPerSecond,
          eventsDelivered: delivered,
          queriesFailed: failed,
          calmP99Ms: Math.round((calmP99Ms ?? 0) * 10) / 10,
          stormP99Ms: Math.round((stormP99Ms ?? 0) * 10) / 10,
        },
      };
    } finally {
      await stage.close();
    }
  },
});

function medianP99(reports: readonly LoadReport[]): number {
  const values = reports.map((report) => quantile(report, 0.99)).toSorted((left, right) => left - right);
  return values[Math.floor(values.length / 2)] ?? 0;
}

interface Stage {
  readonly storm: Awaited<ReturnType<typeof startStorm>>;
  queries(durationMs: number): Promise<LoadReport>;
  /** Events that clients were sent so far. */
  delivered(): number;
  close(): Promise<void>;
}

async function openStage({ topics, queriesPerSecond }: (typeof SIZES)[keyof typeof SIZES]): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const storm = await startStorm();
  const shop = await startSubgraph({
    name: 'shop',
    typeDefs: gql`
      type Query {
        stock(key: Int): Int
      }
    `,
    resolvers: { Query: { stock: () => 1 } },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([...storm.subgraphs, shop]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, SETTINGS);
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings });
  const client = createAddressedClient(gateway.url);
  const sockets = await subscribe(gateway.url, topics);
  const send = async (number: number): Promise<void> => {
    const { text } = await client.ask(`{ stock(key: ${number % 10}) }`, addressOf(number % NETWORKS));
    if (text !== '{"data":{"stock":1}}') throw new Error(text);
  };
  for (let number = 0; number < 200; number += 1) await send(number); // compiles what is asked
  return {
    storm,
    async queries(durationMs) {
      const load = startLoad({ perSecond: queriesPerSecond, send });
      await sleep(durationMs);
      return load.stop();
    },
    delivered: () => sockets.reduce((sum, { frames }) => sum + countEvents(frames), 0),
    async close() {
      for (const socket of sockets) socket.close();
      client.close();
      await gateway.stop();
      storm.stop();
      await shop.close();
      directory.remove();
    },
  };
}

function countEvents(frames: RawSocket['frames']): number {
  return frames.filter(({ type }) => type === 'next').length;
}

/** Every topic has a client. */
async function subscribe(url: string, topics: number): Promise<readonly RawSocket[]> {
  const sockets: RawSocket[] = [];
  for (let topic = 0; topic < topics; topic += 1) {
    if (topic % TOPICS_PER_SOCKET === 0) {
      const localAddress = addressOf(NETWORKS + sockets.length);
      sockets.push(await RawSocket.connect(`${url}/graphql`, undefined, { localAddress }));
    }
    const query = `subscription { published(topic: "topic-${topic}") { id author { name } } }`;
    sockets.at(-1)?.subscribe(String(topic), query);
  }
  await sleep(1_000); // what a subgraph is subscribed to late has missed nothing that counts
  return sockets;
}
