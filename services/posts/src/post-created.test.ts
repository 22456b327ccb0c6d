import { createLogger, createMetrics } from '@trellis/runtime';
import {
  createEventStream,
  createRelayWakeUp,
  startRelay,
  type Background,
  type RelayWakeUp,
} from '@trellis/events';
import { inTransaction } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishDuePosts } from './post-writer.ts';
import { buildServer } from './server.ts';

const user = (role: Role): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [author, viewer] = [user('EDITOR'), user('VIEWER')];

let redis: TestRedis;
let connection: RedisConnection;
let posts: TestSubgraph;
let relay: Background;
let wakeUp: RelayWakeUp | undefined;

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  posts = await startTestSubgraph({
    service: 'posts',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
    redisUrl: redis.url,
    wakeRelay: () => wakeUp?.poke(),
  });
  const logger = createLogger({ service: 'posts', level: 'silent' });
  wakeUp = createRelayWakeUp({ service: 'posts', pool: posts.pool, logger });
  relay = startRelay({
    service: 'posts',
    pool: posts.pool,
    stream: createEventStream({ redis: connection, service: 'posts' }),
    wakeUp,
    logger,
    metrics: createMetrics('posts'),
  });
});
afterAll(async () => {
  await relay.close();
  await wakeUp?.close();
  await posts.close();
  connection.disconnect();
  await redis.stop();
});

interface Created {
  readonly postCreated: { readonly title: string };
}

const CREATED = 'subscription { postCreated { id title published createdAt } }';
const subscribe = (as: UserContext, lastEventId?: string) =>
  posts.subscribe<Created>({ query: CREATED, as, ...(lastEventId !== undefined && { lastEventId }) });

async function create(title: string, input: object = {}): Promise<string> {
  const { data } = await posts.ask<{ createPost: { post: { id: string } } }>({
    query: 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }',
    variables: { input: { title, body: 'B', ...input } },
    as: author,
  });
  return data.createPost.post.id;
}

const change = (id: string, input: object) =>
  posts.ask({
    query: 'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id } }',
    variables: { id, input },
    as: author,
  });

/** Events arrive within moments; ten seconds are for a busy machine. */
const eventually = (assertion: () => void): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 10 });

const titlesOf = ({ results }: { readonly results: readonly { readonly data?: Created | null }[] }) =>
  results.map(({ data }) => data?.postCreated.title);

describe('Subscription.postCreated', () => {
  it('delivers posts when everybody may see them: created, published, or due; and nothing else', async () => {
    const subscription = await subscribe(viewer);
    await create('at once');
    const draft = await create('later', { publishedAt: '2100-01-01T00:00:00Z' });
    await change(draft, { title: 'published by hand' });
    await change(draft, { published: true });
    await change(draft, { title: 'changed' });
    const due = await create('by itself', { publishedAt: '2100-01-01T00:00:00Z' });
    await posts.pool.query("UPDATE post SET publish_at = now() - interval '1 second' WHERE id = $1", [due]);
    await inTransaction(posts.pool, (transaction) => publishDuePosts(transaction, 10));
    await create('last');
    await eventually(() => expect(titlesOf(subscription)).toHaveLength(4));
    expect(titlesOf(subscription)[0]).toBe('at once');
    expect(titlesOf(subscription).slice(2)).toEqual(['by itself', 'last']);
    await subscription.close();
  });

  it('reads each post once, however many are subscribed, and resolves it for each', async () => {
    const subscriptions: Awaited<ReturnType<typeof subscribe>>[] = [];
    for (let count = 0; count < 5; count += 1) subscriptions.push(await subscribe(viewer));
    posts.takeStatements();
    await create('for all');
    await eventually(() => {
      for (const subscription of subscriptions) expect(titlesOf(subscription)).toEqual(['for all']);
    });
    expect(posts.takeStatements().filter((statement) => statement.includes('id = ANY'))).toHaveLength(1);
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  });

  it('does not deliver a post that is hidden again before its event is delivered', async () => {
    const subscription = await subscribe(viewer);
    const as = await subscribe(author);
    await inTransaction(posts.pool, async (transaction) => {
      await transaction.query('LOCK TABLE outbox_head'); // the relay waits
      const id = await create('seen by its author alone');
      await change(id, { published: false });
    });
    await create('for everybody');
    await eventually(() => expect(titlesOf(subscription)).toEqual(['for everybody']));
    await eventually(() => expect(titlesOf(as)).toEqual(['seen by its author alone', 'for everybody']));
    await Promise.all([subscription.close(), as.close()]);
  });

  it('goes on after an event that was seen, without a gap and without a repetition', async () => {
    const first = await subscribe(viewer);
    await create('seen');
    await eventually(() => expect(titlesOf(first)).toEqual(['seen']));
    const lastEventId = first.results[0]?.extensions?.eventId;
    await first.close();
    await create('missed 1');
    await create('missed 2');
    const second = await subscribe(viewer, lastEventId);
    await create('live');
    await eventually(() => expect(titlesOf(second)).toEqual(['missed 1', 'missed 2', 'live']));
    await second.close();
  });

  it.each(['x', '0', '-1', '1.5', '12345678901234567', '1 OR 1=1'])(
    'rejects %j, which is no id of an event',
    async (lastEventId) => {
      const { rejection, close } = await subscribe(viewer, lastEventId);
      expect(rejection).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', field: 'lastEventId', invalidValue: lastEventId } },
      ]);
      await close();
    },
  );

  it('says so when later events are not stored any more, or never were', async () => {
    const key = 'trellis:{events:posts}:stream';
    const future = await subscribe(viewer, '999999');
    expect(future.rejection).toMatchObject([{ extensions: { code: 'EVENTS_MISSED' } }]);
    await connection.xtrim(key, 'MAXLEN', 1);
    const past = await subscribe(viewer, '1');
    expect(past.rejection).toMatchObject([{ extensions: { code: 'EVENTS_MISSED' } }]);
    await Promise.all([future.close(), past.close()]);
  });

  it('F-05 goes on when Redis was unavailable and has lost all data', async () => {
    const subscription = await subscribe(viewer);
    await create('before');
    await eventually(() => expect(titlesOf(subscription)).toEqual(['before']));
    await connection.flushall();
    await redis.restart();
    await create('after');
    await eventually(() => expect(titlesOf(subscription)).toEqual(['before', 'after']));
    await subscription.close();
  });

  it('delivers a post that is too large for the stream', async () => {
    const subscription = await subscribe(viewer);
    await create('large', { body: 'x'.repeat(50_000) });
    await create('small');
    await eventually(() => expect(titlesOf(subscription)).toEqual(['large', 'small']));
    await subscription.close();
  });
});
