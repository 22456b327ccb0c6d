import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;
let release: () => void;
const sockets: Socket[] = [];

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'numbers',
    typeDefs: gql`
      type Query {
        echo(value: String): String
        slow: String
        large(bytes: Int!): String
      }
    `,
    resolvers: {
      Query: {
        echo: (_parent: unknown, { value }: { readonly value: string }) => value,
        slow: () => new Promise((resolve) => (release = () => resolve('at last'))),
        large: (_parent: unknown, { bytes }: { readonly bytes: number }) => 'é'.repeat(bytes / 2),
      },
    },
  });
  const settings = 'timeouts: { subgraphMs: 60000 }'; // longer than tests wait: what ends a call was not its time-out
  gateway = await startTestGateway({ subgraphs: [subgraph], settings });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});
beforeEach(() => {
  release = () => undefined;
  subgraph.forget();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection, and what has come back on it. */
interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  readonly responses: () => number;
}

async function open(): Promise<Client> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  return { socket, received: () => text, responses: () => text.split('HTTP/1.1 ').length - 1 };
}

function post(query: string, headers: readonly string[] = []): string {
  const body = JSON.stringify({ query });
  const framing = ['Host: localhost', `Content-Length: ${Buffer.byteLength(body)}`];
  return ['POST /graphql HTTP/1.1', ...framing, 'Content-Type: application/json', ...headers, '', body].join(
    '\r\n',
  );
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // as the flag says

const echo = (value: string): string => post(`{ echo(value: "${value}") }`);

/** Whether the subgraph was asked for a field by this name: what others asked before may still arrive. */
const isCalled = (alias: string): boolean =>
  subgraph.received.some(({ query }) => query.includes(`${alias}:`));

/** Says that the framework's server is to answer. */
const NOT_PLAIN = 'Expect: 100-continue';

describe('A connection with plain requests', () => {
  it('has them answered one after the other', async () => {
    const client = await open();
    for (const [index, value] of ['first', 'second', 'third'].entries()) {
      client.socket.write(echo(value));
      await until(() => client.responses() === index + 1);
      expect(client.received()).toContain(`{"data":{"echo":"${value}"}}`);
    }
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(client.received()).toMatch(/\r\ndate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT\r\n/);
  });

  it.each([
    ['data', '{ echo(value: "a") }', []],
    ['what is not ASCII', '{ echo(value: "ü€😀") }', []],
    ['an error of validation', '{ unknown }', []],
    [
      'an error under the media type of GraphQL',
      '{ unknown }',
      ['Accept: application/graphql-response+json'],
    ],
  ])('gets the same as from the framework: %s', async (_what, query, headers) => {
    const [plain, whole] = [await open(), await open()];
    plain.socket.write(post(query, headers));
    whole.socket.write(post(query, [...headers, NOT_PLAIN]));
    await until(() => plain.responses() === 1 && whole.responses() === 2);
    const [, , ofFramework = ''] = whole.received().split('HTTP/1.1 ');
    const [, ofPlain = ''] = plain.received().split('HTTP/1.1 ');
    expect(partsOf(ofPlain)).toEqual(partsOf(ofFramework));
  });

  it('is answered a body that is no JSON, or of another type, with a rejection, and goes on', async () => {
    const client = await open();
    client.socket.write(post('{ echo }').replace('{"query"', '["query"'));
    await until(() => client.responses() === 1);
    expect(client.received()).toContain('HTTP/1.1 400 ');
    client.socket.write(post('{ echo }').replace('application/json', 'text/plain'));
    await until(() => client.responses() === 2);
    expect(client.received()).toContain('UNSUPPORTED_MEDIA_TYPE');
    client.socket.write(echo('still here'));
    await until(() => client.received().includes('still here'));
  });

  it('has large responses compressed where it accepts that', async () => {
    const client = await open();
    const bytes: Buffer[] = [];
    client.socket.on('data', (chunk: Buffer) => bytes.push(chunk));
    client.socket.write(post('{ large(bytes: 20000) }', ['Accept-Encoding: gzip']));
    await until(() => client.responses() === 1 && isComplete(Buffer.concat(bytes)));
    expect(client.received()).toContain('content-encoding: gzip');
    expect(client.received()).toContain('accept-encoding');
    const all = Buffer.concat(bytes);
    const body = gunzipSync(all.subarray(all.indexOf('\r\n\r\n') + 4)).toString();
    expect(body).toBe(`{"data":{"large":"${'é'.repeat(10_000)}"}}`);
  });
});

function isComplete(response: Buffer): boolean {
  const at = response.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/.exec(response.toString('latin1'))?.[1]);
  return at > 0 && response.length === at + 4 + length;
}

