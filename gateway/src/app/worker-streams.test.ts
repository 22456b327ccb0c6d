import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const CLIENTS = 8;
const SUBSCRIPTION = 'subscription { published { id author { name } } }';

let graph: EventGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, environment: { WORKERS: '2' } });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

/** Connections go to the workers in turns. */
async function connectAll(): Promise<readonly RawSocket[]> {
  const sockets: RawSocket[] = [];
  for (let index = 0; index < CLIENTS; index += 1)
    sockets.push(await RawSocket.connect(`${gateway.url}/graphql`));
  return sockets;
}

async function openStreams(): Promise<number> {
  const text = await gateway.metrics.metrics();
  return Number(/trellis_gateway_streams\{kind="subscription".*\} (\d+)/.exec(text)?.[1]);
}

describe('Streams of a gateway with two workers', () => {
  it('are not those of single connection mode, each of which lives in one process', async () => {
    const response = await fetch(`${gateway.url}/graphql/stream`, { method: 'PUT' });
    expect([response.status, await response.text()]).toEqual([
      405,
      expect.stringContaining('Use distinct connections.'),
    ]);
  });

  it('share one subscription in each worker, and F-13 end with 1012 when the gateway does', async () => {
    const sockets = await connectAll();
    for (const socket of sockets) socket.subscribe('1', SUBSCRIPTION);
    await until(async () => (await openStreams()) === CLIENTS && graph.news.open() === 2);
    graph.news.publish({ id: 'a', author: '1' });
    for (const socket of sockets)
      expect(await socket.next()).toEqual({
        id: '1',
        type: 'next',
        payload: { data: { published: { id: 'a', author: { name: 'User 1' } } } },
      });
    expect(graph.people.received).toHaveLength(2);
    const stream = await fetch(`${gateway.url}/graphql/stream`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: SUBSCRIPTION }),
    });
    await gateway.close();
    for (const socket of sockets)
      expect(await socket.closed).toEqual({ code: 1012, reason: 'Service restart' });
    expect(await stream.text()).not.toContain('complete'); // a disconnected client reconnects
    await until(() => graph.news.open() === 0);
  });
});
