import { describe, expect, it } from 'vitest';
import { readPlainRequest, type PlainRequest } from './plain-messages.ts';

const BODY = '{"query":"{ public }"}';
const RULES = {
  paths: new Set(['/graphql']),
  maxBodyBytes: 100,
  maxHeaders: 256,
  without: new Set(['dpop']),
  takes: ({ headers }: Pick<PlainRequest, 'headers'>): boolean => headers.accept !== 'text/event-stream',
};

function request(headers: readonly string[], body = BODY, line = 'POST /graphql HTTP/1.1'): string {
  return [line, ...headers, '', body].join('\r\n');
}

function read(text: string): PlainRequest | undefined {
  return readPlainRequest(Buffer.from(text, 'latin1'), RULES);
}

const FRAMED = ['Host: graph.example', `Content-Length: ${BODY.length}`];

describe('A plain request', () => {
  it('is read with its headers and its body', () => {
    const plain = read(request([...FRAMED, 'Content-Type:application/json', 'X-Tenant: two  words']));
    expect(plain?.path).toBe('/graphql');
    expect(plain?.body.toString()).toBe(BODY);
    expect(plain?.headers).toEqual({
      host: 'graph.example',
      'content-length': String(BODY.length),
      'content-type': 'application/json',
      'x-tenant': 'two  words',
    });
  });

  it.each(['keep-alive', 'Keep-Alive'])('may say that its connection stays open: %s', (value) => {
    expect(read(request([...FRAMED, `Connection: ${value}`]))).toBeDefined();
  });

  it('may have headers that objects have by themselves', () => {
    const plain = read(request([...FRAMED, 'constructor: mine', 'valueOf: mine']));
    expect(plain?.headers).toMatchObject({ constructor: 'mine', valueof: 'mine' });
  });
});

const ANYTHING_ELSE: readonly (readonly [what: string, text: string])[] = [
  ['half a head', 'POST /graphql HTTP/1.1\r\nHost: graph.example\r\n'],
  ['no headers at all', 'POST /graphql HTTP/1.1\r\n\r\n'],
  ['a body that has not arrived whole', request(FRAMED, BODY.slice(1))],
  ['more than its body', request(FRAMED, `${BODY}P`)],
  ['two requests in a row', request(FRAMED) + request(FRAMED)],
  ['another method', request(FRAMED, BODY, 'GET /graphql HTTP/1.1')],
  ['another version', request(FRAMED, BODY, 'POST /graphql HTTP/1.0')],
  ['another path', request(FRAMED, BODY, 'POST /graphql/stream HTTP/1.1')],
  ['a query string', request(FRAMED, BODY, 'POST /graphql?a=1 HTTP/1.1')],
  ['an absolute address', request(FRAMED, BODY, 'POST http://graph.example/graphql HTTP/1.1')],
  ['two blanks in its first line', request(FRAMED, BODY, 'POST  /graphql HTTP/1.1')],
  ['no host', request(FRAMED.slice(1))],
  ['no length', request(FRAMED.slice(0, 1))],
  ['an empty body', request(['Host: a', 'Content-Length: 0'], '')],
  ['a body that is too large', request(['Host: a', 'Content-Length: 101'], 'x'.repeat(101))],
  ['a head that is too large', request([...FRAMED, `X-A: ${'a'.repeat(9_000)}`])],
  ['a header with which it is not taken', request([...FRAMED, 'DPoP: proof'])],
  ['a form of response that is not taken', request([...FRAMED, 'Accept: text/event-stream'])],
];

/** Whatever two servers could read differently. */
const AMBIGUOUS: readonly (readonly [what: string, ...headers: string[]])[] = [
  ['two lengths', ...FRAMED, `Content-Length: ${BODY.length}`],
  ['two hosts', ...FRAMED, 'host: other.example'],
  ['a header twice', ...FRAMED, 'X-A: 1', 'x-a: 1'],
  ['a transfer coding', ...FRAMED, 'Transfer-Encoding: chunked'],
  ['a length with a sign', 'Host: a', `Content-Length: +${BODY.length}`],
  ['a length with a blank in it', 'Host: a', 'Content-Length: 2 2'],
  ['a length in two parts', 'Host: a', `Content-Length: ${BODY.length}, ${BODY.length}`],
  ['a length in octal', 'Host: a', `Content-Length: 0${BODY.length}`],
  ['a blank before the colon', ...FRAMED, 'X-A : 1'],
  ['a folded line', ...FRAMED, 'X-A: 1', ' more'],
  ['a line without a colon', ...FRAMED, 'X-A'],
  ['a name of nothing', ...FRAMED, ': 1'],
  ['a name with an underscore', ...FRAMED, '__proto__: 1'],
  ['an empty value', ...FRAMED, 'X-A:'],
  ['a blank after its value', ...FRAMED, 'X-A: 1 '],
  ['a tab in its value', ...FRAMED, 'X-A: 1\t2'],
  ['a line feed alone', ...FRAMED, 'X-A: 1\nX-B: 2'],
  ['a carriage return alone', ...FRAMED, 'X-A: 1\rX-B: 2'],
  ['a zero byte', ...FRAMED, 'X-A: 1\0'],
  ['a byte beyond ASCII', ...FRAMED, 'X-A: \u00e9'],
  ['an upgrade', ...FRAMED, 'Upgrade: websocket', 'Connection: Upgrade'],
  ['a connection that ends', ...FRAMED, 'Connection: close'],
  ['headers of the hop', ...FRAMED, 'Connection: keep-alive, X-A'],
  ['an expectation', ...FRAMED, 'Expect: 100-continue'],
  ['trailers', ...FRAMED, 'Trailer: X-A'],
  ['a compressed body', ...FRAMED, 'Content-Encoding: gzip'],
];

describe('S-060 S-061 no plain request', () => {
  it.each(ANYTHING_ELSE)('is %s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each(AMBIGUOUS)('has %s', (_what, ...headers) => {
    expect(read(request(headers))).toBeUndefined();
  });
});
