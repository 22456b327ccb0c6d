import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionPool } from './connection-pool.ts';
import type { ExchangeRequest } from './exchange.ts';

const REQUEST: ExchangeRequest = { path: '/graphql', headers: {}, timeoutMs: 1_000, body: '{}' };

let server: Server | undefined;
let pool: ConnectionPool | undefined;
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await pool?.close();
  server?.close();
});

/** A subgraph that answers each request, as a whole, with what it is set to. */
async function listen(
  response: (request: string, socket: Socket) => void,
  connections = 8,
): Promise<ConnectionPool> {
  server = createServer((socket) => {
    sockets.add(socket);
    let said = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      const [head = '', body] = said.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      const request = said;
      said = '';
      response(request, socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  pool = new ConnectionPool({
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    maxConnections: connections,
    headers: { 'content-type': 'application/json' },
    timeoutHeader: 'timeout-ms',
  });
  return pool;
}

interface GraphResponse {
  readonly status: number;
  readonly body: string;
}

function ask(to: ConnectionPool, request: Partial<ExchangeRequest> = {}): Promise<GraphResponse> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let body = '';
    to.dispatch(
      { ...REQUEST, ...request },
      {
        started: () => true,
        responded: (start) => void (status = start.status),
        received: (bytes) => void (body += bytes.toString('utf8')),
        ended: () => resolve({ status, body }),
        failed: reject,
      },
    );
  });
}

