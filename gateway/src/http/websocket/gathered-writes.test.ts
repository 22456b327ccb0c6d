import { setImmediate as nextTurn } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { GatheredWrites } from './gathered-writes.ts';

/** A connection that records what each write to the system holds. */
function recordingStream(): { readonly stream: Writable; readonly written: string[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
    writev(chunks: readonly { readonly chunk: Buffer }[], done) {
      written.push(chunks.map(({ chunk }) => chunk.toString()).join(''));
      done();
    },
  });
  return { stream, written };
}

describe('Frames to one connection', () => {
  it('go out together, from the second of a turn of the event loop on, and in their order', async () => {
    const { stream, written } = recordingStream();
    let calls = 0;
    const frames = new GatheredWrites(stream, () => (calls += 1));
    await nextTurn();
    for (const text of ['a', 'b', 'c', 'd']) frames.write(Buffer.from(text));
    expect([written, calls]).toEqual([['a'], 1]);
    await nextTurn();
    expect([written, calls]).toEqual([['a', 'bcd'], 2]);
    frames.write(Buffer.from('e'));
    expect([written, calls]).toEqual([['a', 'bcd', 'e'], 3]);
  });

  it('do not wait for those of others: each connection has its own first', async () => {
    const [one, other] = [recordingStream(), recordingStream()];
    await nextTurn();
    for (const { stream } of [one, other])
      new GatheredWrites(stream, () => undefined).write(Buffer.from('a'));
    expect([one.written, other.written]).toEqual([['a'], ['a']]);
  });

  it('go out before what is written past them', async () => {
    const { stream, written } = recordingStream();
    let calls = 0;
    const frames = new GatheredWrites(stream, () => (calls += 1));
    await nextTurn();
    for (const text of ['a', 'b', 'c']) frames.write(Buffer.from(text));
    frames.flush();
    expect([written, calls, stream.writableLength]).toEqual([['a', 'bc'], 2, 0]);
    stream.write('d');
    await nextTurn();
    expect([written, calls]).toEqual([['a', 'bc', 'd'], 2]);
  });

  it('are not gathered beyond 64 KiB', async () => {
    const { stream, written } = recordingStream();
    const frames = new GatheredWrites(stream, () => undefined);
    await nextTurn();
    const frame = Buffer.alloc(30_000, 'a');
    for (let count = 0; count < 4; count += 1) frames.write(frame);
    expect(written.map(({ length }) => length)).toEqual([30_000, 90_000]);
  });

  it('go out where the connection is ended in the same turn', async () => {
    const { stream, written } = recordingStream();
    const frames = new GatheredWrites(stream, () => undefined);
    await nextTurn();
    for (const text of ['a', 'b', 'c']) frames.write(Buffer.from(text));
    stream.end('d');
    await nextTurn();
    await nextTurn();
    expect(written.join('')).toBe('abcd');
  });

  it('are dropped with a connection that is gone', async () => {
    const { stream, written } = recordingStream();
    const frames = new GatheredWrites(stream, () => undefined);
    await nextTurn();
    for (const text of ['a', 'b']) frames.write(Buffer.from(text));
    stream.destroy();
    await nextTurn();
    await nextTurn();
    expect(written).toEqual(['a']);
  });
});
