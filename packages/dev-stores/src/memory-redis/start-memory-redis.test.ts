import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { RawConnection } from './conformance/raw-connection.ts';
import { startMemoryRedis, type MemoryRedis, type MemoryRedisOptions } from './start-memory-redis.ts';

const MEBIBYTE = 1_048_576;
let server: MemoryRedis;
const clients: Redis[] = [];

async function start(options: MemoryRedisOptions = {}): Promise<Redis> {
  server = await startMemoryRedis(options);
  return connect();
}

function connect(): Redis {
  const redis = new Redis(server.url, { retryStrategy: () => null });
  redis.on('error', () => undefined);
  clients.push(redis);
  return redis;
}

afterEach(async () => {
  clients.splice(0).forEach((client) => client.disconnect());
  await server.close();
});

describe('startMemoryRedis', () => {
  it('gives an address that says it all, with a password that needs escapes', async () => {
    const redis = await start({ password: 'a b/ü@:?' });
    expect(server.url).toBe(`redis://:a%20b%2F%C3%BC%40%3A%3F@127.0.0.1:${server.port}`);
    expect(await redis.ping()).toBe('PONG');
  });

  it('says when its port is taken', async () => {
    await start();
    await expect(startMemoryRedis({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('cuts everybody off when it closes, also who waits, and frees the port at once', async () => {
    const redis = await start();
    await redis.ping();
    const waiting = redis.xread('BLOCK', 0, 'STREAMS', 's', '$').catch(() => 'cut off');
    await delay(20);
    const { port } = server;
    await Promise.all([server.close(), server.close()]);
    expect(await waiting).toBe('cut off');
    server = await startMemoryRedis({ port });
    expect(await connect().ping()).toBe('PONG');
  });
});

describe('bounds', () => {
  it('of clients: one too many gets an error', async () => {
    const redis = await start({ maxClients: 2 });
    await redis.ping();
    const second = connect();
    await second.ping();
    const third = await RawConnection.open(server);
    expect(await third.untilClosed()).toBe('-ERR max number of clients reached\r\n');
    second.disconnect();
    await expect.poll(async () => /connected_clients:(\d)/.exec(await redis.info('clients'))?.[1]).toBe('1');
    expect(await connect().ping()).toBe('PONG');
  });

  it('of values: none is longer', async () => {
    const redis = await start({ maxBulkBytes: 1_000 });
    await redis.set('k', 'x'.repeat(1_000));
    await expect(redis.set('k', 'x'.repeat(1_001))).rejects.toThrow(
      'ERR Protocol error: invalid bulk length',
    );
  });

  it('of replies: who does not read them is not read from, and gets them all later', async () => {
    const redis = await start();
    await redis.set('k', 'x'.repeat(MEBIBYTE));
    const socket = createConnection(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.pause();
    const count = 200;
    socket.write('GET k\r\n'.repeat(count));
    await delay(300);
    const executed = Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
    expect(executed).toBeLessThan(100);
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length)).resume();
    await expect.poll(() => received).toBe(count * (MEBIBYTE + '$1048576\r\n\r\n'.length));
    socket.destroy();
  });

  it('of requests behind one that waits', async () => {
    await start({ maxBulkBytes: MEBIBYTE });
    const raw = await RawConnection.open(server);
    raw.request('XREAD', 'BLOCK', '0', 'STREAMS', 's', '$');
    for (let sent = 0; sent < 100 && !raw.closed; sent += 1) {
      raw.request('PING', 'x'.repeat(MEBIBYTE));
      await delay(5);
    }
    expect(await raw.untilClosed()).toBe('');
  });

  it('of messages: a subscriber that does not read is cut off', async () => {
    const redis = await start();
    const socket = createConnection(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write('SUBSCRIBE c\r\n');
    await once(socket, 'data');
    socket.pause();
    const message = 'x'.repeat(MEBIBYTE);
    let listeners = 1;
    for (let sent = 0; sent < 100 && listeners > 0; sent += 1) listeners = await redis.publish('c', message);
    expect(listeners).toBe(0);
    socket.destroy();
  });

  it('of scripts: one that does not end is ended', async () => {
    const redis = await start({ scriptTimeLimitMs: 100 });
    const startedAt = performance.now();
    for (const endless of [
      'while true do end',
      "redis.call('SET', KEYS[1], 'x') while true do end",
      'local function f() f() return 1 end return f()',
    ])
      await expect(redis.eval(endless, 1, 'k')).rejects.toThrow(
        /it ran for more than 100 ms|stack overflow|error in error handling|C stack/,
      );
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await redis.get('k')).toBe('x');
    expect(await redis.eval('return 1', 0)).toBe(1);
  });

  it('of tables that scripts return: one that holds itself is rejected', async () => {
    const redis = await start();
    await expect(redis.eval('local t = {} t[1] = t return t', 0)).rejects.toThrow(
      'ERR reached lua stack limit',
    );
    expect(await redis.eval('return {1}', 0)).toEqual([1]);
  });
});

describe('what is not offered', () => {
  it.each([
    [['XGROUP', 'CREATE', 's', 'g', '0'], "ERR unknown command 'XGROUP'"],
    [['CONFIG', 'SET', 'maxmemory', '1'], "ERR unknown command 'CONFIG'"],
    [['EVAL', "redis.call('GEOADD')", '0'], 'ERR Unknown Redis command called from script'],
    [['EVAL', 'return cjson.encode({})', '0'], "nonexistent global variable 'cjson'"],
    [['EVAL', "return string.format('%q', 1)", '0'], "invalid option '%q' to 'format'"],
  ])('is rejected in words: %j', async ([name = '', ...args], message) => {
    const redis = await start();
    await expect(redis.call(name, args)).rejects.toThrow(message);
  });
});
