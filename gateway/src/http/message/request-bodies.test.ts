import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { sendRaw } from '../../testing/send-raw.ts';
import {
  PREFLIGHT,
  startTestGateway,
  type GatewayResponse,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: { FORWARD_HEADERS: 'x-tenant accept-language' },
  });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.forget());

async function inFlightBytes(): Promise<number> {
  const metrics = await gateway.metrics.metrics();
  return Number(/trellis_gateway_in_flight_bytes\{[^}]*\} (\d+)/.exec(metrics)?.[1]);
}

type Headers = Readonly<Record<string, string>>;
const RESPONSE_JSON = 'application/graphql-response+json';
const PUBLIC = '{ public }';
const EMPTY_MEMBER = gzipSync(Buffer.alloc(0));
const code = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['code'];

describe('CSRF prevention', () => {
  const body = JSON.stringify({ query: PUBLIC });

  it.each<[string, Headers]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no media type', {}],
    ['a parameter that is no charset', { 'content-type': 'application/json;x' }],
    ['a tab and garbage', { 'content-type': 'application/json\t; x' }],
    ['trailing garbage', { 'content-type': 'application/json x' }],
    ['a type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['two types', { 'content-type': 'text/plain, application/json' }],
    ['a parameter that looks like JSON', { 'content-type': 'text/plain; application/json' }],
  ])('S-050 rejects a POST with %s', async (_name, headers) => {
    for (const preflight of [{}, PREFLIGHT]) {
      const { status, text } = await sendRaw(gateway, { ...headers, ...preflight }, body);
      expect([400, 415]).toContain(status);
      expect(text).toMatch(/CSRF_PREVENTED|UNSUPPORTED_MEDIA_TYPE/);
    }
    expect(graph.requests()).toBe(0);
  });

  it('S-050 rejects a GET without a header that makes browsers ask', async () => {
    const headersOfPages: readonly Headers[] = [
      {},
      { 'content-type': 'message/external-body' },
      { 'content-type': 'application/json' },
      { accept: RESPONSE_JSON },
      { 'apollo-require-preflight': '' },
    ];
    for (const headers of headersOfPages) {
      const response = await gateway.get({ query: PUBLIC }, { 'sec-fetch-site': 'cross-site', ...headers });
      expect([response.status, code(response)]).toEqual([400, 'CSRF_PREVENTED']);
    }
    expect(graph.requests()).toBe(0);
    const forgotten = await sendRaw(gateway, { 'user-agent': 'Mozilla/5.0' }, body);
    expect(forgotten.text).toContain('by POST with \\"content-type: application/json\\"');
    expect((await gateway.get({ query: PUBLIC }, { 'x-apollo-operation-name': 'x' })).status).toBe(200);
  });

  it('takes application/json with charset=utf-8 in its spellings', async () => {
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON; Charset="UTF-8"',
      'application/json ;',
    ])
      expect((await sendRaw(gateway, { 'content-type': type }, body)).status).toBe(200);
  });
});

