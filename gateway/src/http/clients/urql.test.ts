import { cacheExchange, Client, fetchExchange, gql, subscriptionExchange, type Exchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWebSocketClient } from 'graphql-ws';
import WebSocket from 'ws';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: EventGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

function connect(exchanges: Exchange[], recorded: Recorded[] = []): Client {
  return new Client({
    url: `${gateway.url}/graphql`,
    exchanges: [cacheExchange, ...exchanges],
    fetch: (input, init) => {
      const { method = 'GET', body } = init ?? {};
      recorded.push({ method, url: input as string, body: typeof body === 'string' ? body : '' }); // urql passes text
      return fetch(input, init);
    },
  });
}

const USER = gql`
  query User($id: ID!) {
    user(id: $id) {
      id
      name
    }
  }
`;

describe('urql', () => {
  it('A3: runs queries, mutations, and distinguishes errors by their codes', async () => {
    const client = connect([fetchExchange]);
    const { data } = await client.query(USER, { id: '1' });
    expect(data).toMatchObject({ user: { name: 'User 1' } });
    const bumped = await client.mutation(gql('mutation { bump }'), {});
    expect(bumped.data).toEqual({ bump: expect.any(Number) as number });
    const { error } = await client.query(gql('{ noAuthor }'), {});
    expect(error?.graphQLErrors[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });

  it('sends a text once, and its hash from then on, by POST', async () => {
    const recorded: Recorded[] = [];
    const client = connect(
      [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange],
      recorded,
    );
    for (const id of ['1', '2']) {
      const { data } = await client.query(USER, { id });
      expect(data).toMatchObject({ user: { id, name: `User ${id}` } });
    }
    expect(recorded.map(({ method, body }) => [method, body.includes('"query"')])).toEqual([
      ['POST', false],
      ['POST', true],
      ['POST', false],
    ]);
  });

  it('A3: sends hashes by GET', async () => {
    const recorded: Recorded[] = [];
    const client = connect([persistedExchange({}), fetchExchange], recorded);
    const query = gql('query ByGet($id: ID!) { user(id: $id) { name } }');
    for (const id of ['1', '2'])
      expect((await client.query(query, { id })).data).toMatchObject({ user: { name: `User ${id}` } });
    const texts = recorded.map(({ url }) => new URL(url).searchParams.has('query'));
    expect([recorded.map(({ method }) => method), texts]).toEqual([
      ['GET', 'GET', 'GET'],
      [false, true, false],
    ]);
  });
});

const SUBSCRIPTION = gql`
  subscription {
    published {
      id
      author {
        name
      }
    }
  }
`;

describe("urql's subscriptions", () => {
  it('are carried by WebSocket', async () => {
    const socket = createWebSocketClient({
      url: `${gateway.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    const forward = subscriptionExchange({
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink as never) }), // "data" may be undefined to one of them
      }),
    });
    await expectEvents(connect([forward, fetchExchange]));
    await socket.dispose();
  });

  it('are carried by server-sent events, with the client of graphql-sse', async () => {
    const stream = createSseClient({ url: `${gateway.url}/graphql/stream`, retryAttempts: 0 });
    const forward = subscriptionExchange({
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({ unsubscribe: stream.subscribe({ query, variables }, sink as never) }), // "data" may be undefined to one of them
      }),
    });
    await expectEvents(connect([forward, fetchExchange]));
    stream.dispose();
  });

  it('are carried by its own fetchExchange', async () => {
    const fetching = new Client({
      url: `${gateway.url}/graphql`,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
    });
    await expectEvents(fetching);
  });

  async function expectEvents(client: Client): Promise<void> {
    const received: unknown[] = [];
    const { unsubscribe } = client.subscription(SUBSCRIPTION, {}).subscribe(({ data, error }) => {
      received.push(error ?? data);
    });
    await until(() => graph.news.open() === 1, 'the subscription is open');
    for (const id of ['a', 'b']) graph.news.publish({ id, author: id });
    await until(() => received.length === 2, 'both events were received');
    expect(received).toMatchObject([
      { published: { id: 'a', author: { name: 'User a' } } },
      { published: { id: 'b', author: { name: 'User b' } } },
    ]);
    unsubscribe();
    await until(() => graph.news.open() === 0, 'the subscription has ended');
  }
});
