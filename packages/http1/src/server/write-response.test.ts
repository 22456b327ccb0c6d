import { PassThrough } from 'node:stream';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AsciiText } from './ascii-text.ts';
import { byteLengthOf, largeBody, PIECE_BYTES, writeInPieces, writeResponse } from './plain-messages.ts';

function written(headers: Readonly<Record<string, string>>): string {
  const stream = new PassThrough();
  writeResponse(stream as unknown as Socket, { status: 200, headers, body: 'é' }, 5); // only writes to it
  return (stream.read() as Buffer).toString('utf8');
}

describe('A response', () => {
  it('has its headers, its length in bytes, and what becomes of the connection', () => {
    const text = written({ 'content-type': 'text/plain' });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: text\/plain\r\ncontent-length: 2\r\ndate: /);
    expect(text).toMatch(/\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\n\r\né$/);
  });

  it.each(['a\r\nset-cookie: b', 'a\nb', 'a\0', '€'])(
    'is not written with a header that ends its line or is no byte: %j',
    (value) => {
      expect(() => written({ 'x-name': value })).toThrow('malformed');
    },
  );
});

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

describe('A large response', () => {
  it.each([
    ['text of a byte a character', LETTERS.repeat(20_000), 'string'],
    ['text of several bytes a character', `${LETTERS.repeat(10_000)}é`, 'object'],
    ['bytes', Buffer.from(LETTERS.repeat(10_000)), 'object'],
    ['as much as one piece holds', 'a'.repeat(PIECE_BYTES), 'string'],
    ['text in pieces', AsciiText.of(Buffer.from(LETTERS.repeat(20_000))), 'object'],
    ['text of one piece', AsciiText.of(Buffer.from(LETTERS)), 'object'],
  ])('is written a piece at a time, and whole: %s', async (_kind, body, kind) => {
    const stream = new PassThrough();
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const written = largeBody(body, byteLengthOf(body));
    expect(typeof written).toBe(kind);
    await new Promise<void>((resolve) => writeInPieces(stream, written, resolve));
    expect(Buffer.concat(chunks).equals(Buffer.from(body.toString()))).toBe(true);
    expect(chunks.every(({ length }) => length <= PIECE_BYTES)).toBe(true);
  });
});
