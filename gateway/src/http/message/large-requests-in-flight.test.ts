import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const BOUND_BYTES = 2_000_000;
const MESSAGE_BYTES = 300_000;
const CLIENTS = 8;

let subgraph: SubgraphServer;
let gateway: TestGateway;
let response = (): void => undefined;
const clients: { destroy(): void }[] = [];

beforeAll(async () => {
  const waits = new Promise<void>((resolve) => (response = resolve));
  subgraph = await startSubgraph({
    name: 'one',
    typeDefs: gql`
      type Query {
        one: Int
        slow(text: String): Int
      }
    `,
    resolvers: { Query: { one: () => 1, slow: () => waits.then(() => 1) } },
  });
  const settings = `http: { inFlight: { bytes: ${BOUND_BYTES} } }`;
  gateway = await startTestGateway({ subgraphs: [subgraph], settings });
});
afterAll(async () => {
  response();
  await gateway.close();
  await subgraph.close();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await until(async () => (await metric('trellis_gateway_in_flight_bytes')) === 0);
});

async function metric(name: string): Promise<number> {
  const found = await gateway.metrics.getSingleMetric(name)?.get();
  return found?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN;
}

const SLOW = { query: 'query ($text: String) { slow(text: $text) }' };
const LARGE = JSON.stringify({ ...SLOW, variables: { text: 'x'.repeat(MESSAGE_BYTES) } });
const PACKED = gzipSync(LARGE);
const HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
/** Of a frame of text of 900,000 bytes that is masked with zeros. RFC 6455 §5.2. */
const FRAME_HEAD = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0d, 0xbb, 0xa0, 0, 0, 0, 0]);
const FRAGMENT_HEAD = Buffer.from([0x01, 0xff, 0, 0, 0, 0, 0, 0x01, 0xd4, 0xc0, 0, 0, 0, 0]);

const PIECE = Buffer.alloc(120_000);

/** @returns whether the gateway rejected it, as soon as that is known */
type Attack = () => Promise<() => boolean>;

async function open(...sent: readonly (string | Buffer)[]): Promise<() => boolean> {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  clients.push(socket);
  socket.on('error', () => undefined); // being rejected is what is to happen
  const text = receivedBy(socket);
  for (const bytes of sent) socket.write(bytes);
  await once(socket, 'connect');
  return () => socket.destroyed || text().includes('429');
}

function receivedBy(socket: Socket): () => string {
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  return () => text;
}

async function openWebSocket(): Promise<WebSocket> {
  const socket = new WebSocket(gateway.url.replace('http', 'ws') + '/graphql', 'graphql-transport-ws');
  clients.push({ destroy: () => socket.terminate() });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

async function sendFrames(...frames: readonly Buffer[]): Promise<() => boolean> {
  const upgrade = ['GET /graphql HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];
  const keys = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const protocol = 'Sec-WebSocket-Protocol: graphql-transport-ws';
  const init = Buffer.from('{"type":"connection_init"}');
  const head = Buffer.from([0x81, 0x80 | init.length, 0, 0, 0, 0]);
  return open([...upgrade, ...keys, protocol, '', ''].join('\r\n'), head, init, ...frames);
}

/** Each way to have a process hold what was sent. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'bodies that never end': () => open(`${HEAD}Content-Length: 900000\r\n\r\n`, LARGE),
  'bodies without a length': () =>
    open(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${LARGE.length.toString(16)}\r\n${LARGE}\r\n`),
  'small bodies that unpack to large ones, and never end': () =>
    open(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 60000\r\n\r\n`, PACKED),
  'small bodies that unpack to large ones': () =>
    open(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${PACKED.length}\r\n\r\n`, PACKED),
  'requests that wait for a subgraph': () => open(`${HEAD}Content-Length: ${LARGE.length}\r\n\r\n${LARGE}`),
  'frames that never end': () => sendFrames(FRAME_HEAD, Buffer.alloc(MESSAGE_BYTES)),
  'messages in pieces that never end': () =>
    sendFrames(FRAGMENT_HEAD, PIECE, Buffer.from([0]), FRAGMENT_HEAD.subarray(1), PIECE),
  'operations on WebSockets that wait': async () => {
    const socket = await openWebSocket();
    let isRejected = false;
    socket.on('message', (data: Buffer) => (isRejected ||= data.includes('RATE_LIMITED')));
    for (let id = 0; id < 2; id += 1)
      socket.send(JSON.stringify({ id: `${id}`, type: 'subscribe', payload: JSON.parse(LARGE) as unknown }));
    return () => isRejected || socket.readyState !== socket.OPEN;
  },
};

describe('G7: clients that send megabytes and wait for no response', () => {
  it.each(Object.entries(ATTACKS))('have a share of a bounded number of bytes: %s', async (_name, attack) => {
    const rejected: (() => boolean)[] = [];
    for (let index = 0; index < CLIENTS; index += 1) rejected.push(await attack());
    await until(async () => rejected.filter((isRejected) => isRejected()).length >= CLIENTS / 2);
    const held = await metric('trellis_gateway_in_flight_bytes');
    expect(held).toBeGreaterThan(BOUND_BYTES / 8);
    expect(held).toBeLessThanOrEqual(BOUND_BYTES / 2 + 100_000);
    expect((await sendLarge('127.9.0.1')).slice(0, 12)).toBe('HTTP/1.1 200');
  });

  it('get 429 with a sentence', async () => {
    const rejected: (() => boolean)[] = [];
    for (let index = 0; index < CLIENTS; index += 1)
      rejected.push(await open(`${HEAD}Content-Length: 900000\r\n\r\n`, LARGE)); // bodies that never end
    await until(() => rejected.some((isRejected) => isRejected())); // its share is full
    expect(await sendLarge('127.0.0.1')).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n[^]*large requests/i);
  });

  it('hold nothing when they leave while a body is unpacked', async () => {
    const head = `${HEAD}Content-Encoding: gzip\r\nContent-Length: ${PACKED.length}\r\n\r\n`;
    for (let round = 0; round < 100; round += 1) {
      const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), PACKED]), resolve));
      if (round % 2 === 0) await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
    await until(async () => (await metric('trellis_gateway_in_flight_bytes')) === 0);
    await pause(100);
    expect(await metric('trellis_gateway_in_flight_bytes')).toBe(0);
  });

  it('hold nothing when they have been answered', async () => {
    for (let round = 0; round < 20; round += 1)
      expect((await sendLarge('127.0.0.1')).slice(0, 12)).toBe('HTTP/1.1 200');
    const socket = await openWebSocket();
    let completed = 0;
    socket.on('message', (data: Buffer) => (completed += data.includes('"complete"') ? 1 : 0));
    for (let id = 0; id < 20; id += 1) {
      const payload = { query: '{ one }', extensions: { text: 'x'.repeat(MESSAGE_BYTES) } };
      socket.send(JSON.stringify({ id: `${id}`, type: 'subscribe', payload }));
      await until(async () => completed > id);
    }
    expect(await metric('trellis_gateway_in_flight_bytes')).toBe(0);
  });
});

/** A request of 300,000 bytes that is answered at once. */
async function sendLarge(localAddress: string): Promise<string> {
  const port = Number(new URL(gateway.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  clients.push(socket);
  const body = JSON.stringify({ query: `{ one } #${'x'.repeat(MESSAGE_BYTES)}` });
  const text = receivedBy(socket);
  socket.write(`${HEAD}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  await once(socket, 'close');
  return text();
}
