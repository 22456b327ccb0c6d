import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

/** More than the buffers of two sockets hold. */
const RESPONSE_BYTES = 10_000_000;
const BOUND_BYTES = 32_000_000;
const CLIENTS = 8;

let subgraph: SubgraphServer;
let gateway: TestGateway;
const clients: { destroy(): void; resume?(): void }[] = [];

beforeAll(async () => {
  const big = 'x'.repeat(RESPONSE_BYTES);
  subgraph = await startSubgraph({
    name: 'big',
    typeDefs: gql`
      type Query {
        big: String
        item: Item
        small: Int
      }
      type Item @key(fields: "id") {
        id: ID
        big: String
      }
    `,
    resolvers: { Query: { big: () => big, item: () => ({ id: '1', big }), small: () => 1 } },
  });
  // 80 MB take a subgraph on a busy machine longer than the default of 10 s.
  const settings = `
    timeouts: { requestMs: 100000, subgraphMs: 100000 }
    http: { unread: { bytes: ${BOUND_BYTES}, callerBytes: ${BOUND_BYTES} } }
    subscriptions: { bufferBytes: 100000000 }`;
  gateway = await startTestGateway({ subgraphs: [subgraph], settings });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await until(async () => (await metric('trellis_gateway_unread_bytes')) === 0);
  await until(async () => (await metric('trellis_gateway_requests_in_flight')) === 0);
});

async function metric(name: string): Promise<number> {
  const found = await gateway.metrics.getSingleMetric(name)?.get();
  return found?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN;
}

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // being cut off is what is to happen
  clients.push(socket);
  await once(socket, 'connect');
  return socket.pause();
}

function request(body: unknown, headers: readonly string[] = []): string {
  const text = JSON.stringify(body);
  const lines = ['POST /graphql HTTP/1.1', 'Host: localhost', `Content-Length: ${text.length}`, ...headers];
  return [...lines, 'Content-Type: application/json', '', text].join('\r\n');
}

const BIG = { query: '{ big }' };
const DEFERRED = { query: '{ small ... @defer { item { big } } }' };

/** Each way in which a response reaches a client, and a client that reads nothing of it. */
const TRANSPORTS: Readonly<Record<string, () => Promise<void>>> = {
  'a plain request': () => send(request(BIG)),
  "the framework's path": () => send(request(BIG, ['Cookie: a', 'Expect: 100-continue'])),
  'pipelined requests': () => send(request(BIG) + request(BIG)),
  'a batch': () => send(request([BIG, { query: '{ small }' }])),
  'parts that come later': () => send(request(DEFERRED, ['Accept: multipart/mixed;deferSpec=20220824'])),
  'a stream of one result': () => send(request(BIG, ['Accept: text/event-stream'])),
  'a WebSocket': async () => {
    const socket = new WebSocket(gateway.url.replace('http', 'ws') + '/graphql', 'graphql-transport-ws');
    clients.push({ destroy: () => socket.terminate() });
    socket.on('error', () => undefined);
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    socket.pause();
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: BIG }));
  },
};

async function send(text: string): Promise<void> {
  (await open()).write(text);
}

describe('G7: clients that ask for megabytes and read nothing', () => {
  it.each(Object.entries(TRANSPORTS))('have a bounded number of bytes waiting: %s', async (_name, ask) => {
    const before = await metric('trellis_gateway_unread_cut_offs_total');
    for (let index = 0; index < CLIENTS; index += 1) await ask();
    await until(async () => (await metric('trellis_gateway_unread_cut_offs_total')) - before >= CLIENTS - 4);
    const waiting = await metric('trellis_gateway_unread_bytes');
    expect(waiting).toBeGreaterThan(RESPONSE_BYTES / 2);
    expect(waiting).toBeLessThanOrEqual(BOUND_BYTES);
  });

  it.each(['a plain request', "the framework's path"])(
    'are in flight until they have read: %s',
    async (name) => {
      await TRANSPORTS[name]?.();
      await until(async () => (await metric('trellis_gateway_unread_bytes')) >= RESPONSE_BYTES);
      expect(await metric('trellis_gateway_requests_in_flight')).toBe(1);
      for (const client of clients) client.resume?.();
      await until(async () => (await metric('trellis_gateway_requests_in_flight')) === 0);
      expect(await metric('trellis_gateway_unread_bytes')).toBe(0);
    },
  );
});
