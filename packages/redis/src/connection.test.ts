import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connectRedis, type RedisConnection } from './connection.ts';

let connection: RedisConnection | undefined;

afterEach(() => connection?.disconnect());

it('F-09 an outage is reported once, however often the connection retries, and once more after the server was ready', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, 'close');
  const reports: Error[] = [];
  const opened = connectRedis({
    url: `redis://127.0.0.1:${port}`,
    name: 'test',
    onError: (error) => reports.push(error),
  });
  connection = opened;
  for (let attempt = 0; attempt < 4; attempt += 1) await errorOf(opened);
  expect(reports).toHaveLength(1);
  expect(reports[0]?.message).toContain('ECONNREFUSED');

  opened.emit('ready');
  for (let attempt = 0; attempt < 2; attempt += 1) await errorOf(opened);
  expect(reports).toHaveLength(2);
});

/** The next error that the connection emits; `once` would reject with it. */
const errorOf = (emitter: RedisConnection): Promise<unknown> =>
  new Promise((resolve) => emitter.once('error', resolve));
