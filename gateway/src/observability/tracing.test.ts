import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

let collector: Server;
let bodies: string[];
let subgraph: SubgraphServer;
let issuer: TokenIssuer;
let gateway: TestGateway;

async function start(environment: Record<string, string>, settings = '{}'): Promise<TestGateway> {
  return startTestGateway({
    subgraphs: [subgraph],
    settings,
    environment: {
      ...issuer.environment,
      ...environment,
    },
  });
}

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  [subgraph, issuer] = await Promise.all([
    startSubgraph({
      name: 'echo',
      typeDefs: gql`
        type Query {
          echo(text: String): String
          fail: Int
        }
      `,
      resolvers: {
        Query: {
          echo: (_: unknown, { text }: { text: string }) => text,
          fail: () => {
            throw new Error('no');
          },
        },
      },
    }),
    startTokenIssuer(),
  ]);
});
afterAll(async () => {
  await Promise.all([subgraph.close(), issuer.close()]);
  collector.closeAllConnections();
  collector.close();
});
beforeEach(async () => {
  bodies = [];
  subgraph.forget();
  const { port } = collector.address() as AddressInfo; // it listens on TCP
  gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
});

/** All spans of the gateway, which sends them at the latest when it is closed. */
async function closeAndCollect(): Promise<readonly ReceivedSpan[]> {
  await gateway.close();
  return bodies.flatMap((body) =>
    (JSON.parse(body) as ExportRequest).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('W3C Trace Context', () => {
  it('goes from the client through operation, plan and fetch to the subgraph', async () => {
    await gateway.post(
      { query: 'query Say { echo(text: "hello") }' },
      { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' },
    );
    const { traceparent, tracestate } = subgraph.received[0]?.headers ?? {};
    const spans = await closeAndCollect();
    const named = (name: string): ReceivedSpan | undefined => spans.find((span) => span.name === name);
    const operation = named('graphql.operation');
    const fetch = named('graphql.fetch echo');
    expect(spans.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE, TRACE]);
    expect(operation?.parentSpanId).toBe(PARENT);
    expect(named('graphql.plan')?.parentSpanId).toBe(operation?.spanId);
    expect(fetch?.parentSpanId).toBe(operation?.spanId);
    expect(traceparent).toBe(`00-${TRACE}-${fetch?.spanId}-01`);
    expect(tracestate).toBe('vendor=1');
    expect(operation?.attributes).toContainEqual({
      key: 'graphql.operation.name',
      value: { stringValue: 'Say' },
    });
  });

  it('is followed in what the client decided about recording', async () => {
    await gateway.post({ query: '{ echo(text: "a") }' }, { traceparent: `00-${TRACE}-${PARENT}-00` });
    expect(subgraph.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(await closeAndCollect()).toEqual([]);
  });

  it('G14: is recorded for no more clients than its share, whatever they want', async () => {
    await gateway.close();
    const { port } = collector.address() as AddressInfo; // it listens on TCP
    const endpoint = `http://127.0.0.1:${port}`;
    gateway = await start({}, `telemetry: { tracing: { endpoint: "${endpoint}", sampleRatio: 0 } }`);
    await gateway.post({ query: '{ echo(text: "a") }' }, { traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(subgraph.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(await closeAndCollect()).toEqual([]);
  });

  it('begins here where the client has none, or nonsense', async () => {
    await gateway.post({ query: '{ echo(text: "a") }' }, { traceparent: 'nonsense' });
    const spans = await closeAndCollect();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.find(({ name }) => name === 'graphql.operation')?.parentSpanId ?? '').toBe('');
  });

  it('record what failed', async () => {
    await gateway.post({ query: '{ fail }' });
    const operation = (await closeAndCollect()).find(({ name }) => name === 'graphql.operation');
    expect(operation?.attributes).toContainEqual({
      key: 'trellis.error.code',
      value: { stringValue: 'INTERNAL_SERVER_ERROR' },
    });
  });
});

describe('Events and ticks', () => {
  let graph: EventGraph;
  beforeAll(async () => {
    graph = await startEventGraph();
  });
  afterAll(() => graph.close());
  beforeEach(async () => {
    await gateway.close();
    graph.people.forget();
    graph.news.forget();
    const { port } = collector.address() as AddressInfo; // it listens on TCP
    gateway = await startTestGateway({
      subgraphs: graph.all,
      settings: 'live: { minIntervalMs: 20, intervalMs: 20 }',
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    });
  });

  async function subscribe(query: string): Promise<RawSocket> {
    const socket = await RawSocket.connect(`${gateway.url}/graphql`);
    socket.send({ type: 'subscribe', id: '1', payload: { query } });
    return socket;
  }

  it('of a subscription are traces of their own, linked to the operation, and carried on to subgraphs', async () => {
    const socket = await subscribe('subscription Traced { published { id author { name } } }');
    await until(() => graph.news.open() === 1);
    for (const id of ['1', '2']) graph.news.publish({ id, author: 'ada' });
    await until(() => graph.people.received.length === 2);
    const carried = graph.people.received.map(({ headers }) => headers['traceparent']);
    socket.close();
    const spans = await closeAndCollect();
    const operation = spans.find(({ name }) => name === 'graphql.operation');
    const events = spans.filter(({ name }) => name === 'graphql.event');
    const fetches = spans.filter(({ name }) => name === 'graphql.fetch people');
    expect(events.map(({ links }) => links?.[0]?.spanId)).toEqual([operation?.spanId, operation?.spanId]);
    expect(new Set([operation, ...events].map((span) => span?.traceId)).size).toBe(3);
    // Two events may run at a time, and end in any order.
    expect([fetches.length, carried.length]).toEqual([2, 2]);
    expect(new Set(fetches.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set(events.map(({ spanId }) => spanId)),
    );
    expect(new Set(carried)).toEqual(
      new Set(fetches.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)),
    );
  });

  it('of a burst of events are each its own, down to the subgraph', async () => {
    const socket = await subscribe('subscription Traced { published { id author { name } } }');
    await until(() => graph.news.open() === 1);
    const ids = Array.from({ length: 100 }, (_, index) => String(index));
    for (const id of ids) graph.news.publish({ id, author: `author ${id}` });
    await until(() => graph.people.received.length === ids.length);
    socket.close();
    const spans = await closeAndCollect();
    const events = spans.filter(({ name }) => name === 'graphql.event');
    const fetches = spans.filter(({ name }) => name === 'graphql.fetch people');
    expect(events).toHaveLength(ids.length);
    expect(fetches).toHaveLength(ids.length);
    expect(new Set(fetches.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set(events.map(({ spanId }) => spanId)),
    );
  });

  it('of a query with deferred parts are one trace, in which those have a span until the last is sent', async () => {
    const query = '{ count ... @defer { user(id: "ada") { name } } }';
    const headers = { 'content-type': 'application/json', accept: 'multipart/mixed' };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    expect(await response.text()).toContain('"hasNext":false');
    const spans = await closeAndCollect();
    const operation = spans.find(({ name }) => name === 'graphql.operation');
    const deferred = spans.find(({ name }) => name === 'graphql.deferred');
    expect([deferred?.traceId, deferred?.parentSpanId]).toEqual([operation?.traceId, operation?.spanId]);
    const fetched = spans.find(({ name }) => name === 'graphql.fetch people');
    expect(fetched?.traceId).toBe(operation?.traceId);
    expect(graph.people.received[0]?.headers['traceparent']).toBe(
      `00-${fetched?.traceId}-${fetched?.spanId}-01`,
    );
  });

  it('of a live query are traces of their own, linked to the operation', async () => {
    const socket = await subscribe('query @live { count }');
    await until(() => graph.news.received.length >= 2);
    socket.close();
    const spans = await closeAndCollect();
    const operation = spans.find(({ name }) => name === 'graphql.operation');
    const tick = spans.find(({ name }) => name === 'graphql.tick');
    const fetch = spans.find(
      ({ name, parentSpanId }) => name === 'graphql.fetch news' && parentSpanId === tick?.spanId,
    );
    expect(tick?.links?.[0]?.spanId).toBe(operation?.spanId);
    expect(graph.news.received.map(({ headers }) => headers['traceparent'])).toContain(
      `00-${tick?.traceId}-${fetch?.spanId}-01`,
    );
  });
});

describe('Traces and logs', () => {
  it('S-100 hold no token, no variable and no text of an operation', async () => {
    const token = await issuer.sign();
    const bad = `${token.slice(0, -8)}AAAAAAAA`;
    const query = 'query ($text: String) { echo(text: $text) fail other: echo(text: "in the text") }';
    for (const authorization of [`Bearer ${token}`, `Bearer ${bad}`])
      await gateway.post(
        { query, variables: { text: 'in a variable' } },
        { authorization, cookie: 'session=in-a-cookie' },
      );
    await gateway.post(
      { query, variables: { text: 7 } },
      { authorization: `Basic ${Buffer.from('user:password').toString('base64')}` },
    );
    const logged = JSON.stringify(gateway.logged());
    const spans = await closeAndCollect();
    expect(spans.length).toBeGreaterThan(2);
    expect(logged).toContain('operation ended');
    for (const text of [logged, bodies.join('')]) {
      for (const secret of [token, bad, token.split('.')[2] ?? '', 'in-a-cookie', 'dXNlcjpwYXNzd29yZA'])
        expect(text).not.toContain(secret);
      expect(text).not.toContain('in a variable');
      expect(text).not.toContain('in the text');
    }
  });

  it('go on without a collector', async () => {
    await gateway.close();
    gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const result = await gateway.post({ query: '{ echo(text: "a") }' });
    expect(result.body.data).toEqual({ echo: 'a' });
    await gateway.close();
  });
});
