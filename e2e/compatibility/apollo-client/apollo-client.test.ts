import { createHash } from 'node:crypto';
import {
  ApolloClient,
  type ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  split,
} from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { getMainDefinition } from '@apollo/client/utilities';
import { Kind, OperationTypeNode } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
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

interface Posts {
  readonly posts: readonly { readonly title: string; readonly commentCount?: number | null }[];
}
interface Comment {
  readonly commentAdded: { readonly body: string };
}
type Handler = Pick<ConstructorParameters<typeof ApolloClient>[0], 'incrementalHandler'>;

const posts = gql(POSTS);

describe('Apollo Client 4', () => {
  let stage: Stage;
  let headers: Record<string, string>;
  let socket: Client;
  const clients: ApolloClient[] = [];
  const methods: string[] = [];

  beforeAll(async () => {
    [stage, headers] = await Promise.all([
      openStage(),
      authorization().then((value) => ({ authorization: value })),
    ]);
    socket = createClient({ url: socketEndpoint, webSocketImpl: WebSocket, connectionParams: headers });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.stop();
    methods.splice(0);
  });
  afterAll(async () => {
    await socket.dispose();
    await stage.remove();
  });

  const recorded: typeof fetch = (input, init) => {
    methods.push(init?.method ?? 'GET');
    return fetch(input, init);
  };

  function connect(link: ApolloLink, handler: Handler = {}): ApolloClient {
    const cache = new InMemoryCache({ possibleTypes: { Comment: ['TextComment'] } });
    const client = new ApolloClient({ link, cache, ...handler });
    clients.push(client);
    return client;
  }

  function overHttp(options: Partial<HttpLink.Options> = {}): HttpLink {
    return new HttpLink({ uri: endpoint, headers, fetch: recorded, ...options });
  }

  it(cell('Apollo Client', 'query'), async () => {
    const client = connect(overHttp());
    const { data } = await client.query<Posts>({ query: posts, variables: { first: 3 } });
    expect(data?.posts).toHaveLength(3);
    expect(client.readQuery<Posts>({ query: posts, variables: { first: 3 } })).toEqual(data);
  });

  it(cell('Apollo Client', 'query by GET'), async () => {
    const client = connect(overHttp({ useGETForQueries: true }));
    const { data } = await client.query<Posts>({ query: posts, variables: { first: 2 } });
    expect([data?.posts.length, methods]).toEqual([2, ['GET']]);
  });

  it(cell('Apollo Client', 'query by GET without a token'), async () => {
    const client = connect(overHttp({ useGETForQueries: true, headers: {} }));
    const { data } = await client.query({ query: gql('query Kind { __schema { queryType { name } } }') });
    expect([data, methods]).toMatchObject([{ __schema: { queryType: { name: 'Query' } } }, ['GET']]);
  });

  it(cell('Apollo Client', 'persisted query'), async () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(overHttp());
    const query = gql(POSTS.replace('Posts', `Hashed${Date.now()}`));
    for (const first of [1, 2]) {
      const { data } = await connect(link).query<Posts>({ query, variables: { first } });
      expect(data?.posts).toHaveLength(first);
    }
    expect(methods).toEqual(['GET', 'POST', 'GET']);
  });

  it(cell('Apollo Client', 'batch'), async () => {
    const client = connect(new BatchHttpLink({ uri: endpoint, headers, fetch: recorded }));
    const asked = [1, 2, 3].map((first) => client.query<Posts>({ query: posts, variables: { first } }));
    const results = await Promise.all(asked);
    expect(results.map(({ data }) => data?.posts.length)).toEqual([1, 2, 3]);
    expect(methods).toEqual(['POST']);
  });

  it(cell('Apollo Client', 'why a batch is rejected'), async () => {
    const client = connect(new BatchHttpLink({ uri: endpoint, headers, batchMax: 12 }));
    const asked = Array.from({ length: 12 }, (_, first) =>
      client.query({ query: posts, variables: { first } }),
    );
    for (const result of await Promise.allSettled(asked))
      expect(result).toMatchObject({
        reason: { message: expect.stringContaining('limit "batch" of 10') as string },
      });
  });

  it(cell('Apollo Client', 'why too large a request is rejected'), async () => {
    const query = gql('query Search($text: String!) { search(text: $text) { __typename } }');
    const ask = (link: ApolloLink): Promise<unknown> =>
      connect(link).query({ query, variables: { text: TOO_LARGE } });
    await expect(ask(overHttp())).rejects.toThrow(/1048576 bytes/);
    const [failure] = await Promise.allSettled(
      [1, 2].map(() => ask(new BatchHttpLink({ uri: endpoint, headers }))),
    );
    expect(failure).toMatchObject({
      reason: { statusCode: 413, bodyText: expect.stringContaining('PAYLOAD_TOO_LARGE') as string },
    });
  });

  it(cell('Apollo Client', 'mutation'), async () => {
    const variables = { postId: stage.postId, body: 'From Apollo Client' };
    const { data } = await connect(overHttp()).mutate({ mutation: gql(ADD_COMMENT), variables });
    expect(data).toMatchObject({ addComment: { body: 'From Apollo Client' } });
  });

  it(cell('Apollo Client', 'errors'), async () => {
    const { error } = await connect(overHttp()).query({ query: gql(WRONG), errorPolicy: 'all' });
    const code = CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.['code'];
    expect(code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  async function defers(handler: Handler): Promise<void> {
    const { data } = await connect(overHttp(), handler).query<Posts>({
      query: gql(DEFERRED),
      variables: { first: 2 },
    });
    expect(data?.posts).toMatchObject([{ commentCount: expect.any(Number) as number }, {}]);
  }

  it(cell('Apollo Client', '@defer'), async () => {
    await defers({ incrementalHandler: new Defer20220824Handler() });
    await defers({ incrementalHandler: new GraphQL17Alpha9Handler() as never }); // its types lag behind its own client's
  });

  /** How long the list is each time that the client shows it. */
  async function streams(handler: Handler): Promise<readonly number[]> {
    const lengths: number[] = [];
    const shown = connect(overHttp(), handler).watchQuery<Posts>({
      query: gql(STREAMED),
      variables: { first: 20 },
    });
    const subscription = shown.subscribe(({ data }) => void lengths.push(data?.posts?.length ?? 0));
    await until(() => lengths.at(-1) === 20, 'all posts have come');
    subscription.unsubscribe();
    return [...new Set(lengths)].filter((length) => length > 0);
  }

  it(cell('Apollo Client', '@stream'), async () => {
    expect(await streams({ incrementalHandler: new Defer20220824Handler() })).toEqual([2, 12, 20]);
    const newer = new GraphQL17Alpha9Handler() as never; // as above
    expect(await streams({ incrementalHandler: newer })).toEqual([2, 12, 20]);
  });

  async function subscribes(link: ApolloLink): Promise<void> {
    const heard: string[] = [];
    const query = gql(COMMENT_ADDED);
    const subscription = connect(link)
      .subscribe<Comment>({ query, variables: { postId: stage.heardPostId } })
      .subscribe({
        next: ({ data, error }) => void heard.push(data?.commentAdded.body ?? JSON.stringify(error)),
      });
    await untilHeard(stage, heard);
    subscription.unsubscribe();
  }

  it(cell('Apollo Client', 'subscription over multipart'), () => subscribes(overHttp()));

  it(cell('Apollo Client', 'subscription over WebSocket'), () =>
    subscribes(
      split(
        ({ query }) => {
          const definition = getMainDefinition(query);
          return (
            definition.kind === Kind.OPERATION_DEFINITION &&
            definition.operation === OperationTypeNode.SUBSCRIPTION
          );
        },
        new GraphQLWsLink(socket),
        overHttp(),
      ),
    ),
  );

  it(cell('Apollo Client', '@live over WebSocket'), async () => {
    const results: unknown[] = [];
    const subscription = connect(new GraphQLWsLink(socket))
      .watchQuery({ query: gql(LIVE) })
      .subscribe(({ data, dataState }) => {
        if (dataState === 'complete') results.push(data);
      });
    await until(() => results.length > 0, 'the first result has come');
    expect(results[0]).toMatchObject({ me: { name: 'Ada Marlow' } });
    subscription.unsubscribe();
  });

  it(cell('Apollo Client', 'why @live over plain HTTP is rejected'), async () => {
    await expect(connect(overHttp()).query({ query: gql(LIVE) })).rejects.toThrow(NEEDS_STREAM);
  });
});
