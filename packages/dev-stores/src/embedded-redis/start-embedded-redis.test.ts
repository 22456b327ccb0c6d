import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { DirectoryInUse } from '../supervision/directory-lock.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findRedisProgram, startEmbeddedRedis, type EmbeddedRedis } from '../index.ts';

// What several connections see of one another, what time does, and what stays: the same on a real server and on the one
// in this process.
const realPath = process.env['PATH'] ?? '';
const servers = [
  { name: 'the server in this process', isHere: true, path: '' },
  { name: 'a real server', isHere: findRedisProgram(realPath) !== undefined, path: realPath },
];
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'trellis-redis-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(servers.filter(({ isHere }) => isHere))('$name', ({ name, path }) => {
  let server: EmbeddedRedis;
  let client: Redis;

  beforeAll(async () => {
    server = await start();
    client = new Redis(server.url);
  });
  beforeEach(async () => void (await client.flushall()));
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  function start(): Promise<EmbeddedRedis> {
    return startEmbeddedRedis({ directory: join(directory, name), path, password: 'secret' });
  }

  function open(options: { readonly db?: number; readonly protocol?: 2 | 3 } = {}): Redis {
    const other = new Redis(server.url, options);
    onTestFinished(() => other.disconnect());
    return other;
  }

  it('keeps bytes as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
    await client.set('bytes', bytes);
    await expect(client.getBuffer('bytes')).resolves.toEqual(bytes);
    await client.eval("redis.call('SET', KEYS[2], redis.call('GET', KEYS[1]))", 2, 'bytes', 'copy');
    await expect(client.getBuffer('copy')).resolves.toEqual(bytes);
  });

  it('takes a value of 5 MB and answers it whole', async () => {
    const value = 'x'.repeat(5 * 1024 * 1024);
    await client.set('large', value);
    expect((await client.get('large')) === value).toBe(true);
  });

  it('answers a pipeline in the order in which it was sent', async () => {
    const pipeline = client.pipeline();
    for (let index = 0; index < 1_000; index += 1) pipeline.ping(String(index));
    const replies = (await pipeline.exec()) ?? [];
    expect(replies.map(([, reply]) => reply)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => String(index)),
    );
  });

  it('lets go of a key when its time has come', async () => {
    await client.set('short', 'x', 'PX', 30);
    await client.set('long', 'x', 'PX', 10_000);
    await delay(60);
    await expect(client.get('short')).resolves.toBeNull();
    await expect(client.get('long')).resolves.toBe('x');
    await expect(client.exists('short')).resolves.toBe(0);
    await expect(client.set('short', 'again', 'NX')).resolves.toBe('OK');
  });

  it('runs a script as a whole: of 50 takers of one value, one gets it', async () => {
    const clients = Array.from({ length: 10 }, () => open());
    await client.set('ticket', 'taken');
    const script = "local v = redis.call('GET', KEYS[1]) if v then redis.call('DEL', KEYS[1]) end return v";
    const taken = await Promise.all(
      Array.from({ length: 50 }, (_, index) => clients[index % 10]?.eval(script, 1, 'ticket')),
    );
    expect(taken.filter((value) => value === 'taken')).toHaveLength(1);
  });

  it('wakes a blocked reader when an entry comes, and returns that entry alone', async () => {
    const reader = open();
    await reader.ping(); // it is connected
    await client.xadd('stream', '1-0', 'n', 'old');
    const reading = reader.xread('BLOCK', 5_000, 'STREAMS', 'stream', 'other', '$', '$');
    await delay(300); // until it is blocked, on a busy machine too
    await client.xadd('stream', '2-0', 'n', 'new');
    await expect(reading).resolves.toEqual([['stream', [['2-0', ['n', 'new']]]]]);
  });

  it('wakes a blocked reader after a script, with all that it added', async () => {
    const reader = open();
    await reader.ping();
    const reading = reader.xread('BLOCK', 5_000, 'STREAMS', 'stream', '$');
    await delay(300); // until it is blocked, on a busy machine too
    await client.eval("for i = 1, 2 do redis.call('XADD', KEYS[1], i .. '-0', 'n', i) end", 1, 'stream');
    await expect(reading).resolves.toEqual([
      [
        'stream',
        [
          ['1-0', ['n', '1']],
          ['2-0', ['n', '2']],
        ],
      ],
    ]);
  });

  it('gives a blocked reader up when its deadline passes, and runs its next command only then', async () => {
    const reader = open();
    const startedAt = performance.now();
    const [read, pong] = await Promise.all([
      reader.xread('BLOCK', 100, 'STREAMS', 'stream', '$'),
      reader.ping().then(() => performance.now() - startedAt),
    ]);
    expect(read).toBeNull();
    expect(pong).toBeGreaterThan(90);
  });

  it('forgets a blocked reader that has disconnected', async () => {
    const reader = open();
    reader.on('error', () => undefined);
    reader.xread('BLOCK', 0, 'STREAMS', 'stream', '$').catch(() => undefined);
    await delay(30);
    reader.disconnect();
    await delay(30);
    await expect(client.xadd('stream', '1-0', 'n', '1')).resolves.toBe('1-0');
  });

  it.each([2, 3] as const)('delivers what is published to channels (RESP%i)', async (protocol) => {
    const subscriber = open({ protocol });
    const messages: unknown[] = [];
    subscriber.on('message', (channel, message) => messages.push([channel, message]));
    await subscriber.subscribe('news');
    await expect(client.publish('news', 'hello')).resolves.toBe(1);
    await expect(client.publish('other', 'unheard')).resolves.toBe(0);
    await expect.poll(() => messages).toEqual([['news', 'hello']]);
  });

  it('forgets the subscriptions of a connection that ends', async () => {
    const subscriber = open();
    await subscriber.subscribe('news');
    await expect(client.publish('news', 'hello')).resolves.toBe(1);
    subscriber.disconnect();
    await expect.poll(() => client.publish('news', 'hello')).toBe(0);
  });

  it('rejects clients without the password', async () => {
    const { hostname, port, password } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET a\r\nAUTH guess\r\nAUTH ${password}\r\nGET a\r\n`);
    socket.end();
    await expect(text(socket)).resolves.toBe(
      [
        '-NOAUTH Authentication required.',
        '-WRONGPASS invalid username-password pair or user is disabled.',
        '+OK',
        '$-1',
        '',
      ].join('\r\n'),
    );
  });

  it('ends a connection that does not speak the protocol', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write('*1\r\n:5\r\n');
    await expect(text(socket)).resolves.toMatch(/^-ERR Protocol error: expected '\$', got ':'/);
  });

  it('keeps its data, and when they end, from one start to the next', async () => {
    await client.set('stored', 'x');
    await client.set('short', 'x', 'PX', 1);
    await client.set('long', 'x', 'EX', 100);
    await client.xadd('stream', '7-1', 'n', '1');
    await server.stop();
    server = await start();
    client.disconnect();
    client = new Redis(server.url);
    await expect(client.get('stored')).resolves.toBe('x');
    await expect(client.exists('short', 'long')).resolves.toBe(1);
    await expect(client.ttl('long')).resolves.toBeGreaterThan(90);
    await expect(client.xadd('stream', '7-1', 'n', '2')).rejects.toThrow('equal or smaller');
  });

  it('rejects a directory that is in use', async () => {
    await expect(start()).rejects.toThrow(DirectoryInUse);
  });
});
