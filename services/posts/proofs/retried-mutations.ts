import { queryChecked } from '@trellis/postgres';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { proof } from '@trellis/testkit';
import type { UserContext } from '@trellis/subgraph-protocol';
import { buildServer } from '../src/server.ts';

/** How often each mutation is sent, at the same time and again later. */
const [AT_ONCE, LATER] = [3, 1];
const IN_FLIGHT = 50;

const CREATE = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { success post { id } } }';
const COUNT = `
  SELECT (SELECT count(*) FROM post)::int AS posts, (SELECT count(*) FROM outbox)::int AS events`;

/** Repeats mutations with their keys: each runs once, and all callers get the same result. */
proof({
  name: 'retried-mutations',
  description:
    'a mutation with an idempotency key is done once, however often and however concurrently it is sent',
  async run({ size }) {
    const mutations = size === 'full' ? 1_000 : 60;
    const subgraph = await startTestSubgraph({
      service: 'posts',
      migrations: new URL('../migrations/', import.meta.url),
      buildServer,
    });
    try {
      const user = { id: createId(), roles: ['EDITOR'], tokenIssuedAt: 1 };
      const author: UserContext = { user, scopes: ['read:data', 'write:data'] };
      const responses = await inBatches(mutations, (index) => sendOften(subgraph, author, index));
      const { posts, events } = await count(subgraph);
      const contradictory = responses.filter((seen) => new Set(seen).size !== 1).length;
      return {
        passed: posts === mutations && events === mutations && contradictory === 0,
        figures: {
          mutations,
          requests: mutations * (AT_ONCE + LATER),
          duplicates: posts - mutations,
          eventsTooMany: events - mutations,
          contradictory,
        },
      };
    } finally {
      await subgraph.close();
    }
  },
});

interface Counts {
  readonly posts: number;
  readonly events: number;
}

async function count({ pool }: TestSubgraph): Promise<Counts> {
  const rows = await queryChecked(pool, { posts: 'int4', events: 'int4' }, COUNT);
  return rows[0] ?? { posts: 0, events: 0 };
}

/** Only the key marks a retry: every post of a mutation differs from those of the others. */
async function sendOften(
  subgraph: TestSubgraph,
  author: UserContext,
  index: number,
): Promise<readonly string[]> {
  const send = async (): Promise<string> =>
    JSON.stringify(
      await subgraph.ask({
        query: CREATE,
        variables: { input: { title: `Title ${index}`, body: 'Words.' } },
        as: author,
        idempotencyKey: `key-${index}`,
      }),
    );
  const atOnce = await Promise.all(Array.from({ length: AT_ONCE }, send));
  return [...atOnce, await send()];
}

/** A batch at a time, so that connections are contended for and requests are not rejected. */
async function inBatches<Result>(
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < count; start += IN_FLIGHT) {
    const indexes = Array.from({ length: Math.min(IN_FLIGHT, count - start) }, (_, offset) => start + offset);
    results.push(...(await Promise.all(indexes.map(work))));
  }
  return results;
}
