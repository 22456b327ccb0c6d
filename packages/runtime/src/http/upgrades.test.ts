import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { onWebSocketRequest } from './upgrades.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const sockets: Socket[] = [];
let held: (() => void) | undefined;

/** Answers the request that is held back, as soon as it has arrived. */
async function release(): Promise<void> {
  await expect.poll(() => held).toBeDefined();
  held?.();
  held = undefined;
}

async function start(isListening: boolean): Promise<FastifyInstance> {
  const server = createHttpServer({ logger });
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  // Of bytes, as the gateway's: the head of a response that is held back goes out with a text, and before bytes.
  server.post('/', ({ body }) => Buffer.from(String(body)));
  server.get('/held', () => new Promise((resolve) => (held = () => resolve('held back'))));
  if (isListening)
    onWebSocketRequest(server.server, (_request, socket) => void socket.end('HTTP/1.1 101 Yours\r\n\r\n'));
  await server.listen({ port: 0, host: '127.0.0.1' });
  return server;
}

/** With someone who listens for WebSocket, and without. */
let servers: readonly [FastifyInstance, FastifyInstance];
beforeAll(async () => {
  servers = [await start(true), await start(false)];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  /** The status and body of each response. */
  readonly responses: () => readonly string[];
}

async function open(server: FastifyInstance): Promise<Client> {
  const { port } = server.server.address() as AddressInfo; // it listens on a port
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  const responses = (): readonly string[] =>
    [...text.matchAll(/HTTP\/1\.1 (\d+) [^]*?\r\n\r\n([^]*?)(?=HTTP\/1\.1|$)/g)].map(
      ([, status, body]) => `${status} ${body}`,
    );
  return { socket, received: () => text, responses };
}

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA';
const HOST = 'Host: a\r\nContent-Type: text/plain';
const post = (headers: string, body: string): string =>
  `POST / HTTP/1.1\r\n${HOST}\r\n${headers}${headers && '\r\n'}Content-Length: ${body.length}\r\n\r\n${body}`;
const chunked = `POST / HTTP/1.1\r\n${HOST}\r\n${H2C}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n`;
const health = `GET /health/live HTTP/1.1\r\nHost: a\r\n${H2C}\r\n\r\n`;
const websocket =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n\r\n';

async function write(socket: Socket, text: string, piece: number): Promise<void> {
  for (let at = 0; at < text.length; at += piece) {
    socket.write(text.slice(at, at + piece), 'latin1');
    await nextTurn();
  }
}

describe('RFC 9110 §7.8: an Upgrade that is not WebSocket', () => {
  it.each([
    ['a length', post(H2C, 'one'), '200 one'],
    ['chunks', chunked, '200 one'],
    ['no body', health, '200 {"status":"live"}'],
    ['a POST that names WebSocket', post('Connection: upgrade\r\nUpgrade: websocket', 'one'), '200 one'],
    ['several protocols', post('Connection: upgrade\r\nUpgrade: websocket, h2c', 'one'), '200 one'],
  ])('G5: is ignored, with %s, and what comes behind it is answered', async (_kind, first, response) => {
    for (const server of servers) {
      for (const piece of [1_000, 7]) {
        const { socket, responses } = await open(server);
        await write(socket, first + post('', 'two') + first, piece);
        await expect.poll(responses).toEqual([response, '200 two', response]);
      }
    }
  });

  it('G5: is ignored on each of many requests of a connection, without a trace', async () => {
    const { socket, responses } = await open(servers[0]);
    const [accepted] = await Promise.all([once(servers[0].server, 'request'), write(socket, health, 1_000)]);
    for (let index = 1; index < 15; index += 1) {
      await expect.poll(responses).toHaveLength(index);
      socket.write(health);
    }
    await expect.poll(responses).toHaveLength(15);
    const ofServer = (accepted[0] as { readonly socket: Socket }).socket; // `request` comes with its message
    expect(Math.max(...ofServer.eventNames().map((name) => ofServer.listenerCount(name)))).toBeLessThan(5);
  });

  it('waits for the responses of earlier requests', async () => {
    const { socket, responses } = await open(servers[0]);
    socket.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${post(H2C, 'one')}${post('', 'two')}`);
    await once(servers[0].server, 'upgrade');
    await release();
    await expect.poll(responses).toEqual(['200 held back', '200 one', '200 two']);
  });

  it('with more headers than are read is rejected', async () => {
    const { socket, received } = await open(servers[0]);
    const many = Array.from({ length: 300 }, (_, index) => `x-${index}: a`).join('\r\n');
    socket.write(post(`${H2C}\r\n${many}`, 'one'));
    await expect.poll(received).toMatch(/^HTTP\/1\.1 431 [^]*Connection: close/);
  });

  it('is forgotten with its client, though an earlier request is being answered', async () => {
    const { socket } = await open(servers[0]);
    socket.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${post(H2C, 'one')}`);
    const [, ofServer] = (await once(servers[0].server, 'upgrade')) as [unknown, Socket];
    socket.resetAndDestroy();
    await new Promise((resolve) => ofServer.once('close', resolve));
    await release();
  });
});

describe('a request for WebSocket', () => {
  it('goes to its listener, when earlier requests have been answered', async () => {
    const { socket, responses } = await open(servers[0]);
    socket.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${websocket}`);
    await once(servers[0].server, 'upgrade');
    expect(responses()).toEqual([]);
    await release();
    await expect.poll(responses).toEqual(['200 held back', '101 ']);
  });

  it('is a request like any other where it has no listener', async () => {
    const { socket, responses } = await open(servers[1]);
    socket.write(websocket + post('', 'two'));
    await expect.poll(responses).toHaveLength(2);
    expect(responses()[1]).toBe('200 two');
  });
});

describe('RFC 9110 §10.1.1: Expect', () => {
  const expecting = post('Expect: 100-continue', 'one');

  it('is answered at once where nothing is before it', async () => {
    const { socket, received, responses } = await open(servers[0]);
    socket.write(expecting.slice(0, -3));
    await expect.poll(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('one');
    await expect.poll(responses).toEqual(['100 ', '200 one']);
  });

  it('G12: is answered between the responses before and behind it, never in one of them', async () => {
    const { socket, responses } = await open(servers[0]);
    const large = 'x'.repeat(20_000);
    const asked = [post('Expect: 100-continue', large), post('', 'two'), expecting];
    socket.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${asked.join('')}`);
    await nextTurn();
    await once(servers[0].server, 'checkContinue');
    // A response that were made before its turn would be ready now, and be held back.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    await release();
    await expect
      .poll(responses)
      .toEqual(['200 held back', '100 ', `200 ${large}`, '200 two', '100 ', '200 one']);
  });
});

describe('a request that cannot be read', () => {
  it('G12: is not rejected in the place of an earlier one that is being answered', async () => {
    const { socket, received } = await open(servers[0]);
    socket.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\nno request\r\n\r\n');
    await once(socket, 'close');
    expect(received()).toBe('');
    await release();
  });
});