describe('Bodies', () => {
  it('S-058 responds with 415 to other charsets', async () => {
    for (const charset of ['utf-16', 'iso-8859-1', 'utf-7']) {
      const response = await gateway.post(
        { query: PUBLIC },
        { 'content-type': `application/json; charset=${charset}` },
      );
      expect([response.status, code(response)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['X-Gzip', gzipSync],
    ['deflate', deflateSync],
  ])(
    'takes bodies in %s, as one request and as a batch, of a declared length and in chunks',
    async (encoding, pack) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const filler = ' '.repeat(200_000);
      for (const value of [{ query: PUBLIC }, [{ query: PUBLIC }, { query: PUBLIC }]]) {
        const body = pack(JSON.stringify(value) + filler);
        for (const framing of [
          { 'content-length': String(body.length) },
          { 'transfer-encoding': 'chunked' },
        ]) {
          const { status, text } = await sendRaw(gateway, { ...headers, ...framing }, body);
          expect([status, Array.isArray(JSON.parse(text))]).toEqual([200, Array.isArray(value)]);
          expect(text).toContain('open to all');
        }
      }
    },
  );

  const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  it('S-056 responds with 413 to what unpacks to more than 1 MiB, and to more than 1 MiB that unpacks to nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000, ' '));
    expect(bomb.length).toBeLessThan(65_536);
    const declared = await sendRaw(gateway, { ...packed, 'content-length': String(bomb.length) }, bomb);
    const chunked = await sendRaw(gateway, { ...packed, 'transfer-encoding': 'chunked' }, bomb);
    const nothing = Buffer.concat(Array.from({ length: 60_000 }, () => EMPTY_MEMBER));
    const empty = await sendRaw(gateway, { ...packed, 'transfer-encoding': 'chunked' }, nothing).catch(
      (error: NodeJS.ErrnoException) => ({ status: 413, text: `PAYLOAD_TOO_LARGE ${String(error.code)}` }), // the socket may be closed while we still send
    );
    for (const { status, text } of [declared, chunked, empty]) {
      expect(status).toBe(413);
      expect(text).toContain('PAYLOAD_TOO_LARGE');
    }
    expect(graph.requests()).toBe(0);
  });

  it('S-056 responds with 400 to what is cut off, or not compressed as it says', async () => {
    const whole = gzipSync(JSON.stringify({ query: PUBLIC }));
    const bodies = [
      whole.subarray(0, -9),
      Buffer.from('{"query":"{ public }"}'),
      deflateSync('{}'),
      Buffer.alloc(0),
    ];
    for (const body of bodies) {
      const { status, text } = await sendRaw(gateway, { ...packed, 'transfer-encoding': 'chunked' }, body);
      expect([status, text]).toEqual([400, expect.stringContaining('BAD_REQUEST')]);
    }
    expect(graph.requests()).toBe(0);
  });

  it('S-056 responds with 415 to other encodings, to several, and to files in any', async () => {
    for (const encoding of ['br', 'zstd', 'compress', 'gzip, gzip', '__proto__']) {
      const response = await gateway.post({ query: PUBLIC }, { 'content-encoding': encoding });
      expect([response.status, code(response)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('a client that leaves within a compressed body leaves nothing behind', async () => {
    const { port, hostname } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const body = gzipSync(randomBytes(100_000).toString('hex'));
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 50_000));
    await expect.poll(inFlightBytes).toBeGreaterThan(50_000);
    socket.destroy();
    await expect.poll(inFlightBytes).toBe(0);
    expect(graph.requests()).toBe(0);
  });

  it('S-004 responds with 413 to a body over 1 MiB, declared or not', async () => {
    const body = JSON.stringify({ query: `{ public } #${'x'.repeat(1_100_000)}` });
    const declared = await gateway.post(body);
    expect([declared.status, code(declared)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const chunked = await sendRaw(
      gateway,
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body,
    ).catch(
      (error: NodeJS.ErrnoException) => ({ status: 413, text: String(error.code) }), // the socket may be closed while we still send
    );
    expect(chunked.status).toBe(413);
  });

  it('S-059 responds with 431 to oversized headers', async () => {
    const { status } = await sendRaw(
      gateway,
      { 'content-type': 'application/json', 'x-long': 'x'.repeat(20_000) },
      '{}',
    );
    expect(status).toBe(431);
  });

  it('S-059 responds with 431 to too many headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'x']));
    const { status } = await sendRaw(gateway, { 'content-type': 'application/json', ...many }, '{}');
    expect(status).toBe(431);
  });

  it('S-060 responds with 400 to a request with both content-length and chunks', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const { port, hostname } = new URL(gateway.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n',
        ),
      );
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('S-061 answers 1,000 pipelined requests in order', async () => {
    const body = '{"query":"{ __typename }"}';
    const one = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { port, hostname } = new URL(gateway.url);
    const responses = await new Promise<number>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(one.repeat(1_000)));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        const count = received.split('{"data":{"__typename":"Query"}}').length - 1;
        if (count < 1_000) return;
        socket.destroy();
        resolve(count);
      });
      socket.on('error', reject);
    });
    expect(responses).toBe(1_000);
  });
});

describe('Headers to subgraphs', () => {
  it('S-062 are the configured ones and no others', async () => {
    await sendRaw(
      gateway,
      {
        'content-type': 'application/json',
        'x-tenant': 'acme',
        'accept-language': 'de',
        authorization: 'Bearer x',
        cookie: 'session=1',
        'x-user-id': 'root',
        'X-User-Roles': ['ADMIN', 'EDITOR'],
        x_user_id: 'root',
        'x-forwarded-user': 'root',
        'trellis-user-context': 'forged',
        'x-request-id': 'forged',
      },
      JSON.stringify({ query: PUBLIC }),
    );
    const headers = graph.people.received[0]?.headers ?? {};
    expect(Object.keys(headers).toSorted()).toEqual(
      [
        'accept',
        'accept-language',
        'connection',
        'content-length',
        'content-type',
        'host',
        'trellis-timeout-ms',
        'x-request-id',
        'x-tenant',
      ].toSorted(),
    );
    expect(headers).toMatchObject({ 'x-tenant': 'acme', 'accept-language': 'de' });
    expect(headers['x-request-id']).not.toBe('forged');
  });

  it('G6: go on although the client lists them in Connection', async () => {
    await sendRaw(
      gateway,
      { 'content-type': 'application/json', connection: 'keep-alive, X-Tenant', 'x-tenant': 'acme' },
      JSON.stringify({ query: PUBLIC }),
    );
    expect(graph.people.received[0]?.headers['x-tenant']).toBe('acme');
  });
});
