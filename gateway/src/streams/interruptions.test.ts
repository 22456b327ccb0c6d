import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let graph: EventGraph;
let gateway: TestGateway;
let patient: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
  patient = await startTestGateway({
    subgraphs: graph.all,
    settings: 'subscriptions: { afterGap: continue }',
  });
});
beforeEach(() => graph.news.forget());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(() => graph.news.open() === 0, 'all upstream subscriptions have ended');
});
afterAll(async () => {
  await Promise.all([gateway.close(), patient.close()]);
  await graph.close();
});

async function subscribe(to: TestGateway): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${to.url}/graphql`);
  sockets.push(socket);
  socket.subscribe('1', 'subscription { published { id } }');
  await until(() => graph.news.open() === 1);
  return socket;
}

describe('the connection to a subgraph breaks', () => {
  it('and a stream that can be resumed goes on without the client noticing', async () => {
    const socket = await subscribe(gateway);
    graph.news.publish({ id: 'a', eventId: 'e-1' });
    expect(await socket.next()).toMatchObject({ payload: { data: { published: { id: 'a' } } } });
    graph.news.breakSockets();
    await until(() => graph.news.subscribed.length === 2);
    expect(graph.news.subscribed[1]?.extensions).toMatchObject({ lastEventId: 'e-1' });
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'b', eventId: 'e-2' });
    expect(await socket.next()).toMatchObject({
      payload: { data: { published: { id: 'b' } }, extensions: { eventId: 'e-2' } },
    });
  });

  it('and a stream that may have missed something ends with SUBSCRIPTION_INTERRUPTED', async () => {
    const socket = await subscribe(gateway);
    graph.news.breakSockets();
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'SUBSCRIPTION_INTERRUPTED' } }],
    });
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({
        msg: 'upstream subscription interrupted',
        err: expect.objectContaining({ type: 'Error', message: '1006', code: 1006, reason: '' }),
      }),
    );
    socket.subscribe('1', 'subscription { published { id } }');
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'again' });
    expect(await socket.next()).toMatchObject({ payload: { data: { published: { id: 'again' } } } });
  });

  it('and a stream goes on with a gap where the operator says so', async () => {
    const socket = await subscribe(patient);
    graph.news.breakSockets();
    await until(() => graph.news.subscribed.length === 2 && graph.news.open() === 1);
    graph.news.publish({ id: 'after' });
    expect(await socket.next()).toMatchObject({ payload: { data: { published: { id: 'after' } } } });
  });

  it('before it was open: the client gets an error after some attempts', async () => {
    const lost = await startTestGateway({
      subgraphs: graph.all,
      settings: 'subscriptions: { subgraphUrls: { news: "ws://127.0.0.1:9/graphql" } }',
    });
    const socket = await RawSocket.connect(`${lost.url}/graphql`);
    socket.subscribe('1', 'subscription { published { id } }');
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
    await lost.close();
  });
});