/** Without what is different each time. */
function partsOf(response: string): unknown {
  const [head = '', body] = response.split('\r\n\r\n');
  const [status, ...headers] = head.toLowerCase().split('\r\n');
  return {
    status,
    headers: headers.filter((line) => !/^(?:x-request-id|date):/.test(line)).toSorted(),
    body,
  };
}

describe('A connection goes over to the framework', () => {
  it('with a request that arrives in pieces', async () => {
    const client = await open();
    client.socket.write(echo('whole'));
    await until(() => client.responses() === 1);
    const text = echo('in pieces');
    for (const piece of [text.slice(0, 30), text.slice(30, -5), text.slice(-5)]) {
      client.socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(() => client.received().includes('in pieces'));
    client.socket.write(echo('and on'));
    await until(() => client.received().includes('and on'));
  });

  it('S-061 with requests that do not wait for their responses, in order', async () => {
    const client = await open();
    client.socket.write(Array.from({ length: 50 }, (_, index) => echo(`n${index};`)).join(''));
    await until(() => client.responses() === 50);
    const order = [...client.received().matchAll(/n(\d+);/g)].map(([, number]) => Number(number));
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('S-061 with requests that come while another one is answered, in order', async () => {
    const client = await open();
    client.socket.write(post('{ slow }'));
    await until(() => subgraph.received.length === 1);
    client.socket.write(echo('later'));
    client.socket.write(echo('end'));
    release();
    await until(() => client.received().includes('end'));
    expect(client.received()).toMatch(/at last.*later.*end/s);
  });

  it('with another path, and an upgrade', async () => {
    const client = await open();
    client.socket.write(echo('plain'));
    await until(() => client.responses() === 1);
    client.socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => client.responses() === 2);
    client.socket.write(
      'GET /graphql HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    await until(() => client.received().includes('101 Switching Protocols'));
  });

  it('S-060 with a length and a coding at once, which is rejected', async () => {
    const client = await open();
    client.socket.write(post('{ echo }', ['Transfer-Encoding: chunked']));
    await until(() => client.received().includes('HTTP/1.1 400'));
    expect(subgraph.received).toHaveLength(0);
  });
});

describe('A client that leaves', () => {
  it('ends the subgraph requests', async () => {
    const before = subgraph.aborted();
    const client = await open();
    client.socket.write(post('{ left: slow }'));
    await until(() => isCalled('left'));
    client.socket.destroy();
    await until(() => subgraph.aborted() >= before + 1);
    expect(await inFlight()).toBe(0);
  });

  it.each([
    ['300 KB behind its request', 300_000],
    ['more than it may', 3_000_000],
  ])('G14: ends the subgraph requests though it has sent %s', async (_what, bytes) => {
    const before = subgraph.aborted();
    const client = await open();
    client.socket.write(post('{ ended: slow }'));
    await until(() => isCalled('ended'));
    client.socket.end('x'.repeat(bytes));
    await until(() => subgraph.aborted() >= before + 1);
    await until(async () => (await inFlight()) === 0);
  });

  it('G14: gets its response, and may ask again what it has sent behind it, where that was more than is buffered', async () => {
    const client = await open();
    let hasEnded = false;
    client.socket.on('end', () => (hasEnded = true));
    client.socket.write(post('{ slow }'));
    await until(() => subgraph.received.length === 1);
    await sendAll(client.socket, Buffer.from(echo('x'.repeat(200)).repeat(1_000)));
    release();
    await until(() => hasEnded);
    expect(client.received()).toContain('at last');
    expect(client.received()).toContain('connection: close');
    expect([client.responses(), subgraph.received.length]).toEqual([1, 1]);
  });

  it('G14: leaves little in memory, however much it sends before its response', async () => {
    const aborted = subgraph.aborted();
    const clients = await Promise.all(Array.from({ length: 40 }, open));
    for (const { socket } of clients) socket.write(post('{ slow }'));
    await until(async () => (await inFlight()) === clients.length);
    const before = heldBytes();
    const bytes = Buffer.alloc(900_000, 'x');
    await Promise.all(clients.map(({ socket }) => sendAll(socket, bytes)));
    await until(() => heldBytes() - before < 12_000_000, 'of 36 MB a third at most is held'); // what is on its way is held as well
    for (const { socket } of clients) socket.destroy();
    await until(() => subgraph.aborted() >= aborted + subgraph.received.length);
    await until(async () => (await inFlight()) === 0);
  });

  it('S-061 gives back all the places of requests that waited for their turn, and ends their calls', async () => {
    const before = subgraph.aborted();
    const client = await open();
    const unread = [
      post('{ echo }').replace('{"query"', '["query"'),
      post('{ echo }', ['Cookie: a']).slice(0, -3),
    ];
    client.socket.write([post('{ one: slow }'), post('{ other: slow }'), ...unread].join(''));
    await until(() => isCalled('one') && isCalled('other'));
    client.socket.destroy();
    await until(() => subgraph.aborted() >= before + 2);
    await until(async () => (await inFlight()) === 0);
  });

  it('S-061 holds no place with a rejection that waits for its turn', async () => {
    const client = await open();
    const rejected = post('{ echo }').replace('application/json', 'text/plain');
    client.socket.write([post('{ before: slow }'), ...Array.from({ length: 20 }, () => rejected)].join(''));
    await until(() => isCalled('before'));
    await until(async () => (await inFlight()) === 1);
    release();
    await until(() => client.responses() === 21);
  });

  it('and one that reads late gets everything', async () => {
    const client = await open();
    client.socket.pause();
    client.socket.write(post('{ read: large(bytes: 4000000) }'));
    await until(() => isCalled('read'));
    client.socket.write(echo('after it'));
    client.socket.resume();
    await until(() => client.received().includes('after it'));
    expect(client.received().length).toBeGreaterThan(4_000_000);
  });

  it('and one that asks on without reading, until the gateway has to wait for it, loses nothing', async () => {
    const client = await open();
    const { socket } = client;
    const question = post('{ large(bytes: 10000) }');
    socket.write(question);
    await until(() => client.responses() === 1); // it is planned
    socket.pause();
    let asked = 0;
    for (; asked < 600; asked += 1) {
      const before = subgraph.received.length;
      socket.write(question);
      if (!(await cameWithin(() => subgraph.received.length > before))) break; // it keeps this one until the others are read
    }
    expect(asked).toBeGreaterThan(1);
    socket.resume();
    await until(() => client.responses() === 1 + Math.min(asked + 1, 600));
    socket.write(echo('and on'));
    await until(() => client.received().includes('and on'));
  });
});

/** @returns when the system has taken them */
function sendAll(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

/** Bytes in buffers of this process, once garbage is collected. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

async function inFlight(): Promise<number> {
  const metrics = await gateway.metrics.metrics();
  return Number(/trellis_gateway_requests_in_flight\{[^}]*\} (\d+)/.exec(metrics)?.[1]);
}

async function cameWithin(condition: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 100; turn += 1) {
    if (condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}
