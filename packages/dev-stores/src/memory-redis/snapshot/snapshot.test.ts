import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startMemoryRedis, type MemoryRedis } from '../start-memory-redis.ts';

let directory: string;
let file: string;
let problems: string[];
let open: { server: MemoryRedis; redis: Redis }[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'snapshot-'));
  file = join(directory, 'redis.snapshot');
  problems = [];
  open = [];
});
afterEach(async () => {
  for (const { server, redis } of open) {
    redis.disconnect();
    await server.close();
  }
  await rm(directory, { recursive: true, force: true });
});

async function start(snapshotIntervalMs = 60_000): Promise<{ redis: Redis; stop: () => Promise<void> }> {
  const server = await startMemoryRedis({
    snapshotFile: file,
    snapshotIntervalMs,
    onProblem: (message) => problems.push(message),
  });
  const redis = new Redis(server.url, { retryStrategy: () => null });
  redis.on('error', () => undefined);
  open.push({ server, redis });
  return {
    redis,
    stop: async () => {
      redis.disconnect();
      await server.close();
    },
  };
}

describe('a snapshot', () => {
  it('brings every kind of value back, byte by byte, with its expiry', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const before = await start();
    await before.redis.set(bytes, bytes);
    await before.redis.set('soon', 'x', 'PX', 100_000);
    await before.redis.set('gone', 'x', 'PX', 30);
    await before.redis.sadd('set', '__proto__', bytes);
    await before.redis.zadd('zset', '-inf', 'low', '1.1', bytes, '+inf', 'high');
    await before.redis.xadd('stream', '18446744073709551615-3', bytes, bytes);
    await before.redis.xadd('emptied', '7-1', 'a', 'b');
    await before.redis.xdel('emptied', '7-1');
    const leftMs = await before.redis.pttl('soon');
    await before.stop();
    await delay(40);

    const { redis } = await start();
    expect(await redis.getBuffer(bytes)).toEqual(bytes);
    expect(await redis.pttl('soon')).toBeLessThanOrEqual(leftMs - 40);
    expect(await redis.dbsize()).toBe(6);
    expect(await redis.callBuffer('SMEMBERS', 'set')).toEqual([Buffer.from('__proto__'), bytes]);
    expect(await redis.zrange('zset', '0', '-1', 'WITHSCORES')).toEqual([
      'low',
      '-inf',
      bytes.toString(),
      '1.1',
      'high',
      'inf',
    ]);
    expect(await redis.callBuffer('XRANGE', 'stream', '-', '+')).toEqual([
      [Buffer.from('18446744073709551615-3'), [bytes, bytes]],
    ]);
    await expect(redis.xadd('emptied', '7-1', 'a', 'b')).rejects.toThrow('equal or smaller');
    expect(problems).toEqual([]);
  });

  it('is taken while the server runs, for its owner alone, and whole whenever it is read', async () => {
    const { redis } = await start(20);
    for (let round = 0; round < 20; round += 1) {
      await redis.set('b', 'x'.repeat(100_000));
      await redis.set('a', String(round));
      await delay(10);
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text !== undefined) expect(text.trimEnd().split('\n').at(-1)).toMatch(/^\{"keys":\d\}$/);
    }
    await expect.poll(() => readFile(file, 'utf8')).toContain('["a",null,"string","19"]');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['redis.snapshot']);
  });

  it('is not written while nothing changes', async () => {
    const { redis } = await start(20);
    await redis.set('a', '1');
    await expect
      .poll(() =>
        stat(file).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const written = (await stat(file)).mtimeMs;
    await redis.get('a');
    await delay(100);
    expect((await stat(file)).mtimeMs).toBe(written);
  });

  it.each([
    ['nothing', '', 'its line 1 is not JSON'],
    ['something else', '{"format":"other"}\n', 'it is not a snapshot of this server'],
    [
      'another version',
      '{"format":"trellis-memory-redis","version":99}\n{"keys":0}\n',
      'its version is 99, not 1',
    ],
    [
      'half of it',
      '{"format":"trellis-memory-redis","version":1}\n["a",null,"string","1"]\n',
      'its end is missing',
    ],
    [
      'a line of another kind',
      '{"format":"trellis-memory-redis","version":1}\n["a",null,"hash","1"]\n{"keys":1}\n',
      'its line 2 is malformed',
    ],
    ['binary', '\0\xff\x01', 'its line 1 is not JSON'],
  ])('that holds %s is set aside, in words, and the server starts', async (_, content, reason) => {
    await writeFile(file, content, 'latin1');
    const { redis, stop } = await start();
    expect(await redis.dbsize()).toBe(0);
    expect(problems).toEqual([expect.stringContaining(`can't be read: ${reason}`)]);
    const [aside] = await readdir(directory);
    expect(aside).toMatch(/^redis\.snapshot\.broken-\d+$/);
    expect(problems[0]).toContain(`${directory}/${aside}`);
    expect(await readFile(join(directory, aside ?? ''), 'latin1')).toBe(content);
    await redis.set('new', '1');
    await stop();
    expect((await readdir(directory)).toSorted()).toEqual(['redis.snapshot', aside]);
  });

  it('that can not be written is reported, and written when it can', async () => {
    const { redis } = await start(20);
    await rm(directory, { recursive: true });
    await redis.set('a', '1');
    await expect.poll(() => problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatch(/^The snapshot .* can't be written: ENOENT/);
    expect(await redis.get('a')).toBe('1');
    directory = await mkdtemp(directory);
    await rm(directory, { recursive: true });
  });

  it('left unfinished by a crash does no harm, nor does its mode', async () => {
    await writeFile(`${file}.unfinished`, 'half', { mode: 0o644 });
    await chmod(`${file}.unfinished`, 0o644);
    const first = await start();
    await first.redis.set('a', '1');
    await first.stop();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { redis } = await start();
    expect(await redis.get('a')).toBe('1');
  });
});
