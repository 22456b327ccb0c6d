import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { writeMultipart } from './write-multipart.ts';

const HEARTBEAT = '{"hasNext":true}';
const PART = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';

async function* frames(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

/** Frames without an end, and how many were taken. */
class EndlessFrames {
  taken = 0;
  ended = false;
  readonly frames: AsyncIterable<string>;

  constructor(characters: number) {
    this.frames = this.#make(characters);
  }

  async *#make(characters: number): AsyncGenerator<string> {
    try {
      for (;;) {
        this.taken += 1;
        yield 'x'.repeat(characters);
      }
    } finally {
      this.ended = true;
    }
  }
}

describe('RFC 2046 §5.1.1', () => {
  it('puts every part between delimiters, and ends with the closing one', async () => {
    const body = writeMultipart(frames('{"a":1}', '{"b":2}'), HEARTBEAT, {
      heartbeatMs: 60_000,
      stalledMs: 60_000,
    });
    expect(await text(body)).toBe(`\r\n---${PART}{"a":1}\r\n---${PART}{"b":2}\r\n-----\r\n`);
  });
});

describe('a client that does not read', () => {
  it('is sent no more than the buffers hold', async () => {
    const source = new EndlessFrames(32_768);
    const body = writeMultipart(source.frames, HEARTBEAT, { heartbeatMs: 60_000, stalledMs: 60_000 });
    body.read(0); // a client has connected
    await once(body, 'readable');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(source.taken).toBeLessThan(8);
    body.destroy();
    await once(body, 'close');
    expect(source.ended).toBe(true);
  });

  it('is cut off', async () => {
    const source = new EndlessFrames(131_072);
    const body = writeMultipart(source.frames, HEARTBEAT, { heartbeatMs: 60_000, stalledMs: 20 });
    body.read(0);
    const [error] = (await once(body, 'error')) as [Error];
    expect(error.message).toBe('The client read nothing for 20 ms.');
    expect(source.ended).toBe(true);
  });
});
