import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'one',
    typeDefs: gql`
      type Query {
        one: Int
      }
    `,
    resolvers: { Query: { one: () => 1 } },
  });
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    settings: 'http: { maxConnections: 8, trustProxy: [127.77.0.1] }',
  });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(async () => /trellis_gateway_connections\{.*\} 0/.test(await gateway.metrics.metrics()));
});

interface Client {
  readonly socket: Socket;
  received(): string;
}

/** Connects, and says nothing. */
async function open(localAddress: string): Promise<Client> {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await once(socket, 'connect');
  return { socket, received: () => text };
}

/** Asks by a plain request, and by one that is not. */
async function ask({ socket, received }: Client): Promise<string> {
  const body = '{"query":"{ one }"}';
  const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`${head}\r\n${body}`);
  await until(() => received().includes('{"data":{"one":1}}'));
  socket.write(`GET /health/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\n\r\n`);
  await until(() => received().includes('live'));
  return received();
}

describe('A POST that asks for HTTP/2 besides', () => {
  const body = '{"query":"{ one }"}';

  it.each([
    ['Java', 'Connection: Upgrade, HTTP2-Settings', 'AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAABgAGAAA'],
    ['curl', 'Connection: Upgrade, HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
  ])('G5: is answered as any other, each time, as %s sends it', async (_client, connection, settings) => {
    const { socket, received } = await open('127.0.0.1');
    for (let time = 1; time <= 2; time += 1) {
      socket.write(
        `POST /graphql HTTP/1.1\r\n${connection}\r\nUpgrade: h2c\r\nHTTP2-Settings: ${settings}\r\nHost: localhost\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await expect.poll(() => received().split('{"data":{"one":1}}').length).toBe(time + 1);
    }
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

describe('G9: connections that are open and idle', () => {
  it('are never all of one address: it gets 429, and others are served', async () => {
    for (let index = 0; index < 4; index += 1) await open('127.0.0.1');
    const rejected = await open('127.0.0.1');
    await until(() => rejected.received().includes('\r\n\r\n{'));
    expect(rejected.received()).toMatch(/^HTTP\/1\.1 429 [^]*\r\nRetry-After: 1\r\n[^]*Too many connections/);
    expect(await ask(await open('127.9.0.1'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are as many as the process takes: then everybody gets 503', async () => {
    for (let index = 0; index < 8; index += 1) await open(`127.${index}.0.1`);
    const rejected = await open('127.9.0.1');
    await until(() => rejected.received().includes('\r\n\r\n{'));
    expect(rejected.received()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 1\r\n/);
    expect(await gateway.metrics.metrics()).toMatch(/rejected_total\{transport="http",reason="total".*\} 1/);
  });

  it('are not counted for a proxy that is trusted', async () => {
    const clients: Client[] = [];
    for (let index = 0; index < 7; index += 1) clients.push(await open('127.77.0.1'));
    for (const client of clients) expect(await ask(client)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
