import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { proof, until } from '@trellis/testkit';
import { startEventGraph, type EventGraph } from '../src/testing/event-graph.ts';
import { RawSocket } from '../src/testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';

const SIZES = {
  small: { warm: 192, churn: 384, maxGrowthPercent: 30 },
  full: { warm: 3_840, churn: 10_032, maxGrowthPercent: 5 },
} as const;

/** A multiple of the operations, and fewer than may run on a connection. */
const AT_ONCE = 48;
const SETTINGS = `
  subscriptions: { webSocket: { maxMessages: 1000000 } }
  live: { maxPerUser: 1000 }`;
/** Each differs from the others: nothing is shared, and everything has to be let go. */
const OPERATIONS: readonly ((number: number) => string)[] = [
  (number) => `subscription { published(topic: "topic-${number}") { id author { name } } }`,
  () => 'subscription { published { id } }',
  () => 'query @live { count }',
];

/** S-074: what is subscribed to and completed again and again. */
proof({
  name: 'subscription-churn',
  description: 'Nothing stays of ten thousand streams that clients have begun and ended.',
  async run({ size }) {
    const { warm, churn, maxGrowthPercent } = SIZES[size];
    const graph = await startEventGraph();
    const gateway = await startTestGateway({ subgraphs: graph.all, settings: SETTINGS });
    const socket = await RawSocket.connect(`${gateway.url}/graphql`);
    try {
      await subscribeAndComplete(socket, warm);
      const before = await heapWhenQuiet(gateway, graph);
      await subscribeAndComplete(socket, churn);
      const after = await heapWhenQuiet(gateway, graph);
      const growthPercent = (after / before - 1) * 100;
      return {
        passed: growthPercent <= maxGrowthPercent && socket.socket.readyState === socket.socket.OPEN,
        figures: {
          streams: churn,
          heapMb: (after / 1e6).toFixed(1),
          heapGrowthPercent: growthPercent.toFixed(1),
        },
      };
    } finally {
      socket.close();
      await gateway.close();
      await graph.close();
    }
  },
});

async function subscribeAndComplete(socket: RawSocket, count: number): Promise<void> {
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    for (let number = begun; number < begun + AT_ONCE; number += OPERATIONS.length)
      for (const [offset, write] of OPERATIONS.entries())
        socket.subscribe(String(number + offset), write((number + offset) % 200));
    socket.send({ type: 'ping' });
    await until(() => socket.frames.some(({ type }) => type === 'pong'));
    for (let number = begun; number < begun + AT_ONCE; number += 1)
      socket.send({ id: String(number), type: 'complete' });
    socket.frames.length = 0;
  }
}

/** @returns bytes of live objects once every stream has ended */
async function heapWhenQuiet(gateway: TestGateway, graph: EventGraph): Promise<number> {
  await until(async () => {
    const text = await gateway.metrics.metrics();
    return (
      graph.news.open() === 0 && !/trellis_gateway_(streams|subgraph_subscriptions)\{.*\} [1-9]/.test(text)
    );
  }, 'all streams have ended');
  graph.news.forget();
  graph.people.forget();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // V8 defines it in every context made after the flag
  for (let round = 0; round < 3; round += 1) {
    collect();
    await sleep(50);
  }
  return process.memoryUsage().heapUsed;
}
