import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const SETTINGS = `
  limits: { depth: 4, aliases: 2 }
  http: { cors: { origins: ["https://app.example"] } }
  subscriptions:
    heartbeatMs: 200
    bufferBytes: 20000
    webSocket: { maxOperations: 3, maxMessageBytes: 4000, maxMessages: 50 }`;

let graph: EventGraph;
let gateway: TestGateway;
let url: string;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: SETTINGS });
  url = `${gateway.url}/graphql`;
});
beforeEach(() => {
  graph.news.forget();
  graph.people.forget();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(() => graph.news.open() === 0, 'all upstream subscriptions have ended');
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

async function connect(payload?: Readonly<Record<string, unknown>>): Promise<RawSocket> {
  const socket = await RawSocket.connect(url, payload);
  sockets.push(socket);
  return socket;
}

async function open(options = {}): Promise<RawSocket> {
  const socket = new RawSocket(url, options);
  sockets.push(socket);
  await socket.opened();
  return socket;
}

describe('operations over WebSocket', () => {
  it('complete each event with what another subgraph knows, until the source ends', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { published { id author { name } } }');
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a', author: '7' });
    expect(await socket.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { published: { id: 'a', author: { name: 'User 7' } } } },
    });
    graph.news.complete();
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
  });

  it('null propagates within one event, and the next one is whole', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { guarded: published { id author { id name } } }');
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a', author: 'gone' });
    graph.news.publish({ id: 'b', author: '1' });
    expect(await socket.next()).toMatchObject({
      payload: {
        data: { guarded: { id: 'a', author: null } },
        errors: [{ path: ['guarded', 'author', 'name'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      },
    });
    expect(await socket.next()).toMatchObject({ payload: { data: { guarded: { id: 'b' } } } });
  });

  it('pass on the id that an event can be resumed after, and the id that a client resumes after', async () => {
    const socket = await connect();
    graph.news.publish({ id: 'seen', eventId: 'e-4' });
    socket.subscribe('1', 'subscription { published { id } }', { extensions: { lastEventId: 'e-4' } });
    await until(() => graph.news.open() === 1);
    expect(graph.news.subscribed[0]?.extensions).toMatchObject({ lastEventId: 'e-4' });
    graph.news.publish({ id: 'a', eventId: 'e-5' });
    expect(await socket.next()).toMatchObject({ payload: { extensions: { eventId: 'e-5' } } });
  });

  it('are subscriptions of their topic alone', async () => {
    const socket = await connect();
    const text = 'subscription Of($topic: String) { published(topic: $topic) { id } }';
    socket.subscribe('sport', text, { variables: { topic: 'sport' } });
    socket.subscribe('arts', text, { variables: { topic: 'arts' } });
    await until(() => graph.news.open() === 2);
    graph.news.publish({ id: 'goal' }, 'sport');
    graph.news.publish({ id: 'opera' }, 'arts');
    const frames = [await socket.next(), await socket.next()];
    expect(frames).toContainEqual({
      id: 'sport',
      type: 'next',
      payload: { data: { published: { id: 'goal' } } },
    });
    expect(frames).toContainEqual({
      id: 'arts',
      type: 'next',
      payload: { data: { published: { id: 'opera' } } },
    });
  });

  it('are queries and mutations too', async () => {
    const socket = await connect();
    socket.subscribe('q', '{ user(id: "3") { name } }');
    expect(await socket.next()).toEqual({
      id: 'q',
      type: 'next',
      payload: { data: { user: { name: 'User 3' } } },
    });
    expect(await socket.next()).toEqual({ id: 'q', type: 'complete' });
    socket.subscribe('m', 'mutation { bump }');
    expect(await socket.next()).toMatchObject({
      id: 'm',
      payload: { data: { bump: expect.any(Number) as number } },
    });
    expect(await socket.next()).toEqual({ id: 'm', type: 'complete' });
  });

  it.each([
    ['GRAPHQL_PARSE_ERROR', '{ user(id: }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ noAuthor }'],
    ['BAD_USER_INPUT', 'query Q($id: ID!) { user(id: $id) { id } }'],
    ['QUERY_TOO_COMPLEX', '{ a: count b: count c: count }'],
    ['GRAPHQL_VALIDATION_FAILED', 'subscription { published { ... @defer { id } } }'],
    ['GRAPHQL_VALIDATION_FAILED', 'subscription { published { id } shared { id } }'],
  ])('S-073 are rejected with %s by an error frame, and the connection goes on: %s', async (code, query) => {
    const socket = await connect();
    socket.subscribe('bad', query);
    expect(await socket.next()).toMatchObject({
      id: 'bad',
      type: 'error',
      payload: [{ extensions: { code } }],
    });
    socket.subscribe('bad', '{ count }');
    expect(await socket.next()).toMatchObject({ id: 'bad', type: 'next' });
  });

  it('S-054 may be asked for by the hash of their text', async () => {
    const query = '{ user(id: "hash") { id } }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const socket = await connect();
    socket.send({ id: '1', type: 'subscribe', payload: { extensions } });
    expect(await socket.next()).toMatchObject({
      payload: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    socket.subscribe('1', query, { extensions });
    expect([await socket.next(), await socket.next()]).toMatchObject([
      { type: 'next' },
      { type: 'complete' },
    ]);
    socket.subscribe('1', '', { extensions });
    expect(await socket.next()).toMatchObject({ payload: { data: { user: { id: 'hash' } } } });
  });

  it('S-101 disclose nothing of what goes wrong inside a subgraph', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { rejected { id } }');
    const frame = await socket.next();
    expect(frame).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
  });

  it('end when the client completes them, and so does the work behind', async () => {
    const socket = await connect();
    socket.subscribe('1', 'subscription { published { id } }');
    await until(() => graph.news.open() === 1);
    socket.send({ id: '1', type: 'complete' });
    await until(() => graph.news.open() === 0);
    socket.subscribe('1', '{ count }');
    expect(await socket.next()).toMatchObject({ id: '1', type: 'next' });
  });

  it("are spoken by graphql-ws' own client", async () => {
    const client = createClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    const results: unknown[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      client.subscribe(
        { query: 'subscription { published { id author { name } } }' },
        { next: (result) => results.push(result), complete: resolve, error: reject },
      );
    });
    await until(() => graph.news.open() === 1);
    for (const id of ['a', 'b']) graph.news.publish({ id, author: id });
    await until(() => results.length === 2);
    graph.news.complete();
    await ended;
    expect(results).toEqual([
      { data: { published: { id: 'a', author: { name: 'User a' } } } },
      { data: { published: { id: 'b', author: { name: 'User b' } } } },
    ]);
    await client.dispose();
  });
});

describe('connections', () => {
  it.each(['authorization', 'host'])('with the header %s twice are rejected with 400', async (name) => {
    const { host } = new URL(gateway.url);
    const once = { authorization: 'Bearer one', host };
    const headers = [...Object.entries(once), [name, once[name as 'host']]].flat();
    const upgrade = [
      'connection',
      'upgrade',
      'upgrade',
      'websocket',
      'sec-websocket-protocol',
      'graphql-transport-ws',
    ];
    const key = ['sec-websocket-version', '13', 'sec-websocket-key', randomBytes(16).toString('base64')];
    const status = await new Promise((resolve, reject) => {
      request(`${gateway.url}/graphql`, { headers: [...headers, ...upgrade, ...key], setHost: false })
        .on('response', ({ statusCode }) => resolve(statusCode))
        .on('upgrade', (_response, socket) => {
          socket.destroy();
          resolve('let in');
        })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  it('S-071 that say nothing are closed with 4408', async () => {
    const impatient = await startTestGateway({
      subgraphs: graph.all,
      settings: 'subscriptions: { webSocket: { initMs: 300 } }',
    });
    for (const protocol of ['graphql-transport-ws', 'graphql-ws']) {
      const { closed } = new RawSocket(`${impatient.url}/graphql`, {}, protocol);
      expect(await closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
    }
    await impatient.close();
  });

  it('S-071 that ask before they are acknowledged are closed with 4401', async () => {
    const socket = await open();
    socket.subscribe('1', '{ count }');
    expect((await socket.closed).code).toBe(4401);
  });

  it('S-071 that initialise twice are closed with 4429', async () => {
    const socket = await connect();
    socket.send({ type: 'connection_init' });
    expect((await socket.closed).code).toBe(4429);
  });

  it('S-071 that use an id twice at a time are closed with 4409', async () => {
    const socket = await connect();
    socket.subscribe('x', 'subscription { published { id } }');
    socket.subscribe('x', '{ count }');
    expect(await socket.closed).toEqual({ code: 4409, reason: 'Subscriber for x already exists' });
  });

  it.each([
    'no JSON',
    '[]',
    '{"type":"start"}',
    '{"type":"subscribe","payload":{"query":"{ count }"}}',
    '{"type":"subscribe","id":"","payload":{"query":"{ count }"}}',
    '{"type":"subscribe","id":7,"payload":{"query":"{ count }"}}',
    '{"type":"subscribe","id":"1"}',
    '{"type":"subscribe","id":"1","payload":{"query":7}}',
    '{"type":"subscribe","id":"1","payload":{}}',
    '{"type":"subscribe","id":"1","payload":{"query":""}}',
    '{"type":"subscribe","id":"1","payload":{"documentId":""}}',
    '{"type":"subscribe","id":"1","payload":{"extensions":{"persistedQuery":null}}}',
    '{"type":"subscribe","id":"1","payload":{"extensions":{"persistedQuery":{"version":1}}}}',
    '{"type":"subscribe","id":"1","payload":{"query":"{ count }","variables":[]}}',
    '{"type":"complete"}',
    '{"type":"ping","payload":"text"}',
  ])('S-071 that send what is no message are closed with 4400: %s', async (text) => {
    const socket = await connect();
    socket.send(text);
    expect((await socket.closed).code).toBe(4400);
  });

  it('S-071 that send bytes are closed with 4400', async () => {
    const socket = await connect();
    socket.socket.send(Buffer.from('{"type":"ping"}'));
    expect((await socket.closed).code).toBe(4400);
  });

  it('S-071 that speak another sub-protocol are closed with 4406', async () => {
    const other = new WebSocket(url.replace('http', 'ws'));
    const [code] = (await once(other, 'close')) as [number];
    expect(code).toBe(4406);
  });

  it('S-071 that send too much at once are closed with 1009', async () => {
    const socket = await connect();
    socket.subscribe('1', `{ count } # ${'x'.repeat(5_000)}`);
    expect((await socket.closed).code).toBe(1009);
  });

  it('answer a ping with a pong', async () => {
    const socket = await connect();
    socket.send({ type: 'ping', payload: { any: 'thing' } });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  it('S-077 that flood are closed, and those that do not answer pings are left', async () => {
    const flood = await connect();
    while (flood.socket.readyState === WebSocket.OPEN) {
      for (let index = 0; index < 60; index += 1) flood.send({ type: 'ping' });
      await nextTurn(); // the count begins again with each heartbeat, which may fall among these
    }
    expect((await flood.closed).code).toBe(1008);
    const silent = await RawSocket.connect(url, {}, { autoPong: false });
    expect((await silent.closed).code).toBe(1006);
  });

  it('S-074 run no more operations than they may, and go on', async () => {
    const socket = await connect();
    for (const id of ['1', '2', '3', '4']) socket.subscribe(id, 'subscription { published { id } }');
    expect(await socket.next()).toMatchObject({
      id: '4',
      type: 'error',
      payload: [{ extensions: { code: 'TOO_MANY_STREAMS' } }],
    });
    socket.send({ id: '1', type: 'complete' });
    socket.subscribe('5', '{ count }');
    expect(await socket.next()).toMatchObject({ id: '5', type: 'next' });
  });

  it('S-075 of clients that do not read are closed, and others hear everything', async () => {
    const settings = 'subscriptions: { bufferBytes: 20000 }';
    const own = await startTestGateway({ subgraphs: graph.all, settings });
    const [slow, fast] = [
      await RawSocket.connect(`${own.url}/graphql`),
      await RawSocket.connect(`${own.url}/graphql`),
    ];
    for (const socket of [slow, fast]) socket.subscribe('1', 'subscription { published { id } }');
    await until(() => graph.news.open() === 1);
    slow.socket.pause();
    const id = 'x'.repeat(200_000);
    for (let sent = 1; !(await own.metrics.metrics()).match(/slow_consumers_total\{.*\} 1/); sent += 1) {
      graph.news.publish({ id });
      await until(() => fast.frames.length === sent);
    }
    slow.socket.resume();
    expect([1006, 1013]).toContain((await slow.closed).code);
    expect(fast.socket.readyState).toBe(WebSocket.OPEN);
    await own.close();
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['https://app.example.evil.example', 403],
  ])('S-070 from pages of %s are rejected with 403', async (origin, status) => {
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { origin });
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(status);
  });

  it('S-070 from configured pages and from its own are let in', async () => {
    for (const origin of ['https://app.example', gateway.url])
      expect((await open({ origin })).socket.protocol).toBe('graphql-transport-ws');
  });

  it('are rejected at other paths', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/other`, 'graphql-transport-ws');
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(404);
  });

  it('S-074 leave nothing behind after many operations', async () => {
    const socket = await connect();
    for (let index = 0; index < 40; index += 1) {
      socket.subscribe('again', 'subscription { published { id } }');
      socket.send({ id: 'again', type: 'complete' });
      if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 450)); // two heartbeats
    }
    await until(() => graph.news.open() === 0);
    const metrics = await gateway.metrics.metrics();
    expect(metrics).toMatch(/trellis_gateway_streams\{kind="subscription".*\} 0/);
    expect(metrics).toMatch(/trellis_gateway_subgraph_subscriptions\{subgraph="news".*\} 0/);
  });
});

describe('a gateway that is stopped', () => {
  it('F-13 answers what runs, then closes connections in a way that clients connect again', async () => {
    const own = await startTestGateway({ subgraphs: graph.all });
    const socket = await RawSocket.connect(`${own.url}/graphql`);
    socket.subscribe('s', 'subscription { published { id } }');
    await until(() => graph.news.open() === 1);
    socket.subscribe('q', '{ user(id: "slow") { name } }');
    await until(() => graph.people.received.length === 1);
    const closing = own.close();
    expect(await socket.next()).toMatchObject({ id: 'q', type: 'next' });
    expect(await socket.closed).toEqual({ code: 1012, reason: 'Service restart' });
    await closing;
  });
});
