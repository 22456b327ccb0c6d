import { describe, expect, it } from 'vitest';
import { RequestParser, type RequestLimits } from './request-parser.ts';

const LIMITS: RequestLimits = {
  maxArguments: 4,
  maxBulkBytes: 100,
  maxRequestBytes: 150,
  complaint: 'invalid',
};

function parse(bytes: string, chunkBytes = bytes.length, limits = LIMITS): string[][] {
  const parser = new RequestParser(() => limits);
  const requests: string[][] = [];
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    parser.push(Buffer.from(bytes.slice(from, from + chunkBytes), 'latin1'));
    for (let request = parser.next(); request !== undefined; request = parser.next())
      requests.push([...request]);
  }
  return requests;
}

describe('RESP: requests', () => {
  const pipeline =
    '*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\nPING "a b"\r\n*0\r\n*3\r\n$1\r\na\r\n$0\r\n\r\n$2\r\n\x00\xff\r\n';
  const expected = [
    ['GET', '\r\n'],
    ['PING', 'a b'],
    ['a', '', '\x00\xff'],
  ];

  it('come out whole, whatever the pieces they arrive in', () => {
    for (let size = 1; size <= pipeline.length; size += 1) expect(parse(pipeline, size)).toEqual(expected);
  });

  it('of one large argument are joined once', () => {
    const limits = { ...LIMITS, maxBulkBytes: 32_000_000, maxRequestBytes: 64_000_000 };
    const bytes = 'x'.repeat(16_000_000);
    const startedAt = performance.now();
    expect(parse(`*1\r\n$${bytes.length}\r\n${bytes}\r\n`, 1_024, limits)[0]?.[0]).toBe(bytes);
    expect(performance.now() - startedAt).toBeLessThan(5_000); // joined at each piece it would be minutes
  });

  it.each([
    ['*5\r\n', 'invalid multibulk length'],
    ['*1\r\n$101\r\n', 'invalid bulk length'],
    [`*2\r\n$100\r\n${'x'.repeat(100)}\r\n$51\r\n`, 'too big request'],
    [`*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
    ['x'.repeat(70_000), 'too big inline request'],
  ])('beyond the limits are rejected (%#)', (bytes, complaint) => {
    expect(() => parse(bytes)).toThrow(`ERR Protocol error: ${complaint}`);
  });

  it('are measured one by one', () => {
    const request = `*2\r\n$70\r\n${'x'.repeat(70)}\r\n$70\r\n${'y'.repeat(70)}\r\n`;
    expect(parse(request.repeat(3))).toHaveLength(3);
  });

  it('are rejected by limits that change, as when a client has authenticated', () => {
    let limits = { ...LIMITS, maxArguments: 1 };
    const parser = new RequestParser(() => limits);
    parser.push(Buffer.from('*1\r\n$4\r\nAUTH\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n'));
    expect(parser.next()).toEqual(['AUTH']);
    limits = LIMITS;
    expect(parser.next()).toEqual(['a', 'b']);
  });
});
