import { describe, expect, it } from 'vitest';
import { readEventStream } from './read-event-stream.ts';
import { readMultipartStream } from './read-multipart-stream.ts';
import type { StreamMessage } from './upstream-transport.ts';
import { EventTooLarge } from './text-lines.ts';

const first = { data: { rated: { stars: 5, by: 'Zoë 🌟' } } };
const second = { data: { rated: null }, errors: [{ message: 'a\nb --b' }] };
const bothAndEnd: readonly StreamMessage[] = [
  { kind: 'next', payload: first },
  { kind: 'next', payload: second },
  { kind: 'complete' },
];

const eventStreams: Readonly<Record<string, string>> = {
  'graphql-sse': `:\n\nevent: next\ndata: ${JSON.stringify(first)}\n\n:\n\nevent: next\ndata: ${JSON.stringify(second)}\n\nevent: complete\ndata\n\n`,
  'CR LF, an id and a retry': `retry: 10\r\n\r\nid: 1\r\nevent:next\r\ndata:${JSON.stringify(first)}\r\n\r\nid: 2\r\nevent: next\r\ndata: ${JSON.stringify(second)}\r\n\r\nevent: complete\r\n\r\n`,
  'CR alone': `event: next\rdata: ${JSON.stringify(first)}\r\revent: next\rdata: ${JSON.stringify(second)}\r\revent: complete\r\r`,
  'data in lines, without a name': `${pretty(first)}\n\n${pretty(second)}\n\nevent: ping\ndata: {}\n\nevent: complete\n\n`,
};

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n');
}

const multiparts: Readonly<Record<string, string>> = {
  'delimiters in front': `--b\r\ncontent-type: application/json\r\n\r\n{}\r\n--b\r\n\r\n{"payload":${JSON.stringify(first)}}\r\n--b\r\nContent-Type: application/json\r\n\r\n{"payload":${JSON.stringify(second)}}\r\n--b--\r\n`,
  'a preamble, and responses as they are': `\r\n--b\r\n\r\n${JSON.stringify(first)}\r\n--b\r\n\r\n${JSON.stringify(second, null, 2)}\r\n--b--`,
};

/** The bytes in pieces whose lengths follow from the seed. */
async function* inPieces(text: string, seed: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let state = seed;
  for (let at = 0; at < bytes.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const length = 1 + (seed === 0 ? 0 : state % 40);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function allOf(messages: AsyncIterable<StreamMessage>): Promise<readonly StreamMessage[]> {
  const all: StreamMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

describe('wherever the network cuts it, the same is read of', () => {
  it.each(Object.entries(eventStreams))('server-sent events: %s', async (_name, text) => {
    for (const seed of SEEDS)
      expect(await allOf(readEventStream(inPieces(text, seed), 1_000))).toEqual(bothAndEnd);
  });

  it.each(Object.entries(multiparts))('multipart: %s', async (_name, text) => {
    for (const seed of SEEDS)
      expect(await allOf(readMultipartStream(inPieces(text, seed), 'b', 1_000))).toEqual(bothAndEnd);
  });
});

it('a part counts as soon as its delimiter has arrived, before the line ends', async () => {
  const reading = readMultipartStream(
    (async function* () {
      yield Buffer.from(`--b\r\n\r\n{"payload":${JSON.stringify(first)}}\r\n--b`);
      throw new Error('more was read than needed');
    })(),
    'b',
    1_000,
  );
  expect((await reading.next()).value).toEqual({ kind: 'next', payload: first });
});

it('a multipart stream that ends with errors has them as a response without data', async () => {
  const text = '--b\r\n\r\n{"payload":null,"errors":[{"message":"over"}]}\r\n--b--';
  const [end] = await allOf(readMultipartStream(inPieces(text, 3), 'b', 1_000));
  expect(end).toMatchObject({ kind: 'next', payload: { errors: [{ message: 'over' }] } });
});

describe('an event that is too large ends the stream before it is held', () => {
  const endless: Readonly<
    Record<string, (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<StreamMessage>>
  > = {
    'server-sent events': (pieces) => readEventStream(pieces, 100),
    multipart: (pieces) => readMultipartStream(pieces, 'b', 100),
  };
  const beginnings = { 'one line': ['data: ', 'x'], 'many lines': ['', 'data: x\n'] };

  it.each(
    Object.entries(endless).flatMap(([name, read]) =>
      Object.entries(beginnings).map(([how, text]) => [name, how, read, text] as const),
    ),
  )('%s, %s', async (_name, _how, read, [begin = '', more = '']) => {
    let sent = 0;
    const pieces = (async function* () {
      yield Buffer.from(`--b\r\n\r\n${begin}`);
      for (; sent < 1_000; sent += 1) yield Buffer.from(more);
    })();
    await expect(allOf(read(pieces))).rejects.toThrow(EventTooLarge);
    expect(sent).toBeLessThan(120);
  });
});

it('what is no JSON is an error', async () => {
  await expect(allOf(readEventStream(inPieces('data: {"a"\n\n', 0), 100))).rejects.toThrow(SyntaxError);
  await expect(allOf(readMultipartStream(inPieces('--b\r\n\r\n{\r\n--b', 0), 'b', 100))).rejects.toThrow(
    SyntaxError,
  );
});
