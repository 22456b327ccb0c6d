import { afterEach, describe, expect, it } from 'vitest';
import { RawConnection, encodeRequest } from './raw-connection.ts';
import type { RunningServer } from './servers.ts';

/** What goes over the wire, byte by byte. */
export function describeWire(server: () => RunningServer): void {
  let raw: RawConnection;
  afterEach(() => raw.close());

  describe('RESP2', () => {
    it.each([
      [['SET', 'w', 'x'], '+OK\r\n'],
      [['GET', 'missing'], '$-1\r\n'],
      [['INCR', 'w:n'], ':1\r\n'],
      [['GET', 'w'], '$1\r\nx\r\n'],
      [['XREAD', 'STREAMS', 'missing', '0'], '*-1\r\n'],
      [['ZADD', 'w:z:new', '1.5', 'a'], ':1\r\n'],
      [['ZSCORE', 'w:z', 'a'], '$3\r\n1.5\r\n'],
      [['ZRANGE', 'w:z', '0', '-1', 'WITHSCORES'], '*2\r\n$1\r\na\r\n$3\r\n1.5\r\n'],
      [['SMEMBERS', 'w'], '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n'],
    ])('answers %j', async (request, reply) => {
      raw = await RawConnection.open(server());
      await raw.ask('DEL', 'w:n', 'w:z:new');
      await raw.ask('SET', 'w', 'x');
      await raw.ask('ZADD', 'w:z', '1.5', 'a');
      expect(await raw.ask(...request)).toBe(reply);
    });
  });

  describe('RESP3', () => {
    it('is switched on by HELLO 3, which answers in it', async () => {
      raw = await RawConnection.open(server());
      const greeting = await raw.ask('HELLO', '3');
      expect(greeting).toMatch(/^%7\r\n\$6\r\nserver\r\n\$5\r\nredis\r\n\$7\r\nversion\r\n/);
      expect(greeting).toContain('$5\r\nproto\r\n:3\r\n');
    });

    it('has nulls, doubles, sets, pairs, maps and verbatim texts of its own', async () => {
      raw = await RawConnection.open(server());
      await raw.ask('HELLO', '3');
      await raw.ask('DEL', 't:z', 't:s', 't:x');
      expect(await raw.ask('GET', 'missing')).toBe('_\r\n');
      await raw.ask('ZADD', 't:z', '1.5', 'a');
      expect(await raw.ask('ZSCORE', 't:z', 'a')).toBe(',1.5\r\n');
      expect(await raw.ask('ZRANGE', 't:z', '0', '-1', 'WITHSCORES')).toBe('*1\r\n*2\r\n$1\r\na\r\n,1.5\r\n');
      await raw.ask('SADD', 't:s', 'm');
      expect(await raw.ask('SMEMBERS', 't:s')).toBe('~1\r\n$1\r\nm\r\n');
      await raw.ask('XADD', 't:x', '1-1', 'f', 'v');
      expect(await raw.ask('XREAD', 'STREAMS', 't:x', '0')).toBe(
        '%1\r\n$3\r\nt:x\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n',
      );
      expect(await raw.ask('INFO', 'server')).toMatch(/^=\d+\r\ntxt:# Server/);
    });

    it('goes back with HELLO 2', async () => {
      raw = await RawConnection.open(server());
      await raw.ask('HELLO', '3');
      await raw.ask('HELLO', '2');
      expect(await raw.ask('GET', 'missing')).toBe('$-1\r\n');
    });
  });

  describe('requests', () => {
    it('may arrive byte by byte', async () => {
      raw = await RawConnection.open(server());
      for (const byte of `${encodeRequest(['SET', 'slow', 'a\r\nb'])}${encodeRequest(['GET', 'slow'])}`) {
        raw.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await raw.until('$4\r\na\r\nb\r\n')).toBe('+OK\r\n$4\r\na\r\nb\r\n');
    });

    it('may be lines, with quotes, escapes, and blanks around', async () => {
      raw = await RawConnection.open(server());
      raw.write("  SET inline \"a\\x00b\\n\"  \r\n\r\nGET inline\nSET inline 'it\\'s'\r\nGET inline\r\n");
      expect(await raw.until("$4\r\nit's\r\n")).toBe("+OK\r\n$4\r\na\0b\n\r\n+OK\r\n$4\r\nit's\r\n");
    });

    it('may be empty, which is no request at all', async () => {
      raw = await RawConnection.open(server());
      raw.write('*0\r\n*-1\r\n\r\nPING\r\n');
      expect(await raw.until('+PONG\r\n')).toBe('+PONG\r\n');
    });

    it.each([
      ['*x\r\n', '-ERR Protocol error: invalid multibulk length\r\n'],
      ['*1\r\n!4\r\n', "-ERR Protocol error: expected '$', got '!'\r\n"],
      ['*1\r\n$x\r\n', '-ERR Protocol error: invalid bulk length\r\n'],
      ['*1\r\n$-1\r\n', '-ERR Protocol error: invalid bulk length\r\n'],
      ['*1\r\n$99999999999\r\n', '-ERR Protocol error: invalid bulk length\r\n'],
      ['GET "a\r\n', '-ERR Protocol error: unbalanced quotes in request\r\n'],
      ['GET "a"b\r\n', '-ERR Protocol error: unbalanced quotes in request\r\n'],
    ])('that are none, as %j, end the connection', async (bytes, complaint) => {
      raw = await RawConnection.open(server());
      raw.write(`PING\r\n${bytes}PING\r\n`);
      expect(await raw.untilClosed()).toBe(`+PONG\r\n${complaint}`);
    });

    it('that never end their line are cut off', async () => {
      raw = await RawConnection.open(server());
      raw.write('x'.repeat(100_000));
      expect(await raw.untilClosed()).toBe('-ERR Protocol error: too big inline request\r\n');
    });

    it('of a pipeline are answered in order', async () => {
      raw = await RawConnection.open(server());
      raw.write('PING a\r\nGET nothing\r\nPING c\r\n');
      expect(await raw.until('c\r\n')).toBe('$1\r\na\r\n$-1\r\n$1\r\nc\r\n');
    });
  });
}
