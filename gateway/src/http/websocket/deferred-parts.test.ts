import { latencyBudgetMs, until } from '@trellis/testkit';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startMagazineGraph, type MagazineGraph } from '../../testing/magazine-graph.ts';
import { RawSocket, type Frame } from '../../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: MagazineGraph;
let gateway: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  graph = await startMagazineGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
  graph.reviewsGate.open();
  graph.statsGate.open();
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

async function connect(payload: Readonly<Record<string, unknown>> = {}): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`, payload);
  sockets.push(socket);
  return socket;
}

const DEFERRED = '{ post { title ...@defer(label: "R") { rating } } }';
const NEXT = { id: '1', type: 'next' };
const COMPLETE = { id: '1', type: 'complete' };

describe('@defer over WebSocket', () => {
  it('sends the first part while the slow subgraph is still at work, and completes after the last', async () => {
    graph.reviewsGate.close();
    const socket = await connect();
    socket.subscribe('1', DEFERRED);
    expect(await socket.next()).toEqual({
      ...NEXT,
      payload: { data: { post: { title: 'First' } }, hasNext: true },
    });
    graph.reviewsGate.open();
    expect(await socket.next()).toEqual({
      ...NEXT,
      payload: { incremental: [{ label: 'R', path: ['post'], data: { rating: 5 } }], hasNext: false },
    });
    expect(await socket.next()).toEqual(COMPLETE);
  });

  it('speaks incrementalSpec=v0.2 to clients that say so when they connect', async () => {
    graph.reviewsGate.close();
    const socket = await connect({ incrementalSpec: 'v0.2' });
    socket.subscribe('1', DEFERRED);
    expect(await socket.next()).toEqual({
      ...NEXT,
      payload: {
        data: { post: { title: 'First' } },
        pending: [{ id: '0', path: ['post'], label: 'R' }],
        hasNext: true,
      },
    });
    graph.reviewsGate.open();
    expect(await socket.next()).toEqual({
      ...NEXT,
      payload: {
        incremental: [{ id: '0', data: { rating: 5 } }],
        completed: [{ id: '0' }],
        hasNext: false,
      },
    });
    expect(await socket.next()).toEqual(COMPLETE);
  });

  it('answers other operations of the connection meanwhile', async () => {
    graph.reviewsGate.close();
    const socket = await connect();
    socket.subscribe('1', DEFERRED);
    expect(await socket.next()).toMatchObject({ id: '1', payload: { hasNext: true } });
    socket.subscribe('2', '{ post { title } }');
    expect(await socket.next()).toEqual({
      id: '2',
      type: 'next',
      payload: { data: { post: { title: 'First' } } },
    });
    expect(await socket.next()).toEqual({ id: '2', type: 'complete' });
    graph.reviewsGate.open();
    expect(await socket.next()).toMatchObject({ id: '1', payload: { hasNext: false } });
  });

  it('answers at once what is not deferred after all', async () => {
    const socket = await connect();
    socket.subscribe('1', 'query Q($late: Boolean!) { post { title ...@defer(if: $late) { rating } } }', {
      variables: { late: false },
    });
    expect(await socket.next()).toEqual({
      ...NEXT,
      payload: { data: { post: { title: 'First', rating: 5 } } },
    });
    expect(await socket.next()).toEqual(COMPLETE);
  });

  it("is read by graphql-ws' own client", async () => {
    const client = createClient({
      url: `${gateway.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    const parts: unknown[] = [];
    for await (const part of client.iterate({ query: DEFERRED })) parts.push(part);
    await client.dispose();
    expect(parts).toEqual([
      { data: { post: { title: 'First' } }, hasNext: true },
      { incremental: [{ label: 'R', path: ['post'], data: { rating: 5 } }], hasNext: false },
    ]);
  });
});

describe('S-079 work on a deferred part', () => {
  const ways: readonly (readonly [string, (socket: RawSocket) => void])[] = [
    ['completes the operation', (socket) => socket.send({ id: '1', type: 'complete' })],
    ['closes the connection', (socket) => socket.close()],
    ['is gone', (socket) => socket.socket.terminate()],
  ];

  it.each(ways)('ends within 100 ms when the client %s', async (_what, leave) => {
    const tookMs: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      graph.reviewsGate.close();
      const before = graph.reviews.aborted();
      const asked = graph.reviews.received.length;
      const socket = await connect();
      socket.subscribe('1', DEFERRED);
      await socket.next();
      await until(() => graph.reviews.received.length === asked + 1);
      const beganMs = performance.now();
      leave(socket);
      await until(() => graph.reviews.aborted() >= before + 1);
      tookMs.push(performance.now() - beganMs);
      expect(socket.frames).toEqual([]);
      graph.reviewsGate.open();
    }
    expect(Math.min(...tookMs)).toBeLessThan(latencyBudgetMs(100)); // the gateway waits for nothing
  });

  it('leaves the other operations of the connection alone', async () => {
    graph.reviewsGate.close();
    const socket = await connect();
    socket.subscribe('1', DEFERRED);
    socket.subscribe('2', DEFERRED.replace('title', 'title id'));
    await socket.next();
    await socket.next();
    socket.send({ id: '1', type: 'complete' });
    graph.reviewsGate.open();
    expect(await socket.next()).toMatchObject({ id: '2', payload: { hasNext: false } });
    expect(await socket.next()).toEqual({ id: '2', type: 'complete' });
  });
});

describe('S-079 a deferred part', () => {
  it('has nothing that the client is denied, and no subgraph is asked for it', async () => {
    graph.stats.forget();
    const socket = await connect();
    socket.subscribe('1', '{ post { title ...@defer(label: "I") { income } } }');
    const frames: Frame[] = [];
    while (frames.at(-1)?.type !== 'complete') frames.push(await socket.next());
    const text = JSON.stringify(frames);
    expect(text).toContain('"income":null');
    expect(text).toContain('"code":"UNAUTHENTICATED"');
    expect(graph.stats.received).toEqual([]);
  });

  it('S-075 does not wait without bound for a client that does not read', async () => {
    const narrow = await startTestGateway({
      subgraphs: graph.all,
      settings: `
        limits: { aliases: 100, cost: 100000 }
        subscriptions: { bufferBytes: 20000 }`,
    });
    const socket = await RawSocket.connect(`${narrow.url}/graphql`);
    socket.socket.pause();
    const summaries = Array.from({ length: 90 }, (_, index) => `s${index}: summary`).join(' ');
    const query = `{ posts { title ...@defer { ${summaries} } } }`;
    const isGivenUp = async (): Promise<boolean> =>
      /slow_consumers_total\{.*\} 1/.test(await narrow.metrics.metrics());
    let asked = 0;
    await until(async () => {
      if (socket.socket.readyState === WebSocket.OPEN) socket.subscribe(String((asked += 1)), query);
      return isGivenUp();
    });
    socket.socket.resume();
    expect([1006, 1013]).toContain((await socket.closed).code);
    await narrow.close();
  });
});

describe('S-079 @defer inside a subscription', () => {
  it('is rejected, and the connection goes on', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { published { title ...@defer { rating } } }');
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    socket.subscribe('1', '{ post { title } }');
    expect(await socket.next()).toMatchObject(NEXT);
  });

  it.each(['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'])(
    'is rejected with 400 over %s',
    async (accept) => {
      const headers = { accept: `${accept}, application/graphql-response+json` };
      const response = await gateway.post(
        { query: 'subscription { published { title ...@defer { rating } } }' },
        headers,
      );
      expect(response.status).toBe(400);
      expect(response.body.errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
    },
  );
});
