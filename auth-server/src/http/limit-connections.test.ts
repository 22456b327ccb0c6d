import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitConnections } from './limit-connections.ts';

const MAX_CONNECTIONS = 8;

let server: Server;
let requests: number;
let rejected: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  [requests, rejected] = [0, 0];
  server = createServer((_request, response) => {
    requests += 1;
    response.end('served');
  });
  const trustedProxies = ['127.77.0.0/16'];
  limitConnections(
    server,
    { maxConnections: MAX_CONNECTIONS, trustedProxies, onRejected: () => (rejected += 1) },
    false,
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** @returns what is answered to a request, which is sent at once */
async function ask(localAddress: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.race([once(socket, 'data'), ended]);
  return text;
}

describe('M7: connections to the auth-server', () => {
  it('are never all of one address: nothing that it sends is read beyond its share, and others are served', async () => {
    for (let index = 0; index < 4; index += 1) expect(await ask('127.0.0.1')).toContain('served');
    for (let index = 0; index < 8; index += 1) expect(await ask('127.0.0.1')).not.toContain('served');
    expect([requests, rejected]).toEqual([4, 8]);
    expect(await ask('127.9.0.1')).toContain('served');
  });

  it('are free again when they end', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 4; index += 1) expect(await ask('127.0.0.1')).toContain('served');
      const ended = sockets.map((socket) => once(socket, 'close'));
      for (const socket of sockets.splice(0)) socket.destroy();
      await Promise.all(ended);
      while ((await openOn(server)) > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('of a proxy that is trusted are bounded with all others alone', async () => {
    for (let index = 0; index < MAX_CONNECTIONS; index += 1)
      expect(await ask('127.77.0.1')).toContain('served');
    expect(await ask('127.77.0.1')).not.toContain('served');
  });
});

function openOn(counted: Server): Promise<number> {
  return new Promise((resolve) => counted.getConnections((_error, count) => resolve(count)));
}
