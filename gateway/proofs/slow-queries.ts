import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, type Proof } from '@trellis/testkit';
import { compose } from '../src/testing/compose.ts';
import { startSubgraph } from '../src/testing/subgraph-server.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { addressOf, createAddressedClient } from '../test-fixtures/load/ask-from.ts';
import { quantile, startLoad, type LoadReport } from '../test-fixtures/load/open-loop.ts';

/** As many as a subgraph has places. */
const SLOW = 256;
const SIZES = {
  // small: beside others' tests, where taking in the attack may take a second, the half that is answered first is what counts
  small: {
    slowMs: 3_000,
    calmMs: 300,
    perSecond: 20,
    networks: 4,
    share: 0.5,
    maxAddedMs: 1_000,
    mayFail: 0.25,
  },
  full: {
    slowMs: 8_000,
    calmMs: 3_000,
    perSecond: 50,
    networks: 20,
    share: 0.99,
    maxAddedMs: 100,
    mayFail: 0,
  },
} as const;

const ATTACKER = '127.0.0.1';
/** Of others, each in another network. */
const OTHERS = 8;

/** G9: whoever asks for what takes long does not take a subgraph from the others. */
export const proof: Proof = {
  name: 'slow-queries',
  description:
    'While the slow queries of some wait for a subgraph, it answers the quick ones of others at once.',
  async run({ size }) {
    const { slowMs, calmMs, networks, share, maxAddedMs, mayFail } = SIZES[size];
    const stage = await openStage(SIZES[size]);
    try {
      const calm = await stage.others(calmMs);
      const ofOne = await stage.othersWhile(SLOW, () => ATTACKER);
      const ofMany = await stage.othersWhile(2 * SLOW, (index) => addressOf(OTHERS + (index % networks)));
      const [calmMsP99, oneMsP99, manyMsP99] = [calm, ofOne, ofMany].map((load) => quantile(load, 0.99));
      const addedMs = Math.max(quantile(ofOne, share), quantile(ofMany, share)) - quantile(calm, share);
      const sent = calm.sent + ofOne.sent + ofMany.sent;
      const failed = calm.failed + ofOne.failed + ofMany.failed;
      return {
        passed: failed <= mayFail * sent && addedMs <= maxAddedMs && stage.slowAtOnce() > SLOW / 2,
        figures: {
          slowQueriesMs: slowMs,
          slowAtOnce: stage.slowAtOnce(),
          othersSent: sent,
          othersFailed: failed,
          ...reasonOf(calm, ofOne, ofMany),
          calmMedianMs: Math.round(quantile(calm, 0.5)),
          attackedMedianMs: Math.round(Math.max(quantile(ofOne, 0.5), quantile(ofMany, 0.5))),
          calmP99Ms: Math.round(calmMsP99 ?? 0),
          whileOneAddressAttacksP99Ms: Math.round(oneMsP99 ?? 0),
          whileManyNetworksAttackP99Ms: Math.round(manyMsP99 ?? 0),
        },
      };
    } finally {
      await stage.close();
    }
  },
};

function reasonOf(...loads: readonly LoadReport[]): Readonly<Record<string, string>> {
  const [reason] = loads.flatMap(({ reasons }) => reasons);
  return reason === undefined ? {} : { reason };
}

interface Stage {
  /** What others are answered in some time. */
  others(durationMs: number): Promise<LoadReport>;
  /** The same while slow queries, all sent at once, are being answered or wait for it. */
  othersWhile(slow: number, addressFor: (index: number) => string): Promise<LoadReport>;
  /** How many of them the subgraph was asked at a time, at most. */
  slowAtOnce(): number;
  close(): Promise<void>;
}

async function openStage({ slowMs, perSecond }: (typeof SIZES)[keyof typeof SIZES]): Promise<Stage> {
  const directory = createTemporaryDirectory();
  let slowNow = 0;
  let slowAtOnce = 0;
  const subgraph = await startSubgraph({
    name: 'catalogue',
    typeDefs: 'type Query { slow(key: Int): Int quick(key: Int): Int }',
    resolvers: {
      Query: {
        slow: async () => {
          slowAtOnce = Math.max(slowAtOnce, (slowNow += 1));
          await sleep(slowMs);
          slowNow -= 1;
          return 1;
        },
        quick: () => 1,
      },
    },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([subgraph]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, '{ timeouts: { subgraphMs: 60000, requestMs: 60000 } }');
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings });
  const client = createAddressedClient(gateway.url);
  const askQuick = async (number: number): Promise<void> => {
    const { text } = await client.ask(`{ quick(key: ${number % 10}) }`, addressOf(number % OTHERS));
    if (text !== '{"data":{"quick":1}}') throw new Error(text);
  };
  for (let number = 0; number < 100; number += 1) await askQuick(number); // compiles what is asked
  const others = async (durationMs: number): Promise<LoadReport> => {
    const load = startLoad({ perSecond, send: askQuick });
    await sleep(durationMs);
    return load.stop();
  };
  return {
    others,
    async othersWhile(slow, addressFor) {
      const attack = Promise.allSettled(
        Array.from({ length: slow }, (_, index) => client.ask(`{ slow(key: ${index}) }`, addressFor(index))),
      );
      await untilTakenIn(gateway, slowMs / 2); // taking in so many at once keeps a process busy, whoever they are of
      const report = await others((slowMs * 3) / 8);
      await attack;
      return report;
    },
    slowAtOnce: () => slowAtOnce,
    async close() {
      client.close();
      await gateway.stop();
      await subgraph.close();
      directory.remove();
    },
  };
}

/** Waits until all that has arrived is being executed, and waits for the subgraph, if it must; at most so long. */
async function untilTakenIn({ operationsUrl }: GatewayProcess, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  const waiting = async (): Promise<number> => {
    const page = await (await fetch(`${operationsUrl}/metrics`)).text();
    return Number(/^trellis_gateway_operations_waiting\{.*\} (\d+)$/m.exec(page)?.[1] ?? 1);
  };
  await sleep(withinMs / 8);
  while ((await waiting()) > 0 && performance.now() < deadline) await sleep(withinMs / 40);
}
