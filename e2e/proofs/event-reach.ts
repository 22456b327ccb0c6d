import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { USER_CONTEXT_HEADER, type UserContext } from '@trellis/subgraph-protocol';
import {
  createTemporaryDirectory,
  createTestDatabase,
  startTestRedis,
  proof,
  type ProofOptions,
} from '@trellis/testkit';
import { v7 } from 'uuid';
import { byService, createContentServices, type ContentServices } from '../harness/content-services.ts';

interface Size {
  /** Posts that each instance writes. */
  readonly writes: number;
  /** Which of the sorted times is judged, 0 to 1, and the most milliseconds that it may take. */
  readonly judged: readonly [share: number, budgetMs: number];
}

/** The small run shares its machine with other tests: half a second would be the median of looking once a second. */
const sizes: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { writes: 8, judged: [0.5, 400] },
  full: { writes: 200, judged: [0.99, 100] },
};
/** Longer than a relay works on after an event, so that it sleeps when the next one is written. */
const PAUSE_MS = 30;
const ARRIVAL_DEADLINE_MS = 10_000;
const STREAM = 'trellis:{events:posts}:stream';
const CREATE = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';

proof({
  name: 'event-reach',
  description:
    'an event is where its consumers wait within 100 ms (99 of 100) after its writer had the response, whichever of two instances wrote it',
  async run({ size }) {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const directory = createTemporaryDirectory();
    const connection = connectRedis({
      url: redis.url,
      name: 'reach',
      onError: () => undefined,
      commandTimeoutMs: 20_000,
    });
    const services = await createContentServices({
      databaseUrls: byService(() => database.connectionString),
      redisUrl: redis.url,
      replicas: 2,
      logDirectory: directory.path,
    });
    try {
      for (const instance of services.instances.posts) await instance.start();
      return judge(await measure(services, connection, sizes[size].writes), sizes[size]);
    } finally {
      connection.disconnect();
      await services.stop();
      await redis.stop();
      await database.drop();
      directory.remove();
    }
  },
});

/** Writes in turn at each instance. @returns the milliseconds from response to arrival, by instance */
async function measure(
  services: ContentServices,
  connection: RedisConnection,
  writes: number,
): Promise<readonly (readonly number[])[]> {
  const delaysMs: number[][] = services.instances.posts.map(() => []);
  await reach(services, connection, 0); // until a relay has the leadership
  for (let count = 0; count < writes; count += 1)
    for (const [index, delays] of delaysMs.entries()) {
      await delay(PAUSE_MS);
      delays.push(await reach(services, connection, index));
    }
  return delaysMs;
}

/** Writes a post at an instance. @returns milliseconds from its response until the event is in the stream; 0 when it was sooner */
async function reach(services: ContentServices, connection: RedisConnection, index: number): Promise<number> {
  const [newest] = await connection.xrevrange(STREAM, '+', '-', 'COUNT', 1);
  const arrival = connection
    .xread('COUNT', 1, 'BLOCK', ARRIVAL_DEADLINE_MS, 'STREAMS', STREAM, newest?.[0] ?? '0-0')
    .then((found) => {
      if (found === null) throw new Error(`No event arrived within ${ARRIVAL_DEADLINE_MS} ms.`);
      return performance.now();
    });
  const [arrivedAt, answeredAt] = await Promise.all([arrival, write(services, index)]);
  return Math.max(0, arrivedAt - answeredAt);
}

async function write({ instances, keys }: ContentServices, index: number): Promise<number> {
  const user = { id: v7(), roles: ['ADMIN'], tokenIssuedAt: 0 };
  const context: UserContext = { user, scopes: ['read:data', 'write:data'] };
  const response = await fetch(`${instances.posts[index]?.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [USER_CONTEXT_HEADER]: await keys.sign('posts', context),
    },
    body: JSON.stringify({
      query: CREATE,
      variables: { input: { title: 'Reach', body: 'How far?' } },
    }),
    signal: AbortSignal.timeout(ARRIVAL_DEADLINE_MS),
  });
  const result = await response.text();
  if (!result.includes('"id"')) throw new Error(`The post was not written: ${result}`);
  return performance.now();
}

function judge(delaysMs: readonly (readonly number[])[], { judged: [share, budgetMs] }: Size) {
  const at = (list: readonly number[], quantile: number): number => {
    const sorted = list.toSorted((left, right) => left - right);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0);
  };
  const figures = delaysMs.flatMap((list, index) => [
    [`instance${index}P50Ms`, at(list, 0.5)],
    [`instance${index}P99Ms`, at(list, 0.99)],
  ]);
  return {
    passed: delaysMs.every((list) => at(list, share) <= budgetMs),
    figures: { writes: delaysMs.flat().length, ...Object.fromEntries(figures) } as Record<string, number>,
  };
}
