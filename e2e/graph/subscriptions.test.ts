import { createClient, type Client } from 'graphql-ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

interface Subscription {
  readonly results: Result[];
  readonly errors: unknown[];
}

type User = Parameters<TokenBook['of']>[0];

/** Subscribes as a client of the gateway does, over a socket of its own. */
async function subscribe(
  user: User,
  query: string,
  variables: Record<string, unknown> = {},
  extensions?: Record<string, unknown>,
): Promise<Subscription> {
  const token = await tokens.of(user);
  const client = createClient({
    url: graph.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    lazy: false,
    connectionParams: { Authorization: `Bearer ${token}` },
  });
  clients.push(client);
  const subscription: Subscription = { results: [], errors: [] };
  client.subscribe(
    { query, variables, ...(extensions && { extensions }) },
    {
      next: (result) => subscription.results.push(result as Result), // as the gateway formats it
      error: (error) => subscription.errors.push(error),
      complete: () => {},
    },
  );
  return subscription;
}

async function write<Data>(user: User, query: string, variables: Record<string, unknown>): Promise<Data> {
  return dataOf(await askGraph<Data>(graph, { query, variables, token: await tokens.of(user) }));
}

let serial = Date.now();
const createPost = async (title: string, input: object = {}): Promise<string> => {
  const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
  const body = `Written for the subscription tests, ${(serial += 1)}.`;
  const { createPost: made } = await write<{ createPost: { post: { id: string } } }>('ed', query, {
    input: { title, body, ...input },
  });
  return made.post.id;
};
const addComment = (postId: string, body: string): Promise<unknown> =>
  write('vi', 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }', {
    postId,
    body,
  });

const eventually = (assertion: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 50 });

/** A subscription begins a moment after it was sent: the write is repeated until an event arrives. */
async function writeUntilDelivered(
  subscription: Subscription,
  writeOnce: () => Promise<unknown>,
): Promise<void> {
  await vi.waitFor(
    async () => {
      await writeOnce();
      await vi.waitFor(() => expect(subscription.results.length).toBeGreaterThan(0), {
        timeout: 500,
        interval: 20,
      });
    },
    { timeout: 90_000, interval: 1 },
  );
}

describe('Subscriptions of the content graph', () => {
  it('postCreated delivers a published post, with fields of other subgraphs', async () => {
    const subscription = await subscribe(
      'vi',
      'subscription { postCreated { id title commentCount author { name role } } }',
    );
    await createPost('a draft', { publishedAt: '2100-01-01T00:00:00Z' });
    await writeUntilDelivered(subscription, () => createPost('published'));
    expect(subscription.results[0]).toMatchObject({
      data: {
        postCreated: {
          title: 'published',
          commentCount: 0,
          author: { name: 'Ed Thornbury', role: 'EDITOR' },
        },
      },
      extensions: { eventId: expect.any(String) },
    });
    expect(subscription.results.map(({ data }) => data?.['postCreated'])).not.toContainEqual(
      expect.objectContaining({ title: 'a draft' }),
    );
  });

  it('S-076 commentAdded delivers comments on its post alone, and goes on after an event that was seen', async () => {
    const [post, other] = [await createPost('with comments'), await createPost('with others')];
    const query =
      'subscription ($id: ID!) { commentAdded(postId: $id) { body author { name } post { title } } }';
    const subscription = await subscribe('ada', query, { id: post });
    await writeUntilDelivered(subscription, async () => {
      await addComment(other, 'elsewhere');
      await addComment(post, 'here');
    });
    for (const { data } of subscription.results)
      expect(data).toEqual({
        commentAdded: { body: 'here', author: { name: 'Vi Castellan' }, post: { title: 'with comments' } },
      });
    await clients.splice(0)[0]?.dispose();
    await addComment(post, 'missed');
    const lastEventId = subscription.results.at(-1)?.extensions?.['eventId'];
    const resumed = await subscribe('ada', query, { id: post }, { lastEventId });
    await eventually(() =>
      expect(resumed.results.at(-1)?.data).toMatchObject({ commentAdded: { body: 'missed' } }),
    );
  });

  it('S-076 commentAdded is rejected for a post that the caller is denied', async () => {
    const draft = await createPost('hidden', { publishedAt: '2100-01-01T00:00:00Z' });
    const subscription = await subscribe(
      'vi',
      'subscription ($id: ID!) { commentAdded(postId: $id) { body } }',
      { id: draft },
    );
    await eventually(() => {
      const errors = [
        ...subscription.errors.flat(),
        ...subscription.results.flatMap((result) => result.errors ?? []),
      ];
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'postId' } }]);
    });
  });

  it('a user who has sent an operation or has a connection open is among onlineUsers', async () => {
    await subscribe('vi', 'subscription { postCreated { id } }');
    await eventually(async () => {
      const { onlineUsers } = await write<{ onlineUsers: { id: string; name: string }[] }>(
        'ada',
        '{ onlineUsers { id name lastSeen } }',
        {},
      );
      const names = onlineUsers.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['Ada Marlow', 'Vi Castellan']));
    });
  });
});
