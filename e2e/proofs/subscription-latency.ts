import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTemporaryDirectory, proof, type ProofOptions, type ProofOutcome } from '@trellis/testkit';
import { createClient, type Client } from 'graphql-ws';
import WebSocket from 'ws';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { startPlatform, type PlatformAddresses } from '../harness/platform-process.ts';
import { signIn } from '../harness/sign-in.ts';

interface Load {
  readonly subscribers: number;
  readonly eventsPerSecond: number;
  readonly seconds: number;
  /** Most milliseconds for the median and for 99 of 100. */
  readonly budgetMs: readonly [p50: number, p99: number];
}

const loads: Readonly<Record<ProofOptions['size'], Load>> = {
  small: { subscribers: 3, eventsPerSecond: 20, seconds: 2, budgetMs: [2_000, 10_000] },
  full: { subscribers: 10, eventsPerSecond: 200, seconds: 20, budgetMs: [50, 150] },
};
const SETTLE_MS = 20_000;

/** What subscribers have seen. */
interface Seen {
  readonly delaysMs: number[];
  /** The bodies in the order in which they came, for each subscriber. */
  readonly bodies: readonly string[][];
}

proof({
  name: 'subscription-latency',
  description:
    'a comment reaches those who subscribe through the gateway within 50 ms (99 of 100: 150 ms) at 200 a second, each once',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const platform = await startPlatform({ dataDirectory: join(directory.path, 'data') });
    try {
      return await prove(platform.addresses, loads[size]);
    } finally {
      await platform.stop();
      directory.remove();
    }
  },
});

async function prove({ graph, issuer }: PlatformAddresses, load: Load): Promise<ProofOutcome> {
  const { access_token: token } = await signIn(issuer);
  const { posts } = dataOf(
    await askGraph<{ posts: { id: string }[] }>(graph, { query: '{ posts(first: 1) { id } }', token }),
  );
  const postId = posts[0]?.id ?? '';
  const seen: Seen = { delaysMs: [], bodies: Array.from({ length: load.subscribers }, () => []) };
  const clients = seen.bodies.map((bodies) =>
    subscribe(graph, token, postId, { delaysMs: seen.delaysMs, bodies }),
  );
  const write = (body: string): Promise<boolean> => addComment(graph, token, postId, body);
  await warmUp(write, seen);
  const count = await writeAtPace(write, load);
  await settle(() => seen.bodies.every((bodies) => measured(bodies).length >= count));
  for (const client of clients) await client.dispose();
  return judge(seen, count, load);
}

function subscribe(
  graph: string,
  token: string,
  postId: string,
  seen: { readonly delaysMs: number[]; readonly bodies: string[] },
): Client {
  const client = createClient({
    url: graph.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
  });
  client.subscribe<{ commentAdded: { body: string; createdAt: string } }>(
    {
      query: 'subscription ($postId: ID!) { commentAdded(postId: $postId) { body createdAt } }',
      variables: { postId },
    },
    {
      next: ({ data }) => {
        const { body = '', createdAt = '' } = data?.commentAdded ?? {};
        seen.bodies.push(body);
        if (isMeasured(body)) seen.delaysMs.push(Math.max(0, Date.now() - Date.parse(createdAt)));
      },
      error: () => {}, // what is missing at the end shows it
      complete: () => {},
    },
  );
  return client;
}

/** @returns whether it was written: a machine that has too much to do may reject it */
async function addComment(graph: string, token: string, postId: string, body: string): Promise<boolean> {
  const query = 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }';
  const { errors } = await askGraph(graph, { query, variables: { postId, body }, token });
  return errors === undefined;
}

/** Until every subscription has begun, and what is slow the first time is over. */
async function warmUp(write: (body: string) => Promise<boolean>, { bodies }: Seen): Promise<void> {
  await settle(async () => {
    await Promise.all(Array.from({ length: 10 }, () => write('warm-up')));
    return bodies.every((received) => received.length > 0);
  });
}

/** As many a second as wanted, however long each takes. @returns how many were written */
async function writeAtPace(write: (body: string) => Promise<boolean>, load: Load): Promise<number> {
  const total = load.eventsPerSecond * load.seconds;
  const startedAt = performance.now();
  const writing: Promise<boolean>[] = [];
  for (let index = 0; index < total; index += 1) {
    await pause(Math.max(0, startedAt + (index * 1_000) / load.eventsPerSecond - performance.now()));
    writing.push(write(`measured ${index}`));
  }
  return (await Promise.all(writing)).filter(Boolean).length;
}

async function settle(isSettled: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (!(await isSettled()) && Date.now() < deadline) await pause(50);
}

function judge(
  { delaysMs, bodies }: Seen,
  count: number,
  { eventsPerSecond, seconds, budgetMs: [p50Budget, p99Budget] }: Load,
): ProofOutcome {
  const rejected = eventsPerSecond * seconds - count;
  const sorted = delaysMs.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.floor(share * (sorted.length - 1))] ?? Number.POSITIVE_INFINITY;
  const received = bodies.map(measured);
  const lost = received.reduce((sum, list) => sum + count - new Set(list).size, 0);
  const twice = received.reduce((sum, list) => sum + list.length - new Set(list).size, 0);
  const sameOrder = received.every((list) => list.join() === received[0]?.join());
  return {
    passed:
      rejected === 0 && lost === 0 && twice === 0 && sameOrder && at(0.5) < p50Budget && at(0.99) < p99Budget,
    figures: {
      events: count,
      rejected,
      subscribers: bodies.length,
      lost,
      twice,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      order: sameOrder ? 'the same for all' : 'differs',
    },
  };
}

function measured(bodies: readonly string[]): readonly string[] {
  return bodies.filter(isMeasured);
}

function isMeasured(body: string): boolean {
  return body.startsWith('measured');
}
