import type { Random } from '@trellis/testkit/random';
import { Writer, type RandomMessage } from './random-message.ts';

const BODIES = [
  '{"query":"{ a }"}',
  '{"query":"{ \u00e9 }"}',
  'x'.repeat(300),
  'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n1',
];
const FIELDS: readonly (readonly [string, string])[] = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/graphql-response+json, application/json;q=0.9'],
  ['Authorization', 'Bearer abc.def'],
  ['User-Agent', 'any (thing) 1.0'],
  ['X-Request-Id', 'abc'],
  ['Connection', 'keep-alive'],
  ['Cookie', 'a=b; c=d'],
];
const ODD_FIELDS: readonly string[] = [
  'Content-Length: 3',
  'Content-Length: 1, 1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Upgrade: h2c',
  'Connection: upgrade',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
  'Connection: close',
  'Expect: 100-continue',
  'Host: b',
  'X-Any: a\0b',
  'X-Any: a\x7fb',
  'X-Any: caf\u00e9',
  'X-Any: ',
  'X\u00e9: a',
  'X_Y: a',
  '__proto__: a',
  'constructor: a',
];

/** A request. Most of them are plain. */
export function randomRequest(random: Random): RandomMessage {
  const writer = new Writer(random);
  return writer.finish(writeRequest(writer));
}

/** Some requests of one connection. */
export function randomRequests(random: Random): readonly RandomMessage[] {
  return Array.from({ length: 1 + random.below(3) }, () => randomRequest(random));
}

function writeRequest(writer: Writer): string {
  const { random } = writer;
  const body = random.pick(BODIES);
  const method = writer.pick(
    ['POST'],
    ['GET', 'HEAD', 'post', 'PO ST', 'OPTIONS', 'M-SEARCH', '\r\nPOST', ' POST', 'PUT'],
  );
  const target = writer.pick(
    ['/graphql'],
    ['/graphql?a=b', '/other', '*', 'http://a/graphql', '/graph\u00e9', '/a b', '/graphql#a', '//graphql'],
  );
  const version = writer.pick(['HTTP/1.1'], ['HTTP/1.0', 'HTTP/2', 'http/1.1', 'HTTP/1.1 ', 'HTTP/1.2']);
  const [framing, framed] = frame(writer, body);
  const fields = shuffled(FIELDS, random).slice(0, random.below(FIELDS.length));
  const lines = shuffled([['Host', 'graph.example'] as const, ...fields], random).map(([name, value]) =>
    writer.field(name, value),
  );
  lines.splice(
    random.below(lines.length + 1),
    0,
    framing,
    writer.pick(
      [''],
      ODD_FIELDS.map((line) => `${line}\r\n`),
    ),
  );
  return `${method} ${target} ${version}${writer.lineEnd}${lines.join('')}${writer.lineEnd}${framed}`;
}

function frame(writer: Writer, body: string): readonly [field: string, framed: string] {
  if (writer.random.chance(90)) {
    const { length } = body;
    const said = writer.pick(
      [String(length)],
      [
        `+${length}`,
        `0${length}`,
        `${length} `,
        `${length}\t`,
        `${length},`,
        String(length + 1),
        String(length - 1),
        '9'.repeat(25),
        '0x5',
        '',
      ],
    );
    return [writer.field('Content-Length', said), body];
  }
  return [writer.field('Transfer-Encoding', 'chunked'), writer.chunkedBody(body)];
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const shuffle: T[] = [];
  for (const item of items) shuffle.splice(random.below(shuffle.length + 1), 0, item);
  return shuffle;
}