const answering =
  (text: string) =>
  (_request: string, socket: Socket): void =>
    void socket.write(text);

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('RFC 9112 §6.3: the end of a response', () => {
  it.each([
    ['a length', OK],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n'],
    [
      'chunks with extensions and trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2;a=b;c="d e";f\r\nok\r\n0\r\nx: y\r\n\r\n',
    ],
    ['interim responses before', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n${OK}`],
  ])('%s, however it is cut', async (_kind, text) => {
    const whole = await listen(answering(text));
    expect(await ask(whole)).toEqual({ status: 200, body: 'ok' });
    const [socket] = sockets;
    socket?.removeAllListeners('data').on('data', () => {
      const letters = text.split('');
      const next = (): void => {
        const letter = letters.shift();
        if (letter !== undefined) socket.write(letter, () => setImmediate(next));
      };
      next();
    });
    expect(await ask(whole)).toEqual({ status: 200, body: 'ok' });
    expect(sockets.size).toBe(1);
  });

  it('the end of the connection, where nothing else is said', async () => {
    const to = await listen((_request, socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nok'));
    expect(await ask(to)).toEqual({ status: 200, body: 'ok' });
  });

  it('none, where there is no body', async () => {
    const to = await listen(answering('HTTP/1.1 204 No Content\r\n\r\n'));
    expect(await ask(to)).toEqual({ status: 204, body: '' });
    expect(await ask(to)).toEqual({ status: 204, body: '' });
    expect(sockets.size).toBe(1);
  });

  it.each([
    [204, 'Transfer-Encoding: chunked'],
    [304, 'Transfer-Encoding: chunked'],
    [204, 'Content-Length: 2'],
    [304, 'Content-Length: 2'],
  ])('G13: the head of %d, though it says %s; its connection is closed', async (status, header) => {
    const to = await listen(answering(`HTTP/1.1 ${status} None\r\n${header}\r\n\r\n`));
    expect(await ask(to)).toEqual({ status, body: '' });
    expect(await ask(to)).toEqual({ status, body: '' });
    expect(sockets.size).toBe(2);
  });
});

const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';

describe('A response that could be understood in two ways', () => {
  it.each([
    ['a length beside chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['G13: a length said twice alike', 'content-length: 2\r\nContent-Length: 2\r\n\r\nok'],
    ['a tab behind a length', 'content-length: 2\t\r\n\r\nok'],
    ['a tab behind the encoding of the transfer', 'transfer-encoding: chunked\t\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\nok'],
    ['a list of lengths', 'content-length: 2, 2\r\n\r\nok'],
    ['a length with a sign', 'content-length: +2\r\n\r\nok'],
    ['an encoding of the transfer that is not known', 'transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a header that goes on in the next line', 'x: y\r\n z\r\ncontent-length: 2\r\n\r\nok'],
    ['a space before the colon', 'content-length : 2\r\n\r\nok'],
    ['a line that ends by half', 'x: y\ncontent-length: 2\r\n\r\nok'],
    ['a size of a chunk that is none', 'transfer-encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n'],
    ['a chunk longer than its size', 'transfer-encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n'],
    ['G13: a control character in a header', 'x: a\0b\r\ncontent-length: 2\r\n\r\nok'],
    ['G13: a control character behind the size', `${CHUNKED}2;a\0b\r\nok\r\n0\r\n\r\n`],
    ['G13: a blank behind the size of a chunk', `${CHUNKED}2 \r\nok\r\n0\r\n\r\n`],
    ['G13: a trailer that is none', `${CHUNKED}2\r\nok\r\n0\r\nnone\r\n\r\n`],
    ['G13: a length in a trailer', `${CHUNKED}2\r\nok\r\n0\r\ncontent-length: 2\r\n\r\n`],
    ['G13: extensions without end', `${CHUNKED}${`1;a=${'b'.repeat(4_000)}\r\no\r\n`.repeat(5)}`],
    ['headers without end', `x: ${'y'.repeat(20_000)}`],
  ])('G13: %s is rejected, and its connection closed', async (_kind, rest) => {
    const to = await listen(answering(`HTTP/1.1 200 OK\r\n${rest}`));
    await expect(ask(to)).rejects.toThrow(/malformed|not known|too large|longer|does not end/);
    await expect(ask(to)).rejects.toThrow();
    expect(sockets.size).toBe(2);
  });

  it.each([
    'HTTP/2 200 OK\r\n\r\n',
    'ICY 200 OK\r\n\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\rTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 100 Continue\r\nContent-Length: 2\r\n\r\nok',
  ])('G13: %j is rejected', async (text) => {
    await expect(ask(await listen(answering(text)))).rejects.toThrow(/malformed|unasked/);
  });

  it('G13: interim responses without end are rejected', async () => {
    const to = await listen((_request, socket) => {
      const flood = (): unknown =>
        socket.writable && socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(20), flood);
      flood();
    });
    await expect(ask(to)).rejects.toThrow('too large');
  });
});

describe('A connection', () => {
  it.each([
    ['was to be closed', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['said more than was asked for', `${OK}HTTP/1.1 200 OK\r\n`],
    ['is of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['is about to be closed', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
  ])('is not used again that %s', async (_kind, text) => {
    const to = await listen(answering(text));
    expect([await ask(to), await ask(to)]).toEqual([
      { status: 200, body: 'ok' },
      { status: 200, body: 'ok' },
    ]);
    expect(sockets.size).toBe(2);
  });

  it('is one of a bounded number; more requests wait for them in order', async () => {
    const asked: string[] = [];
    const to = await listen((request, socket) => {
      asked.push(request.slice(-3));
      setImmediate(() => socket.write(OK));
    }, 2);
    await Promise.all([1, 2, 3, 4, 5].map((number) => ask(to, { body: `{${number}}` })));
    expect(sockets.size).toBe(2);
    expect(asked.slice(2)).toEqual(['{3}', '{4}', '{5}']);
  });

  it('that cannot be made fails its request', async () => {
    const to = await listen(answering(OK));
    server?.close();
    await once(server as Server, 'close');
    await expect(ask(to)).rejects.toThrow('ECONNREFUSED');
  });

  it('is closed by who gives its request up, whose handler is called no more', async () => {
    let abort: ((reason: Error) => void) | undefined;
    const calls: string[] = [];
    const to = await listen((_request, socket) => {
      socket.once('close', () => calls.push('closed'));
      abort?.(new Error('enough'));
    });
    to.dispatch(REQUEST, {
      started: (end) => ((abort = end), true),
      responded: () => calls.push('responded'),
      received: () => calls.push('received'),
      ended: () => calls.push('ended'),
      failed: () => calls.push('failed'),
    });
    await expect.poll(() => calls).toEqual(['closed']);
  });

  it('is closed with the pool when what is in flight has ended', async () => {
    let response: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      void listen((_request, socket) => {
        response = () => void socket.write(OK);
        resolve();
      }).then((to) => (early = ask(to)));
    });
    let early: Promise<GraphResponse> | undefined;
    await isAsked;
    const closing = pool?.close();
    response();
    expect(await early).toEqual({ status: 200, body: 'ok' });
    await closing;
    await expect(ask(pool as ConnectionPool)).rejects.toThrow('being closed');
  });
});

describe('A request', () => {
  it('counts the bytes of its body, and sends headers as they came', async () => {
    let said = '';
    const to = await listen((request, socket) => {
      said = request;
      socket.write(OK);
    });
    await ask(to, { body: '{"a":"é€"}', headers: { 'x-name': 'caf\u00e9' } });
    expect(said).toContain('content-length: 13\r\n');
    expect(said).toContain('x-name: caf\u00e9\r\n');
    expect(Buffer.from(said, 'latin1').toString('utf8')).toContain('{"a":"é€"}');
  });

  it.each([
    ['a line break', { 'x-name': 'a\r\nx-user: b' }],
    ['a character that is no byte', { 'x-name': '€' }],
    ['a name that is none', { 'x name': 'a' }],
  ])('with %s in a header is not sent', async (_kind, headers) => {
    const to = await listen(answering(OK));
    await expect(ask(to, { headers })).rejects.toThrow('malformed');
    expect(sockets.size).toBe(0);
  });

  it('has its own length and connection, whatever headers say', async () => {
    let said = '';
    const to = await listen((request, socket) => {
      said = request;
      socket.write(OK);
    });
    await ask(to, { headers: { 'content-length': '0', 'transfer-encoding': 'chunked', host: 'other' } });
    expect(said.match(/content-length|transfer-encoding|host/g)).toEqual(['host', 'content-length']);
    expect(said).not.toContain('other');
  });
});

describe('a connection', () => {
  it('that was no longer wanted when it was opened is closed in a while', async () => {
    const to = await listen(answering(OK));
    const unexpected = (): void => expect.unreachable('the handler was called after the abort');
    to.dispatch(REQUEST, {
      started: () => false,
      responded: unexpected,
      received: unexpected,
      ended: unexpected,
      failed: unexpected,
    });
    await once(server as Server, 'connection');
    const [socket] = [...sockets];
    if (socket && !socket.closed) await once(socket.resume(), 'close');
    expect(socket).toMatchObject({ closed: true });
  });
});
