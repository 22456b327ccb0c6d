import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postForm } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const FORM = 'application/x-www-form-urlencoded';

/** Writes bytes on a connection of its own. @returns all that comes back until the server closes it */
function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.issuer).port), '127.0.0.1', () => socket.write(bytes));
    let result = '';
    socket.on('data', (chunk) => (result += chunk.toString('latin1')));
    socket.on('close', () => resolve(result));
    socket.on('error', reject);
  });
}

const statusesOf = (result: string): number[] =>
  [...result.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

function request(path: string, headers: readonly string[], body = '', method = 'POST'): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: auth.example', ...headers, '', body].join('\r\n');
}

describe('hostile transport', () => {
  it.each([
    ['both a length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], '0\r\n\r\nX'],
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6'], 'a=b&c='],
    ['a length that is none', ['Content-Length: +5'], 'a=b&c'],
    ['a coding that is not understood', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['a blank before the colon', ['Content-Length : 5'], 'a=b&c'],
    ['a folded header', ['X-Folded: a', ' Content-Length: 5'], 'a=b&c'],
    ['a bare line feed', ['X: a\nContent-Length: 5'], 'a=b&c'],
  ])('S-060 rejects a request with %s, and what is smuggled behind it', async (_name, headers, body) => {
    const smuggled = request('/jwks.json', ['Connection: close'], '', 'GET');
    const result = await send(request('/token', [`Content-Type: ${FORM}`, ...headers], body) + smuggled);
    expect(statusesOf(result)).toEqual([400]);
    expect(result).not.toContain('"keys"');
  });

  it('S-059 responds with 431 to headers that are too large', async () => {
    const one = await send(request('/token', [`X-Large: ${'y'.repeat(40_000)}`, 'Content-Length: 0']));
    expect(statusesOf(one)).toEqual([431]);
    const many = Array.from({ length: 4_000 }, (_, index) => `X-${index}: y`);
    expect(statusesOf(await send(request('/token', [...many, 'Content-Length: 0'])))).toEqual([431]);
  });

  it('S-061 answers 1,000 requests that are sent without waiting, in their order', async () => {
    const paths = ['/jwks.json', '/no-such-path'];
    const requests = Array.from({ length: 1_000 }, (_, index) =>
      request(paths[index % 2] ?? '', index === 999 ? ['Connection: close'] : [], '', 'GET'),
    );
    const statuses = statusesOf(await send(requests.join('')));
    expect(statuses).toEqual(requests.map((_, index) => (index % 2 === 0 ? 200 : 404)));
  });

  it('S-056 does not unpack a compressed body', async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', x: 'y'.repeat(1_000_000) });
    const response = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
      body: gzipSync(form.toString()),
    });
    expect([400, 415]).toContain(response.status);
    expect(await response.json()).toMatchObject({
      error: expect.stringMatching(/^(?!server_error)/) as string,
    });
  });

  it('S-055 goes on answering while 500 connections send their requests slowly', async () => {
    const { port } = new URL(server.issuer);
    const sockets = Array.from({ length: 500 }, (_, index) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      const head = request('/token', [`Content-Type: ${FORM}`, 'Content-Length: 1000'], 'grant_type=');
      socket.write(index % 2 === 0 ? head : head.slice(0, 40));
      return socket;
    });
    try {
      const result = await postForm(`${server.issuer}/token`, { grant_type: 'none' });
      expect(result.body['error']).toBe('unsupported_grant_type');
      expect((await fetch(`${server.issuer}/jwks.json`)).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('S-100 lets no line break of a client into headers or the log', async () => {
    const evil = 'x\r\nSet-Cookie: a=b\r\n\r\n{"audit":true,"event":"forged"}';
    const page = await fetch(
      `${server.issuer}/authorize?${new URLSearchParams({ client_id: evil, state: evil })}`,
    );
    expect(page.headers.getSetCookie().join()).not.toContain('a=b');
    await postForm(
      `${server.issuer}/token`,
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from(`${encodeURIComponent(evil)}:x`).toString('base64')}` },
    );
    const records = server.log.map((record) => {
      expect(record.trimEnd()).not.toContain('\n');
      return JSON.parse(record) as Record<string, unknown>;
    });
    expect(records.map(({ event }) => event)).toContain('client_authentication_failed');
    expect(records.map(({ event }) => event)).not.toContain('forged');
  });
});
