import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { until } from '../../testing/until.ts';

let graph: EventGraph;
let gateway: TestGateway;
let url: string;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
  url = `${gateway.url}/graphql`;
});
beforeEach(() => {
  graph.news.forget();
  graph.people.forget();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(() => graph.news.open() === 0, 'all subscriptions at the subgraph have ended');
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

async function connect(payload?: Readonly<Record<string, unknown>>): Promise<RawSocket> {
  const socket = await RawSocket.connect(url, payload);
  sockets.push(socket);
  return socket;
}

describe('subscriptions over WebSocket', () => {
  it('complete each event with what another subgraph knows', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { published { id author { name } } }');
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a', author: '7' });
    expect(await socket.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { published: { id: 'a', author: { name: 'Person 7' } } } },
    });
    graph.news.complete();
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
  });
});
