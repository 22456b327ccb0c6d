import type { Random } from '@trellis/testkit/random';
import { Writer, type RandomMessage } from './random-message.ts';

const BODIES = [
  '',
  '{}',
  '{"data":{"a":"\u00e9"}}',
  'x'.repeat(300),
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
];
const FINAL = ['200', '200', '200', '400', '503', '204', '304', '401'];
const ODD_STATUSES = ['101', '100', '600', '000', '99', '2000', '20x', '-200', ' 200'];
const REASONS = [' OK', ' ', ' Not Found', '', ' \u00e9t\u00e9'];
const ODD_REASONS = [' a\0b', ' a\nb', ' a\rb', '\t', 'OK', ' \nTransfer-Encoding: chunked', ' a\x7f'];
const FIELDS: readonly (readonly [string, string])[] = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Cache-Control', 'max-age=3, public'],
  ['Cache-Control', 'no-store'],
  ['Content-Encoding', 'gzip'],
  ['Connection', 'keep-alive'],
  ['Connection', 'close'],
  ['Keep-Alive', 'timeout=5'],
  ['X-Any', 'caf\u00e9 "a" \t b'],
  ['Vary', ''],
];
const ODD_FIELDS: readonly string[] = [
  'Content-Length: 3',
  'Content-Length: 1, 1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Transfer-Encoding: identity',
  'Upgrade: h2c',
  'Connection: upgrade',
  'Connection: close, upgrade',
  'Connection: x,close\t',
  'X-Any: a\0b',
  'X-Any: a\x7fb',
  'X-Any: a\x01',
  'X{}: a',
  'X\u00e9: a',
];

/** A response, perhaps with interim ones before it, and perhaps with something behind it. */
export function randomResponse(random: Random): RandomMessage {
  const writer = new Writer(random);
  const interim = random.chance(8)
    ? writer.some(['100', '102', '103'], 3).map((status) => head(writer, status, ''))
    : [];
  const status = writer.pick(FINAL, ODD_STATUSES);
  const body = status === '204' || status === '304' ? '' : random.pick(BODIES);
  const [framing, framed] = frame(writer, body, status);
  const text = `${interim.join('')}${head(writer, status, framing)}${framed}`;
  const behind = writer.pick([''], ['x', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n']);
  return writer.finish(text + behind);
}

function head(writer: Writer, status: string, framing: string): string {
  const version = writer.pick(
    ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', status.startsWith('1') ? 'HTTP/1.1' : 'HTTP/1.0'],
    ['HTTP/1.2', 'HTTP/2', 'http/1.1', 'HTTP/1.1 ', 'HTTP/11', 'ICY', '\r\nHTTP/1.1'],
  );
  const isChunkedBefore = version === 'HTTP/1.0' && framing.toLowerCase().includes('chunked');
  const said = isChunkedBefore ? 'HTTP/1.1' : version;
  const fields = writer
    .some(FIELDS, 4)
    .filter(([name]) => !(status.startsWith('1') && name === 'Connection'))
    .map(([name, value]) => writer.field(name, value));
  const odd = writer.pick(
    [''],
    ODD_FIELDS.map((line) => `${line}\r\n`),
  );
  const lines = writer.random.chance(50) ? [framing, ...fields, odd] : [...fields, odd, framing];
  const reason = writer.pick(REASONS, ODD_REASONS);
  return `${said} ${status}${reason}${writer.lineEnd}${lines.join('')}${writer.lineEnd}`;
}

/** The field that frames a body, and the body. */
function frame(writer: Writer, body: string, status: string): readonly [field: string, framed: string] {
  const { random } = writer;
  if (status === '204' || status === '304') {
    const field = writer.pick(
      [''],
      ['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 0\r\n'],
    );
    return [field, ''];
  }
  const kind = random.below(10);
  if (kind < 5) {
    const length = writer.pick(
      [String(body.length)],
      [
        `+${body.length}`,
        `${body.length} `,
        `0${body.length}`,
        `${body.length}a`,
        '-1',
        '9'.repeat(25),
        String(body.length + 1),
        `${body.length}\t`,
      ],
    );
    const again = writer.pick([''], [`Content-Length: ${body.length}\r\n`]);
    return [writer.field('Content-Length', length) + again, body];
  }
  if (kind < 9) {
    const coding = writer.pick(
      ['chunked', 'Chunked'],
      [
        'gzip, chunked',
        'chunked, chunked',
        'chunked,',
        ',chunked',
        'chunked;a',
        'x',
        'chunked ',
        '"chunked"',
        'chunked\t',
      ],
    );
    return [writer.field('Transfer-Encoding', coding), writer.chunkedBody(body)];
  }
  return ['', body]; // to the end of the connection
}
