import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler, type Incremental } from '@apollo/client/incremental';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stageMagazine } from '../../testing/magazine-stage.ts';

const stage = stageMagazine(50);

interface Seen {
  readonly data: unknown;
  readonly state: string;
}

/** What a component would be shown, one after the other. */
class Watched {
  readonly #seen: Seen[] = [];
  #wake: () => void = () => {};

  constructor(client: ApolloClient, text: string) {
    const query = client.watchQuery({ query: gql(text), errorPolicy: 'all' });
    query.subscribe(({ data, dataState, error }) => {
      this.#seen.push({ data: error ? { data, error } : data, state: dataState });
      this.#wake();
    });
  }

  /** Waits until a state was shown; what was shown in it last. */
  async until(state: string, accepts: (seen: Seen) => boolean = () => true): Promise<unknown> {
    for (;;) {
      const found = this.#seen.find((seen) => seen.state === state && accepts(seen));
      if (found) return found.data;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe.each([
  ['Defer20220824Handler', () => new Defer20220824Handler(), 'deferSpec=20220824'],
  ['GraphQL17Alpha9Handler', () => new GraphQL17Alpha9Handler(), 'incrementalSpec=v0.2'],
])('Apollo Client with its %s', (_name, createHandler, parameter) => {
  const contentTypes: (string | null)[] = [];
  let client: ApolloClient;

  beforeAll(() => {
    const link = new HttpLink({
      uri: `${stage.gateway.url}/graphql`,
      fetch: async (...request) => {
        const response = await fetch(...request);
        contentTypes.push(response.headers.get('content-type'));
        return response;
      },
    });
    client = new ApolloClient({
      link: ApolloLink.from([link]),
      cache: new InMemoryCache(),
      // The library's own types don't agree where optional properties are exact; the linter takes them for any.
      // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
      incrementalHandler: createHandler() as unknown as Incremental.Handler,
    });
  });
  afterEach(() => client.clearStore());
  afterAll(() => client.stop());

  it('shows the first part while the slow subgraph is at work, then the whole', async () => {
    stage.graph.reviewsGate.close();
    const watched = new Watched(
      client,
      '{ post { id title author { id name } ...@defer { rating author { id fame } } } }',
    );
    expect(await watched.until('streaming')).toEqual({
      post: {
        __typename: 'Post',
        id: 'p1',
        title: 'First',
        author: { __typename: 'Author', id: 'ada', name: 'Ada' },
      },
    });
    expect(contentTypes.at(-1)).toContain(parameter);
    stage.graph.reviewsGate.open();
    expect(await watched.until('complete')).toEqual({
      post: {
        __typename: 'Post',
        id: 'p1',
        title: 'First',
        rating: 5,
        author: { __typename: 'Author', id: 'ada', name: 'Ada', fame: 7 },
      },
    });
  });

  it('adds parts to the elements of a list, one inside another', async () => {
    const watched = new Watched(
      client,
      '{ posts { id ...@defer(label: "outer") { title ...@defer(label: "inner") { rating views } } } }',
    );
    expect(await watched.until('complete')).toEqual({
      posts: [
        { __typename: 'Post', id: 'p1', title: 'First', rating: 5, views: 100 },
        { __typename: 'Post', id: 'p2', title: 'Second', rating: 5, views: 100 },
      ],
    });
  });

  it('gets the errors of a part beside its data', async () => {
    const watched = new Watched(client, '{ post { id ...@defer { lost rating } } }');
    const seen = await watched.until('complete', ({ data }) => JSON.stringify(data).includes('error'));
    expect(seen).toMatchObject({ data: { post: { id: 'p1', lost: null, rating: 5 } } });
    const { error } = seen as { readonly error: unknown };
    if (!CombinedGraphQLErrors.is(error)) throw new Error('No errors of the graph were received.');
    expect(error.errors).toMatchObject([{ path: ['post', 'lost'] }]);
  });

  it('shows the first items of a streamed list, then all', async () => {
    stage.graph.reviewsGate.close();
    const watched = new Watched(client, '{ posts @stream(initialCount: 0) { id rating } }');
    const holds =
      (count: number) =>
      ({ data }: Seen) =>
        JSON.stringify(data).split('"id"').length === count + 1;
    expect(await watched.until('complete', holds(0))).toEqual({ posts: [] }); // a list is complete to it as it grows
    expect(contentTypes.at(-1)).toContain(parameter);
    stage.graph.reviewsGate.open();
    expect(await watched.until('complete', holds(2))).toEqual({
      posts: [
        { __typename: 'Post', id: 'p1', rating: 5 },
        { __typename: 'Post', id: 'p2', rating: 5 },
      ],
    });
  });

  it('adds streamed items after those that it has, with their errors', async () => {
    const watched = new Watched(client, '{ posts @stream(initialCount: 1, label: "P") { id title lost } }');
    const seen = await watched.until('complete', ({ data }) => JSON.stringify(data).includes('"Second"'));
    expect(seen).toMatchObject({
      data: {
        posts: [
          { id: 'p1', title: 'First', lost: null },
          { id: 'p2', title: 'Second', lost: null },
        ],
      },
    });
    const { error } = seen as { readonly error: unknown };
    if (!CombinedGraphQLErrors.is(error)) throw new Error('No errors of the graph were received.');
    expect(error.errors.map(({ path }) => path)).toEqual([
      ['posts', 0, 'lost'],
      ['posts', 1, 'lost'],
    ]);
  });

  it('gets a query without deferral as JSON', async () => {
    const { data } = await client.query({ query: gql('{ post { id title } }') });
    expect(data).toMatchObject({ post: { title: 'First' } });
    expect(contentTypes.at(-1)).toContain('json');
  });
});
