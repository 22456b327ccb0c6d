import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createClient } from 'graphql-sse';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const SETTINGS = `
  subscriptions: { heartbeatMs: 100, bufferBytes: 20000, maxPerUser: 5 }
  live: { minIntervalMs: 50, intervalMs: 60, maxPerUser: 2 }`;
const SUBSCRIPTION = 'subscription { published { id author { name } } }';
const MULTIPART = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

let graph: EventGraph;
let gateway: TestGateway;
const leaving: AbortController[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: SETTINGS });
});
beforeEach(() => graph.news.forget());
afterEach(async () => {
  for (const controller of leaving.splice(0)) controller.abort();
  await until(
    async () => !/trellis_gateway_streams\{.*\} [1-9]/.test(await gateway.metrics.metrics()),
    'all streams have ended',
  );
  await until(() => graph.news.open() === 0, 'all upstream subscriptions have ended');
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

interface Reading {
  readonly response: Response;
  /** Reads on until the text matches. */
  until(pattern: RegExp): Promise<string>;
  leave(): void;
}

async function request(
  path: string,
  accept: string,
  body: Readonly<Record<string, unknown>>,
  init: RequestInit = {},
): Promise<Reading> {
  const controller = new AbortController();
  leaving.push(controller);
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: controller.signal,
    ...init,
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    response,
    leave: () => controller.abort(),
    async until(pattern) {
      while (!pattern.test(text)) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) throw new Error(`The body ended without ${pattern}: ${text}`);
        text += decoder.decode(chunk.value, { stream: true });
      }
      return text;
    },
  };
}

describe('GraphQL over server-sent events', () => {
  it('is written to the letter', async () => {
    const { response, until: read } = await request('/graphql/stream', 'text/event-stream', {
      query: SUBSCRIPTION,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a\n\nb', author: '1' });
    graph.news.complete();
    const text = await read(/event: complete\ndata:\n\n$/);
    expect(text.replaceAll(/^:\n\n/gm, '')).toBe(
      'event: next\ndata: {"data":{"published":{"id":"a\\n\\nb","author":{"name":"User 1"}}}}\n\nevent: complete\ndata:\n\n',
    );
  });

  it('keeps a silent stream alive', async () => {
    const { until: read } = await request('/graphql', 'text/event-stream', { query: SUBSCRIPTION });
    await read(/(:\n\n){3}/);
  });

  it('is served at both addresses, by GET with a header, and to an EventSource of the same origin', async () => {
    const query = `?query=${encodeURIComponent(SUBSCRIPTION)}`;
    const preflighted = { accept: 'text/event-stream', 'apollo-require-preflight': '1' };
    const samePage = { accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' };
    for (const [path, headers] of [
      [`/graphql${query}`, preflighted],
      [`/graphql/stream${query}`, samePage],
    ] as const) {
      const { response } = await request(path, '', {}, { method: 'GET', headers, body: null });
      expect(response.headers.get('content-type')).toContain('text/event-stream');
    }
    const foreign = { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' };
    const { response } = await request(
      `/graphql/stream${query}`,
      '',
      {},
      { method: 'GET', headers: foreign, body: null },
    );
    expect(response.status).toBe(400);
  });

  it('carries no mutation by GET', async () => {
    const path = `/graphql/stream?query=${encodeURIComponent('mutation { bump }')}`;
    const headers = { accept: 'text/event-stream', 'apollo-require-preflight': '1' };
    const { response } = await request(path, '', {}, { method: 'GET', headers, body: null });
    expect(response.status).toBe(405);
  });

  it("is spoken by graphql-sse's own client: subscriptions, queries, errors", async () => {
    const client = createClient({ url: `${gateway.url}/graphql/stream`, retryAttempts: 0 });
    const results: unknown[] = [];
    const ended = (async () => {
      for await (const result of client.iterate({ query: SUBSCRIPTION })) results.push(result);
    })();
    await until(() => graph.news.open() === 1);
    for (const id of ['a', 'b']) graph.news.publish({ id, author: id });
    await until(() => results.length === 2);
    graph.news.complete();
    await ended;
    expect(results[1]).toEqual({ data: { published: { id: 'b', author: { name: 'User b' } } } });
    const once = async (query: string): Promise<unknown> => {
      for await (const result of client.iterate({ query })) return result;
      return undefined;
    };
    expect(await once('{ user(id: "1") { name } }')).toEqual({ data: { user: { name: 'User 1' } } });
    expect(await once('{ noAuthor }')).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    client.dispose();
  });

  it('ends its subscription when the client leaves', async () => {
    const { leave } = await request('/graphql/stream', 'text/event-stream', { query: SUBSCRIPTION });
    await until(() => graph.news.open() === 1);
    leave();
    await until(() => graph.news.open() === 0);
  });

  it('S-075 gives up a client that does not read', async () => {
    await request('/graphql/stream', 'text/event-stream', { query: SUBSCRIPTION });
    await until(() => graph.news.open() === 1);
    const id = 'x'.repeat(500_000);
    await until(() => {
      graph.news.publish({ id });
      return graph.news.open() === 0;
    });
  });

  it('is not how batches are answered: 406 to a client that takes nothing else', async () => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: '[{ "query": "{ __typename }" }]',
      });
      expect([response.status, await response.text()]).toEqual([
        406,
        expect.stringContaining('NOT_ACCEPTABLE'),
      ]);
    }
  });

  it('S-052 is not what a plain POST gets', async () => {
    const { response, until: read } = await request('/graphql', 'application/json', { query: SUBSCRIPTION });
    expect(response.status).toBe(400);
    expect(await read(/\}$/)).toContain(
      'A subscription needs a stream. Send it alone, with \\"accept: text/event-stream\\"',
    );
  });

  it('S-074 has no more streams of one address than allowed', async () => {
    for (let index = 0; index < 5; index += 1)
      expect((await request('/graphql', 'text/event-stream', { query: SUBSCRIPTION })).response.status).toBe(
        200,
      );
    const { response } = await request('/graphql', 'text/event-stream', { query: SUBSCRIPTION });
    expect(response.status).toBe(429);
  });
});

