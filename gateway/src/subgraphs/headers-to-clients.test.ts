import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ParsedFields } from '@trellis/http1';
import { readMultipart } from '../testing/multipart-reader.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { readGatewayResponse, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

/** A subgraph whose headers a test sets. It answers what it is asked with the number of the request. */
interface HeaderSubgraph {
  respond: (response: ServerResponse, count: number, query: string) => void | Promise<void>;
  count: number;
  readonly server: Server;
  readonly definition: SubgraphServer;
}

let base: SubgraphServer;
let first: HeaderSubgraph;
let second: HeaderSubgraph;
let silent: HeaderSubgraph;
let redis: TestRedis;
let gateway: TestGateway;

async function startHeaderSubgraph(
  name: string,
  typeDefs: SubgraphServer['typeDefs'],
): Promise<HeaderSubgraph> {
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.once('end', () => {
      subgraph.count += 1;
      void subgraph.respond(response, subgraph.count, (JSON.parse(text) as { query: string }).query);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
  const subgraph: HeaderSubgraph = {
    respond: () => undefined,
    count: 0,
    server,
    definition: { ...base, name, typeDefs, url },
  };
  return subgraph;
}

const SETTINGS = `
responseCache: {}
http: { cors: { origins: ['https://app.example'] } }
headers:
  response: { X-First: first, x-last: last, x-list: append, Set-Cookie: append }
  responseBytes: 1000
  subgraphs:
    second: { response: { x-second: last, x-first: append } }
`;

beforeAll(async () => {
  redis = await startTestRedis();
  base = await startSubgraph({
    name: 'base',
    typeDefs: gql`
      type Query {
        base: String
      }
    `,
    resolvers: { Query: { base: () => 'as ever' } },
  });
  first = await startHeaderSubgraph(
    'first',
    gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      type Query {
        first: Int
        thing: Thing
      }
      type Mutation {
        change: Int
      }
      type Thing @key(fields: "id") {
        id: ID!
      }
    `,
  );
  second = await startHeaderSubgraph(
    'second',
    gql`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      type Query {
        second: Int
      }
      type Thing @key(fields: "id") {
        id: ID!
        size: Int
      }
    `,
  );
  silent = await startHeaderSubgraph(
    'silent',
    gql`
      type Query {
        silent: Int
      }
    `,
  );
  gateway = await startTestGateway({
    subgraphs: [base, first.definition, second.definition, silent.definition],
    settings: SETTINGS,
    environment: { CACHE_REDIS_URL: redis.url },
  });
});
afterAll(async () => {
  await gateway.close();
  for (const { server } of [first, second, silent]) {
    server.closeAllConnections();
    server.close();
  }
  await base.close();
  await redis.stop();
});

beforeEach(() => {
  first.respond = (response, count) => send(response, { first: count });
  second.respond = (response, count) => send(response, { second: count });
  silent.respond = (response, count) => send(response, { silent: count });
});

/** @param lines names and values in turn, as they go to the socket */
function send(response: ServerResponse, data: object, lines: readonly string[] = []): void {
  response.writeHead(200, ['content-type', 'application/json', ...lines]);
  response.end(JSON.stringify({ data }));
}

/** In turn, the second when the first has arrived: the order of their headers is then known. */
function inTurn(ofFirst: readonly string[], ofSecond: readonly string[]): void {
  first.respond = (response) => send(response, { thing: { __typename: 'Thing', id: '1' } }, ofFirst);
  second.respond = (response) => send(response, { _entities: [{ __typename: 'Thing', size: 3 }] }, ofSecond);
}

const IN_TURN = { query: '{ thing { size } }' };

describe('Headers of subgraphs that headers.response names', () => {
  it('reach clients, and no others do', async () => {
    first.respond = (response, count) =>
      send(response, { first: count }, ['x-last', 'a', 'X-Other', 'b', 'x-second', 'c', 'x-last-not', 'd']);
    const { headers, body } = await gateway.post({ query: '{ first }' });
    expect(body.data).toEqual({ first: expect.any(Number) });
    expect(headers.get('x-last')).toBe('a');
    for (const name of ['x-other', 'x-second', 'x-last-not']) expect(headers.get(name)).toBeNull();
  });

  it('are those of one subgraph on top of those of all, and none with an empty rule', async () => {
    second.respond = (response, count) => send(response, { second: count }, ['x-second', 'c', 'x-last', 'a']);
    const { headers } = await gateway.post({ query: '{ second }' });
    expect([headers.get('x-second'), headers.get('x-last')]).toEqual(['c', 'a']);
  });

  it('are merged as first, last or append says, in the order in which responses arrive', async () => {
    inTurn(
      ['x-first', '1a', 'x-first', '1b', 'x-last', '1a', 'x-list', '1a', 'x-list', '1b'],
      ['x-first', '2', 'x-last', '2a', 'x-last', '2b', 'x-list', '2'],
    );
    const { headers, body } = await gateway.post(IN_TURN);
    expect(body.data).toEqual({ thing: { size: 3 } });
    expect(headers.get('x-first')).toBe('1a, 2'); // append for the second
    expect(headers.get('x-last')).toBe('2b');
    expect(headers.get('x-list')).toBe('1a, 1b, 2');
  });

  it.each([
    ['the fast path', (): Promise<Response> => askOnce('POST')],
    ['the framework, by GET', (): Promise<Response> => askOnce('GET')],
    ['the framework, as a stream of events', (): Promise<Response> => askOnce('POST', 'text/event-stream')],
  ])('are lines of their own for cookies: %s', async (_, ask) => {
    inTurn(
      ['set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'set-cookie', 'b=2'],
      ['set-cookie', 'a=3'],
    );
    const { headers } = await ask();
    expect(headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2', 'a=3']);
  });

  function askOnce(method: 'GET' | 'POST', accept = 'application/json'): Promise<Response> {
    const headers = { accept, 'content-type': 'application/json', 'apollo-require-preflight': '1' };
    return method === 'POST'
      ? fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(IN_TURN) })
      : fetch(`${gateway.url}/graphql?${new URLSearchParams(IN_TURN).toString()}`, { headers });
  }

  it('come with mutations, with errors, and with a status of their own as well', async () => {
    first.respond = (response) => {
      response.writeHead(401, ['set-cookie', 'session=; Max-Age=0']);
      response.end('{"errors":[{"message":"Sign in.","extensions":{"code":"SIGN_IN"}}]}');
    };
    const { headers, body } = await gateway.post({ query: 'mutation { change }' });
    expect(body.errors?.[0]?.message).toBe('Sign in.');
    expect(headers.getSetCookie()).toEqual(['session=; Max-Age=0']);
  });

  it('of a batch are merged in the order of its operations, within the same bounds', async () => {
    first.respond = (response, count) =>
      send(response, { first: count }, ['set-cookie', `n=${'x'.repeat(300)}`, 'x-first', 'one']);
    const { headers } = await gateway.post([1, 2, 3, 4].map(() => ({ query: '{ first }' })));
    expect(headers.getSetCookie()).toHaveLength(3);
    expect(headers.get('x-first')).toBe('one');
  });

  it('of a response in parts are those that came before its head', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    first.respond = (response) =>
      send(response, { thing: { __typename: 'Thing', id: '1' } }, ['x-last', 'head']);
    second.respond = async (response) => {
      await released;
      send(response, { _entities: [{ __typename: 'Thing', size: 3 }] }, [
        'x-last',
        'late',
        'set-cookie',
        'a=1',
      ]);
    };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'multipart/mixed; incrementalSpec=v0.2', 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ thing { id ... @defer { size } } }' }),
    });
    expect(response.headers.get('x-last')).toBe('head');
    expect(response.headers.getSetCookie()).toEqual([]);
    release();
    expect(JSON.stringify(await readMultipart(response).rest())).toContain('"size":3');
  });

  it('can be read by scripts of other origins, but for cookies', async () => {
    const { headers } = await gateway.post({ query: '{ first }' }, { origin: 'https://app.example' });
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'x-first', 'x-last', 'x-list', 'x-second']),
    );
    expect(exposed).not.toContain('set-cookie');
  });
});

describe('A response with headers of subgraphs', () => {
  it('is shared with no one: of equal queries at a time each has its own cookie', async () => {
    const uncached = await startTestGateway({
      subgraphs: [first.definition, second.definition],
      settings: 'headers: { response: { set-cookie: append } }',
    });
    const before = first.count;
    first.respond = (response, count) => {
      setTimeout(() => send(response, { first: count }, ['set-cookie', `session=${count}`]), 5);
    };
    const all = await Promise.all(Array.from({ length: 30 }, () => uncached.post({ query: '{ first }' })));
    const cookies = all.flatMap(({ headers }) => headers.getSetCookie());
    expect(new Set(cookies).size).toBe(30);
    for (const { headers, body } of all)
      expect(headers.getSetCookie()).toEqual([`session=${String(body.data?.['first'])}`]);
    expect(first.count - before).toBe(30);
    await uncached.close();
  });

  it('is all that is not shared: queries of subgraphs without rules are executed together', async () => {
    const other = await startTestGateway({
      subgraphs: [first.definition, second.definition, silent.definition],
      settings: 'headers: { subgraphs: { first: { response: { set-cookie: append } } } }',
    });
    const before = silent.count;
    silent.respond = (response, count) => void setTimeout(() => send(response, { silent: count }), 5);
    await Promise.all(Array.from({ length: 30 }, () => other.post({ query: '{ silent }' })));
    expect(silent.count - before).toBeLessThan(30);
    await other.close();
  });

  it('is not stored, by the gateway or a cache in front; one without any is', async () => {
    const cached = ['cache-control', 'max-age=60'];
    const query = '{ again: first }';
    first.respond = (response, count) =>
      send(response, { again: count }, [...cached, 'set-cookie', `s=${count}`]);
    const one = await gateway.post({ query });
    const two = await gateway.post({ query });
    expect(two.body.data).not.toEqual(one.body.data);
    expect(two.headers.getSetCookie()).not.toEqual(one.headers.getSetCookie());
    expect(one.headers.get('cache-control')).toBe('no-store');
    first.respond = (response, count) => send(response, { again: count }, cached);
    const three = await gateway.post({ query });
    expect(three.headers.get('cache-control')).toMatch(/max-age=60/);
    expect((await gateway.post({ query })).body).toEqual(three.body);
  });

  it('waits for no one whose response is stored: equal queries beside it get cookies of their own', async () => {
    const query = '{ beside: first }';
    first.respond = (response, count) =>
      void setTimeout(
        () => send(response, { beside: count }, ['cache-control', 'max-age=60', 'set-cookie', `s=${count}`]),
        10,
      );
    const all = await Promise.all(Array.from({ length: 10 }, () => gateway.post({ query })));
    for (const { headers, body } of all)
      expect(headers.getSetCookie()).toEqual([`s=${String(body.data?.['beside'])}`]);
    expect(new Set(all.map(({ text }) => text)).size).toBe(10);
  });
});

describe('Headers of subgraphs beyond their bounds', () => {
  const dropped = (): unknown =>
    gateway.logged().findLast(({ msg }) => String(msg).includes('headers.responseBytes'))?.['names'];

  it('are left out and logged by their names, never by their values', async () => {
    first.respond = (response, count) =>
      send(response, { first: count }, [
        'x-first',
        'x'.repeat(900),
        'x-last',
        'y'.repeat(100),
        'x-list',
        'short',
      ]);
    const { headers } = await gateway.post({ query: '{ first }' });
    expect(headers.get('x-first')).toHaveLength(900);
    expect([headers.get('x-last'), headers.get('x-list')]).toEqual([null, 'short']);
    expect(dropped()).toEqual(['x-last']);
  });

  it('are at most 64, however short', async () => {
    const many = Array.from({ length: 90 }, () => ['x-list', '1']).flat();
    first.respond = (response, count) => send(response, { first: count }, many);
    const { headers } = await gateway.post({ query: '{ first }' });
    expect(headers.get('x-list')?.split(', ')).toHaveLength(64);
  });

  it('and those that would end a line never reach a client', async () => {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        const body = '{"data":{"silent":1}}';
        socket.end(
          `HTTP/1.1 200 OK\r\nx-last: a\rset-cookie: stolen=1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      });
    });
    await new Promise<void>((resolve) => {
      raw.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`; // it listens on TCP
    const other = await startTestGateway({
      subgraphs: [{ ...silent.definition, url }],
      settings: 'headers: { response: { x-last: last } }',
    });
    const { body, headers } = await other.post({ query: '{ silent }' });
    expect(body.data).toEqual({ silent: null });
    expect([headers.get('x-last'), headers.getSetCookie()]).toEqual([null, []]);
    await other.close();
    raw.close();
    const parsed = new ParsedFields({ 'x-last': ['a\r\nset-cookie: b', 'fine', 'euro €'] });
    expect(parsed.pick(new Set(['x-last']))).toEqual([{ name: 'x-last', value: 'fine' }]);
  });
});

it('A gateway without headers.response passes no header on, whatever the transport', async () => {
  const other = await startTestGateway({ subgraphs: [first.definition, second.definition] });
  first.respond = (response, count) => send(response, { first: count }, ['set-cookie', 'a=1', 'x-last', 'b']);
  const by = [
    await other.post({ query: '{ first }' }),
    await other.get({ query: '{ first }' }),
    await readGatewayResponse(
      await fetch(`${other.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ query: '{ first }' }, { query: '{ first }' }]),
      }),
    ),
  ];
  await other.close();
  for (const { headers } of by) expect([headers.getSetCookie(), headers.get('x-last')]).toEqual([[], null]);
});
