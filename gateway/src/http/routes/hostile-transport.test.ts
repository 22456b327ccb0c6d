import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carriers } from '../../../test-fixtures/attacks/carriers.ts';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.forget());

/** What a subgraph gets for an anonymous caller. */
const FORWARDED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'trellis-timeout-ms',
  'x-request-id',
]);

describe.each(carriers)('S-062 S-064 headers by $name', (carrier) => {
  it('stay at the gateway, and none of them passes for its own word', async () => {
    const headers = {
      cookie: 'session=forged',
      'x-user-id': 'forged',
      'X-User-Roles': 'forged',
      x_user_id: 'forged',
      'x-forwarded-user': 'forged',
      'x-forwarded-for': 'forged',
      'x-request-id': 'forged',
      'trellis-user-context': 'forged',
      'trellis-timeout-ms': '7',
    };
    const verdicts = await carrier.send(gateway.url, { attack: '', query: '{ public }', headers });
    for (const { code, text } of verdicts) {
      expect(code).toBeUndefined();
      expect(text).toContain('open to all');
    }
    expect(graph.requests()).toBeGreaterThan(0);
    for (const received of graph.people.received) {
      expect(Object.keys(received.headers).filter((name) => !FORWARDED.has(name))).toEqual([]);
      expect(JSON.stringify(received)).not.toContain('forged');
      expect(received.headers['trellis-timeout-ms']).not.toBe('7');
    }
  });
});

type Headers = Readonly<Record<string, string>>;
const JSON_TYPE = { 'content-type': 'application/json' };
const BODY = JSON.stringify({ query: '{ public }' });
const forms: readonly (readonly [name: string, path: string, accept: string])[] = [
  ['one response', '/graphql', 'application/graphql-response+json'],
  ['server-sent events', '/graphql/stream', 'text/event-stream'],
  ['server-sent events at the address of the graph', '/graphql', 'text/event-stream'],
  ['multipart', '/graphql', 'multipart/mixed; subscriptionSpec=1.0, multipart/mixed'],
];

describe.each(forms)('A request for %s', (_name, path, accept) => {
  async function send(headers: Headers, body = BODY): Promise<readonly [status: number, text: string]> {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { accept, ...headers },
      body,
    });
    return [response.status, await response.text()];
  }
  const get = async (query: string, headers: Headers = {}): Promise<readonly [number, string]> => {
    const response = await fetch(`${gateway.url}${path}?${new URLSearchParams({ query }).toString()}`, {
      headers: { accept, ...headers },
    });
    return [response.status, await response.text()];
  };

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json;x',
    'application/json x',
    'text/plain; application/json',
  ])('S-050 as %s is rejected, and no subgraph is asked', async (contentType) => {
    const [status, text] = await send({ 'content-type': contentType });
    expect([400, 415]).toContain(status);
    expect(text).toMatch(/CSRF_PREVENTED|UNSUPPORTED_MEDIA_TYPE/);
    expect(graph.requests()).toBe(0);
  });

  it('S-050 by GET, without a header that makes browsers ask, is rejected', async () => {
    const pages: readonly Headers[] = [
      { 'user-agent': 'Mozilla/5.0' },
      { 'content-type': 'message/external-body', 'user-agent': 'Mozilla/5.0' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of pages) {
      const [status, text] = await get('{ public }', headers);
      expect([status, text]).toEqual([400, expect.stringContaining('CSRF_PREVENTED')]);
    }
    expect(graph.requests()).toBe(0);
  });

  it('S-051 by GET for a mutation gets 405', async () => {
    const mutation = 'mutation { rename(id: "user-1", name: "X") { name } }';
    const [status, text] = await get(mutation, { 'apollo-require-preflight': '1' });
    expect([status, text]).toEqual([405, expect.stringContaining('METHOD_NOT_ALLOWED')]);
    expect(graph.requests()).toBe(0);
  });

  it.each([
    ['an empty batch', '[]'],
    ['a batch of 11', `[${Array.from({ length: 11 }, () => BODY).join(',')}]`],
    ['no JSON', '{"query":'],
    ['no object', '7'],
  ])('S-053 that is %s is rejected with 400', async (_what, body) => {
    expect((await send(JSON_TYPE, body))[0]).toBe(400);
    expect(graph.requests()).toBe(0);
  });

  it('S-004 with more than 1 MiB gets 413', async () => {
    expect((await send(JSON_TYPE, `{"query":"{ public } #${'x'.repeat(1_100_000)}"}`))[0]).toBe(413);
  });

  it.each([
    ['gzip', 400],
    ['deflate', 400],
    ['br', 415],
    ['zstd', 415],
    ['gzip, gzip', 415],
  ])('S-056 with a body that says that it is in %s gets %i', async (encoding, status) => {
    expect((await send({ ...JSON_TYPE, 'content-encoding': encoding }))[0]).toBe(status);
    expect(graph.requests()).toBe(0);
  });

  it.each(['utf-16', 'iso-8859-1', 'utf-7', '"utf-8'])('S-058 in %s gets 415', async (charset) => {
    expect((await send({ 'content-type': `application/json; charset=${charset}` }))[0]).toBe(415);
    expect(graph.requests()).toBe(0);
  });
});
