import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: EventGraph;
let gateway: TestGateway;
const clients: ApolloClient[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.stop();
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

function connect(link: ApolloLink): ApolloClient {
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  clients.push(client);
  return client;
}

/** What went over the wire, oldest first. */
interface Recording {
  readonly requests: { readonly method: string; readonly url: URL; readonly body: string }[];
  readonly fetch: typeof fetch;
}

function record(): Recording {
  const requests: Recording['requests'] = [];
  return {
    requests,
    fetch: (input, init) => {
      const { method = 'GET', body } = init ?? {};
      const text = typeof body === 'string' ? body : '';
      requests.push({ method, url: new URL(input as string), body: text }); // its links pass addresses as text
      return fetch(input, init);
    },
  };
}

const USER = gql`
  query User($id: ID!) {
    user(id: $id) {
      id
      name
    }
  }
`;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe("Apollo Client's PersistedQueryLink", () => {
  it('sends a text once, and its hash from then on', async () => {
    const { requests, fetch: recorded } = record();
    const http = new HttpLink({ uri: `${gateway.url}/graphql`, fetch: recorded });
    const client = connect(new PersistedQueryLink({ sha256 }).concat(http));
    for (const id of ['1', '2']) {
      const { data } = await client.query({ query: USER, variables: { id } });
      expect(data).toMatchObject({ user: { id, name: `User ${id}` } });
    }
    expect(requests.map(({ body }) => body.includes('"query"'))).toEqual([false, true, false]);
  });

  it('A3: asks by GET', async () => {
    const { requests, fetch: recorded } = record();
    const http = new HttpLink({
      uri: `${gateway.url}/graphql`,
      fetch: recorded,
    });
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
    const query = gql('query ByGet { user(id: "9") { name } }');
    for (const fetchPolicy of ['network-only', 'network-only'] as const) {
      const { data } = await connect(link.concat(http)).query({ query, fetchPolicy });
      expect(data).toMatchObject({ user: { name: 'User 9' } });
    }
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    expect(requests[2]?.url.searchParams.has('query')).toBe(false);
  });
});

describe("Apollo Client's BatchHttpLink", () => {
  it('sends five operations that come within 20 ms as one, and each has its own outcome', async () => {
    const { requests, fetch: recorded } = record();
    const uri = `${gateway.url}/graphql`;
    const client = connect(new BatchHttpLink({ uri, batchMax: 5, batchInterval: 20, fetch: recorded }));
    const ids = ['1', '2', '3', '4'];
    const results = await Promise.allSettled([
      ...ids.map((id) => client.query({ query: USER, variables: { id } })),
      client.query({ query: gql('{ noAuthor }') }),
    ]);
    const bodies = requests.map(({ body }) => JSON.parse(body) as readonly unknown[]);
    expect(bodies.map((body) => body.length)).toEqual([5]);
    expect(results.map(({ status }) => status)).toEqual([...ids.map(() => 'fulfilled'), 'rejected']);
    const [, second, , , wrong] = results;
    expect(second).toMatchObject({ value: { data: { user: { name: 'User 2' } } } });
    expect(wrong).toMatchObject({
      reason: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    });
  });

  it('carries persisted queries', async () => {
    const { requests, fetch: recorded } = record();
    const batch = new BatchHttpLink({
      uri: `${gateway.url}/graphql`,
      batchMax: 5,
      batchInterval: 20,
      fetch: recorded,
    });
    const client = connect(new PersistedQueryLink({ sha256 }).concat(batch));
    const query = gql('query Batched($id: ID!) { user(id: $id) { name } }');
    const ask = (ids: readonly string[]): Promise<unknown[]> =>
      Promise.all(ids.map((id) => client.query({ query, variables: { id } })));
    await ask(['1', '2']);
    requests.splice(0);
    expect(await ask(['3', '4'])).toMatchObject([
      { data: { user: { name: 'User 3' } } },
      { data: { user: { name: 'User 4' } } },
    ]);
    expect(requests.map(({ body }) => body.includes('"query"'))).toEqual([false]);
  });
});

describe("Apollo Client's HttpLink", () => {
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

  it('reads subscriptions over multipart to their end', async () => {
    const client = connect(new HttpLink({ uri: `${gateway.url}/graphql` }));
    const received: unknown[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      const next = ({ data }: { readonly data?: unknown }): void => void received.push(data);
      client.subscribe({ query: SUBSCRIPTION }).subscribe({ next, error: reject, complete: resolve });
    });
    await until(() => graph.news.open() === 1);
    for (const id of ['a', 'b']) graph.news.publish({ id, author: id });
    await until(() => received.length === 2);
    graph.news.complete();
    await ended;
    expect(received).toMatchObject([
      { published: { id: 'a', author: { name: 'User a' } } },
      { published: { id: 'b', author: { name: 'User b' } } },
    ]);
  });

  it('ends an upstream subscription when no client listens any more', async () => {
    const client = connect(new HttpLink({ uri: `${gateway.url}/graphql` }));
    const subscription = client.subscribe({ query: SUBSCRIPTION }).subscribe(() => undefined);
    await until(() => graph.news.open() === 1);
    subscription.unsubscribe();
    await until(() => graph.news.open() === 0);
  });

  it('learns why a subscription is rejected', async () => {
    const client = connect(new HttpLink({ uri: `${gateway.url}/graphql` }));
    const query = gql('subscription { guarded { id } }');
    const rejection = await new Promise<unknown>((resolve) => {
      client.subscribe({ query }).subscribe({ next: ({ error }) => resolve(error), error: resolve });
    });
    expect(rejection).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});
