import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawConnection } from './raw-connection.ts';
import { connect, type RunningServer } from './servers.ts';

/** XREAD that waits, and messages of channels. */
export function describeWaiting(server: () => RunningServer): void {
  let redis: Redis;
  const readers: Redis[] = [];
  const reader = async (): Promise<Redis> => {
    const client = await connect(server());
    readers.push(client);
    return client;
  };
  beforeEach(async () => {
    redis = await connect(server());
    await redis.flushall();
  });
  afterEach(() => [redis, ...readers.splice(0)].forEach((client) => client.disconnect()));

  /** Gives the reader's command the time to arrive. */
  const settled = async (): Promise<void> => {
    await delay(50);
    await redis.ping();
  };

  describe('XREAD BLOCK', () => {
    it('is answered by the entry that comes', async () => {
      const waiting = (await reader()).xread('BLOCK', 0, 'STREAMS', 's', '$');
      await settled();
      await redis.xadd('s', '5-0', 'field', 'value');
      expect(await waiting).toEqual([['s', [['5-0', ['field', 'value']]]]]);
    });

    it('does not wait when there is something to read', async () => {
      await redis.xadd('s', '1-0', 'a', '1');
      expect(await (await reader()).xread('BLOCK', 0, 'STREAMS', 's', '0')).toEqual([
        ['s', [['1-0', ['a', '1']]]],
      ]);
    });

    it('answers null when the time is up, not before', async () => {
      const startedAt = performance.now();
      expect(await (await reader()).xread('BLOCK', 120, 'STREAMS', 's', '$')).toBeNull();
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
    });

    it('waits for several streams, and returns the one that got something', async () => {
      await redis.xadd('a', '1-0', 'x', '1');
      const waiting = (await reader()).xread('COUNT', 10, 'BLOCK', 0, 'STREAMS', 'a', 'b', '$', '0');
      await settled();
      await redis.xadd('b', '2-0', 'y', '2');
      expect(await waiting).toEqual([['b', [['2-0', ['y', '2']]]]]);
    });

    it('wakes all readers, for one write', async () => {
      const clients = await Promise.all([reader(), reader(), reader()]);
      const waiting = clients.map((client) => client.xread('BLOCK', 0, 'STREAMS', 's', '$'));
      await settled();
      await redis.xadd('s', '1-0', 'a', '1');
      for (const reply of await Promise.all(waiting)) expect(reply).toEqual([['s', [['1-0', ['a', '1']]]]]);
    });

    it('sees a script whole', async () => {
      const second = (await reader()).xread('BLOCK', 0, 'STREAMS', 't', '$');
      await settled();
      await redis.eval("for i = 1, 3 do redis.call('XADD', KEYS[1], i .. '-0', 'n', i) end", 1, 't');
      expect(await second).toEqual([
        [
          't',
          [
            ['1-0', ['n', '1']],
            ['2-0', ['n', '2']],
            ['3-0', ['n', '3']],
          ],
        ],
      ]);
    });

    it('goes on waiting through a change that brings no entry', async () => {
      const waiting = (await reader()).xread('BLOCK', 0, 'STREAMS', 's', '5-0');
      await settled();
      await redis.xadd('s', '3-0', 'too', 'early');
      await redis.del('s');
      await redis.xadd('s', '9-0', 'at', 'last');
      expect(await waiting).toEqual([['s', [['9-0', ['at', 'last']]]]]);
    });

    it('holds up what came behind it on its connection, and nothing else', async () => {
      const client = await reader();
      const order: string[] = [];
      const waiting = client.xread('BLOCK', 0, 'STREAMS', 's', '$').then(() => order.push('read'));
      const behind = client.get('other').then(() => order.push('behind'));
      await settled();
      expect(order).toEqual([]);
      await redis.xadd('s', '1-0', 'a', '1');
      await Promise.all([waiting, behind]);
      expect(order).toEqual(['read', 'behind']);
    });

    it('ends with its connection', async () => {
      const raw = await RawConnection.open(server());
      raw.request('XREAD', 'BLOCK', '0', 'STREAMS', 's', '$');
      await settled();
      expect(await redis.info('clients')).toContain('blocked_clients:1');
      raw.close();
      await settled();
      expect(await redis.info('clients')).toContain('blocked_clients:0');
    });
  });

  describe('WAIT', () => {
    it('waits in vain for replicas', async () => {
      const startedAt = performance.now();
      expect(await (await reader()).wait(1, 80)).toBe(0);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
    });
  });

  describe.each([2, 3] as const)('channels, RESP%d', (protocol) => {
    it('bring messages to those who listen, and count them', async () => {
      const listener = await connect(server(), { protocol });
      readers.push(listener);
      const heard: string[] = [];
      listener.on('message', (channel, message) => heard.push(`${channel} ${message}`));
      expect(await listener.subscribe('news', 'sport')).toBe(2);
      expect(await redis.publish('news', 'first')).toBe(1);
      expect(await redis.publish('sport', 'second')).toBe(1);
      expect(await redis.publish('other', 'third')).toBe(0);
      await settled();
      expect(heard).toEqual(['news first', 'sport second']);
    });

    it('bring bytes as they are, from scripts, too', async () => {
      const listener = await connect(server(), { protocol });
      readers.push(listener);
      const heard: Buffer[] = [];
      listener.on('messageBuffer', (_, message) => heard.push(message));
      await listener.subscribe('bytes');
      const bytes = Buffer.from([0, 255, 13, 10, 128]);
      await redis.publish('bytes', bytes);
      await redis.eval("return redis.call('PUBLISH', KEYS[1], ARGV[1])", 1, 'bytes', bytes);
      await settled();
      expect(heard).toEqual([bytes, bytes]);
    });

    it('are left when the connection ends', async () => {
      const listener = await connect(server(), { protocol });
      await listener.subscribe('gone');
      expect(await redis.publish('gone', 'x')).toBe(1);
      listener.disconnect();
      await settled();
      expect(await redis.publish('gone', 'x')).toBe(0);
    });
  });

  describe('a subscriber on the wire', () => {
    it('may only subscribe and ping in RESP2', async () => {
      const raw = await RawConnection.open(server());
      raw.request('SUBSCRIBE', 'a', 'b');
      await raw.until('*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n');
      raw.request('GET', 'x');
      expect(await raw.until('context\r\n')).toBe(
        "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context\r\n",
      );
      raw.request('PING', 'there');
      expect(await raw.until('there\r\n')).toBe('*2\r\n$4\r\npong\r\n$5\r\nthere\r\n');
      await redis.publish('a', 'm');
      expect(await raw.until('m\r\n')).toBe('*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nm\r\n');
      raw.close();
    });

    it('may do anything in RESP3, where messages are pushed', async () => {
      const raw = await RawConnection.open(server());
      await raw.ask('HELLO', '3');
      raw.request('SUBSCRIBE', 'a');
      expect(await raw.until(':1\r\n')).toBe('>3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n');
      raw.request('PUBLISH', 'a', 'm');
      expect(await raw.until(':1\r\n')).toBe('>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nm\r\n:1\r\n');
      expect(await raw.ask('GET', 'x')).toBe('_\r\n');
      raw.close();
    });
  });
}
