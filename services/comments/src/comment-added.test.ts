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
import { createKnownPostStore, type PostFacts } from './known-post-store.ts';
import { buildServer } from './server.ts';

const user = (role: Role): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [author, reader, editor] = [user('EDITOR'), user('VIEWER'), user('EDITOR')];

let redis: TestRedis;
let connection: RedisConnection;
let comments: TestSubgraph;
let relay: Background;
let wakeUp: RelayWakeUp | undefined;

beforeAll(async () => {
  redis = await startTestRedis();
  connection = connectRedis({ url: redis.url, name: 'test', onError: () => {} });
  comments = await startTestSubgraph({
    service: 'comments',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, posts: undefined }),
    redisUrl: redis.url,
    wakeRelay: () => wakeUp?.poke(),
  });
  const logger = createLogger({ service: 'comments', level: 'silent' });
  wakeUp = createRelayWakeUp({ service: 'comments', pool: comments.pool, logger });
  relay = startRelay({
    service: 'comments',
    pool: comments.pool,
    stream: createEventStream({ redis: connection, service: 'comments' }),
    wakeUp,
    logger,
    metrics: createMetrics('comments'),
  });
});
afterAll(async () => {
  await relay.close();
  await wakeUp?.close();
  await comments.close();
  connection.disconnect();
  await redis.stop();
});

const hear = (post: PostFacts): Promise<void> =>
  inTransaction(comments.pool, (transaction) =>
    createKnownPostStore(comments.pool).save(transaction, [post]),
  );

async function knownPost(published = true): Promise<PostFacts> {
  const post = { id: createId(), authorId: author.user?.id ?? '', published };
  await hear(post);
  return post;
}

interface Added {
  readonly commentAdded: { readonly body: string };
}

const subscribe = (as: UserContext, postId: string) =>
  comments.subscribe<Added>({
    query:
      'subscription ($postId: ID!) { commentAdded(postId: $postId) { body createdAt author { id } post { id } ... on TextComment { edited } } }',
    variables: { postId },
    as,
  });

async function add(postId: string, body: string, as = author): Promise<string> {
  const { data } = await comments.ask<{ addComment: { id: string } }>({
    query: 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }',
    variables: { postId, body },
    as,
  });
  return data.addComment.id;
}

/** Events arrive within moments; ten seconds are for a busy machine. */
const eventually = (assertion: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 10 });

const bodiesOf = ({ results }: { readonly results: readonly { readonly data?: Added | null }[] }) =>
  results.map(({ data }) => data?.commentAdded.body);

describe('Subscription.commentAdded', () => {
  it('delivers new comments on its post, and nothing else', async () => {
    const [post, other] = [await knownPost(), await knownPost()];
    const subscription = await subscribe(reader, post.id);
    const id = await add(post.id, 'first', reader);
    await add(other.id, 'elsewhere');
    await comments.ask({
      query: `mutation { editComment(id: "${id}", body: "changed") { id } }`,
      as: reader,
    });
    await add(post.id, 'last');
    await eventually(() => expect(subscription.results).toHaveLength(2));
    expect(['first', 'changed']).toContain(bodiesOf(subscription)[0]); // as it is when the event is read
    expect(subscription.results[1]).toMatchObject({
      data: {
        commentAdded: { body: 'last', edited: false, author: { id: author.user?.id }, post: { id: post.id } },
      },
      extensions: { eventId: expect.stringMatching(/^\d+$/) },
    });
    await subscription.close();
  });

  it.each([
    ['an unknown post', createId()],
    ['no id', 'x'],
  ])('is rejected for %s', async (_what, postId) => {
    const { rejection, close } = await subscribe(reader, postId);
    expect(rejection).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', field: 'postId', invalidValue: postId } },
    ]);
    await close();
  });

  it('S-050 of a draft is for those who may see it, and denied to others as if there were none', async () => {
    const draft = await knownPost(false);
    const rejected = await subscribe(reader, draft.id);
    expect(rejected.rejection).toMatchObject([{ message: 'There is no such post.' }]);
    const subscriptions = [await subscribe(author, draft.id), await subscribe(editor, draft.id)];
    await add(draft.id, 'on a draft');
    for (const subscription of subscriptions)
      await eventually(() => expect(bodiesOf(subscription)).toEqual(['on a draft']));
    await Promise.all([rejected, ...subscriptions].map(({ close }) => close()));
  });

  it('falls silent for those who are denied the post from then on, and speaks again when they are allowed', async () => {
    const post = await knownPost();
    const subscriptions = [await subscribe(reader, post.id), await subscribe(author, post.id)];
    const [ofReader, ofAuthor] = subscriptions as [(typeof subscriptions)[0], (typeof subscriptions)[0]];
    await hear({ ...post, published: false });
    await add(post.id, 'hidden');
    await eventually(() => expect(bodiesOf(ofAuthor)).toEqual(['hidden']));
    await hear({ ...post, published: true });
    await add(post.id, 'shown');
    await eventually(() => expect(bodiesOf(ofReader)).toEqual(['shown']));
    await Promise.all(subscriptions.map(({ close }) => close()));
  });

  it('leaves nothing behind when it ends', async () => {
    const post = await knownPost();
    for (let count = 0; count < 3; count += 1) await (await subscribe(reader, post.id)).close();
    await eventually(async () => {
      const gauge = await comments.metrics.getSingleMetric('trellis_subscribers')?.get();
      expect(gauge?.values.map(({ value }) => value)).toEqual([0]);
    });
  });
});