describe('multipart subscriptions', () => {
  it('are written to the letter', async () => {
    const { response, until: read } = await request('/graphql', MULTIPART, { query: SUBSCRIPTION });
    expect(response.headers.get('content-type')).toBe(
      'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
    );
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a', author: '1' });
    graph.news.complete();
    const text = await read(/--graphql--\r\n$/);
    const parts = text.split(/(?:\r\n)?--graphql(?:--)?\r\n/).filter((part) => part !== '');
    expect(parts.filter((part) => !part.endsWith('{}'))).toEqual([
      'content-type: application/json\r\n\r\n{"payload":{"data":{"published":{"id":"a","author":{"name":"User 1"}}}}}',
    ]);
  });

  it('are what Apollo Client 4 reads', async () => {
    const client = new ApolloClient({
      link: new HttpLink({ uri: `${gateway.url}/graphql` }),
      cache: new InMemoryCache(),
    });
    const results: unknown[] = [];
    const subscription = client
      .subscribe({ query: gql(SUBSCRIPTION) })
      .subscribe((result) => results.push(result.data));
    await until(() => graph.news.open() === 1);
    for (const id of ['a', 'b']) graph.news.publish({ id, author: id });
    await until(() => results.length === 2);
    expect(results).toMatchObject([
      { published: { id: 'a', author: { name: 'User a' } } },
      { published: { id: 'b', author: { name: 'User b' } } },
    ]);
    subscription.unsubscribe();
    client.stop();
  });
});

describe('live queries', () => {
  const bump = (): Promise<unknown> => gateway.post({ query: 'mutation { bump }' });
  const countIn = (text: string): number[] =>
    [...text.matchAll(/"count":(\d+)/g)].map(([, count]) => Number(count));

  it('send the first result, and what has changed, and nothing else', async () => {
    const { until: read } = await request('/graphql/stream', 'text/event-stream', {
      query: 'query @live { count }',
    });
    const [first = 0] = countIn(await read(/"count":\d+/));
    await new Promise((resolve) => setTimeout(resolve, 300)); // several ticks without a change
    await bump();
    expect(countIn(await read(new RegExp(`"count":${first + 1}`)))).toEqual([first, first + 1]);
  });

  it('are resolved once for all who ask for the same', async () => {
    graph.news.forget();
    const all = await Promise.all(
      [1, 2].map(() => request('/graphql', MULTIPART, { query: 'query @live(throttle: 5000) { count }' })),
    );
    for (const { until: read } of all) await read(/"count":\d+/);
    expect(graph.news.received).toHaveLength(1);
  });

  it('S-078 are resolved no more often than allowed, and only so many for each', async () => {
    const accept = 'text/event-stream';
    const query = 'query @live(throttle: 1) { count }';
    graph.news.forget();
    const { until: read } = await request('/graphql', accept, { query });
    await read(/"count":\d+/);
    const beganMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(graph.news.received.length).toBeLessThanOrEqual((performance.now() - beganMs) / 50 + 2);
    expect((await request('/graphql', accept, { query })).response.status).toBe(200);
    expect((await request('/graphql', accept, { query })).response.status).toBe(429);
  });

  it('are answered once over a plain response where @live is off', async () => {
    const { body } = await gateway.post({ query: 'query @live(if: false) { count }' });
    expect(body).toEqual({ data: { count: expect.any(Number) as number } });
  });

  it('A7: say over a plain response, by GET and in a batch that they need a stream, and by which header', async () => {
    const query = 'query @live { count }';
    const [batched] = (await gateway.post([{ query }])).bodies;
    for (const body of [(await gateway.post({ query })).body, (await gateway.get({ query })).body, batched])
      expect(body).toEqual({
        errors: [
          {
            message:
              'A live query (@live) needs a stream. Send it alone, with "accept: text/event-stream" or "accept: multipart/mixed;subscriptionSpec=1.0", or over WebSocket.',
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      });
  });

  it('take their arguments from variables', async () => {
    const query = 'query Count($live: Boolean!, $every: Int) @live(if: $live, throttle: $every) { count }';
    const variables = { live: false, every: 1_000 };
    const { until: read } = await request('/graphql/stream', 'text/event-stream', { query, variables });
    await read(/"count":\d+[^]*event: complete/);
  });
});
