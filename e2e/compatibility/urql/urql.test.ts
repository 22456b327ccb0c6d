import { cacheExchange, Client, fetchExchange, subscriptionExchange, type Exchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import WebSocket from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  ADD_COMMENT,
  authorization,
  COMMENT_ADDED,
  DEFERRED,
  endpoint,
  LIVE,
  NEEDS_STREAM,
  openStage,
  POSTS,
  socketEndpoint,
  STREAMED,
  TOO_LARGE,
  until,
  untilHeard,
  WRONG,
  type Stage,
} from '../scene.ts';

type ClientOptions = ConstructorParameters<typeof Client>[0];

describe('urql', () => {
  let stage: Stage;
  let headers: Record<string, string>;
  const methods: string[] = [];

  beforeAll(async () => {
    [stage, headers] = await Promise.all([
      openStage(),
      authorization().then((value) => ({ authorization: value })),
    ]);
  });
  afterEach(() => void methods.splice(0));
  afterAll(() => stage.remove());

  const recorded: typeof fetch = (input, init) => {
    methods.push(init?.method ?? 'GET');
    return fetch(input, init);
  };

  function connect(
    exchanges: Exchange[] = [cacheExchange, fetchExchange],
    options: Partial<ClientOptions> = {},
  ): Client {
    return new Client({
      url: endpoint,
      exchanges,
      fetch: recorded,
      fetchOptions: () => ({ headers }),
      ...options,
    });
  }

  it(cell('urql', 'query by GET'), async () => {
    const { data } = await connect().query(POSTS, { first: 3 });
    expect((data as { posts: unknown[] }).posts).toHaveLength(3);
    expect(methods).toEqual(['GET']);
  });

  it(cell('urql', 'query by GET without a token'), async () => {
    const client = connect([fetchExchange], { fetchOptions: {} });
    const { data } = await client.query('query Kind { __schema { queryType { name } } }', {});
    expect([data, methods]).toEqual([{ __schema: { queryType: { name: 'Query' } } }, ['GET']]);
  });

  it(cell('urql', 'query'), async () => {
    const fields = Array.from({ length: 9 }, (_, index) => `field${index}${'x'.repeat(240)}: title`);
    const long = POSTS.replace('title', fields.join(' ')); // beyond what it sends in an address
    const { data } = await connect().query(long, { first: 3 });
    expect([data, methods]).toMatchObject([{ posts: [{}, {}, {}] }, ['POST']]);
  });

  it(cell('urql', 'persisted query'), async () => {
    const client = connect([persistedExchange({}), fetchExchange]);
    const query = POSTS.replace('Posts', `Hashed${Date.now()}`);
    for (const first of [1, 2]) {
      const { data } = await client.query(query, { first });
      expect((data as { posts: unknown[] }).posts).toHaveLength(first);
    }
    expect(new Set(methods)).toEqual(new Set(['GET']));
  });

  it(cell('urql', 'why too large a request is rejected'), async () => {
    const query = 'query Search($text: String!) { search(text: $text) { __typename } }';
    const { error } = await connect().query(query, { text: TOO_LARGE });
    expect(error?.graphQLErrors[0]?.extensions['code']).toBe('PAYLOAD_TOO_LARGE');
  });

  it(cell('urql', 'mutation'), async () => {
    const { data } = await connect().mutation(ADD_COMMENT, { postId: stage.postId, body: 'From urql' });
    expect(data).toMatchObject({ addComment: { body: 'From urql' } });
  });

  it(cell('urql', 'errors'), async () => {
    const { error } = await connect().query(WRONG, {});
    expect(error?.graphQLErrors[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });

  it(cell('urql', '@defer'), async () => {
    const results: unknown[] = [];
    const { unsubscribe } = connect([fetchExchange])
      .query(DEFERRED, { first: 2 })
      .subscribe(({ data, hasNext }) => void (hasNext || results.push(data)));
    await until(() => results.length > 0, 'all parts have come');
    expect(results[0]).toMatchObject({ posts: [{ commentCount: expect.any(Number) as number }, {}] });
    unsubscribe();
  });

  it(cell('urql', '@stream'), async () => {
    const lengths: number[] = [];
    const { unsubscribe } = connect()
      .query<{ posts: readonly unknown[] }>(STREAMED, { first: 20 })
      .subscribe(({ data }) => void lengths.push(data?.posts.length ?? 0));
    await until(() => lengths.at(-1) === 20, 'all posts have come');
    expect(lengths).toEqual([2, 12, 20]);
    unsubscribe();
  });

  async function subscribes(client: Client): Promise<void> {
    const heard: string[] = [];
    const { unsubscribe } = client
      .subscription<{ commentAdded: { body: string } }>(COMMENT_ADDED, { postId: stage.heardPostId })
      .subscribe(({ data, error }) => void heard.push(data?.commentAdded.body ?? String(error)));
    await untilHeard(stage, heard);
    unsubscribe();
  }

  it(cell('urql', 'subscription over SSE'), async () => {
    await subscribes(connect([fetchExchange], { fetchSubscriptions: true }));
    const sse = createSseClient({ url: `${endpoint}/stream`, headers });
    await subscribes(
      connect([
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables = {} }) => ({
            subscribe: (sink) => ({ unsubscribe: sse.subscribe({ query, variables }, sink as never) }), // they differ in types of absent data
          }),
        }),
        fetchExchange,
      ]),
    );
    sse.dispose();
  });

  it(cell('urql', 'subscription over WebSocket'), async () => {
    const socket = createWsClient({
      url: socketEndpoint,
      webSocketImpl: WebSocket,
      connectionParams: headers,
    });
    await subscribes(
      connect([
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables = {} }) => ({
            subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink as never) }), // as above
          }),
        }),
        fetchExchange,
      ]),
    );
    await socket.dispose();
  });

  it(cell('urql', '@live over WebSocket'), async () => {
    const socket = createWsClient({
      url: socketEndpoint,
      webSocketImpl: WebSocket,
      connectionParams: headers,
    });
    const overSocket = subscriptionExchange({
      enableAllOperations: true, // queries go over the socket as well
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink as never) }), // as above
      }),
    });
    await followsLive(connect([overSocket]));
    await socket.dispose();
  });

  it(cell('urql', 'why @live over plain HTTP is rejected'), async () => {
    const { error } = await connect([fetchExchange], { fetch: withoutStreams }).query(LIVE, {});
    expect(error?.message).toMatch(NEEDS_STREAM);
  });

  it(cell('urql', '@live over SSE'), () => followsLive(connect([fetchExchange])));

  async function followsLive(client: Client): Promise<void> {
    const results: unknown[] = [];
    const { unsubscribe } = client
      .query(LIVE, {})
      .subscribe(({ data, error }) => void results.push(error ?? data));
    await until(() => results.length > 0, 'the first result has come');
    expect(results[0]).toMatchObject({ me: { name: 'Ada Marlow' } });
    unsubscribe();
  }
});

/** As behind a proxy that lets no streams through. */
const withoutStreams: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    headers: { ...(init?.headers as Record<string, string>), accept: 'application/json' },
  });
