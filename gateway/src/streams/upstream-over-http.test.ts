import { once } from 'node:events';
import { gql } from 'graphql-tag';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startHttpStreamSubgraph,
  type HttpStreamSubgraph,
  type PostedSubscription,
} from '../testing/http-stream-subgraph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { FoundTransports } from './upstream-transports.ts';

const RATINGS = gql`
  type Query {
    best: Int
  }
  type Subscription {
    rated(topic: String): Int
    other: Int
  }
`;

let subgraph: HttpStreamSubgraph;
let gateway: TestGateway;
const sockets: RawSocket[] = [];
const gateways: TestGateway[] = [];

function start(settings?: string): Promise<TestGateway> {
  return startTestGateway({
    subgraphs: [{ name: 'ratings', typeDefs: RATINGS, url: subgraph.url } as never], // composed, never asked here
    environment: { FORWARD_HEADERS: 'x-tenant' },
    ...(settings !== undefined && { settings }),
  });
}

beforeAll(async () => {
  subgraph = await startHttpStreamSubgraph();
  gateway = await start();
});
beforeEach(() => subgraph.forget());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(() => subgraph.posted.every((posted) => posted.isClosed()), 'all requests have ended');
  await Promise.all(gateways.splice(0).map((one) => one.close()));
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

async function subscribe(to = gateway, query = 'subscription { rated }', headers = {}): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${to.url}/graphql`, {}, { headers });
  sockets.push(socket);
  socket.subscribe('1', query);
  return socket;
}

async function nthPosted(count: number): Promise<PostedSubscription> {
  await until(() => subgraph.posted.length >= count, `${count} subscriptions by POST`);
  const posted = subgraph.posted[count - 1];
  if (!posted) throw new Error('There is none.');
  return posted;
}

function nthIsClosed(count: number): boolean {
  return subgraph.posted[count - 1]?.isClosed() ?? false;
}

function beginEvents({ response }: PostedSubscription): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'content-encoding': 'none', // as GraphQL Yoga has it
  });
  response.write(':\n\n');
}

function sendEvent({ response }: PostedSubscription, payload: unknown): void {
  response.write(`event: next\ndata: ${JSON.stringify(payload)}\n\n`);
}

function dataIs(rated: number): object {
  return { type: 'next', payload: { data: { rated } } };
}

const INTERRUPTED = { type: 'error', payload: [{ extensions: { code: 'SUBSCRIPTION_INTERRUPTED' } }] };

describe('B4: a subgraph that answers the upgrade with 200', () => {
  it('is subscribed to by server-sent events, and the WebSocket is not tried again', async () => {
    const first = await subscribe(gateway, undefined, { 'x-tenant': 'blue' });
    const posted = await nthPosted(1);
    expect(posted.headers).toMatchObject({
      accept: expect.stringMatching(/^text\/event-stream, multipart\/mixed;subscriptionSpec=1\.0/) as string,
      'content-type': 'application/json',
      'x-tenant': 'blue',
      'x-request-id': expect.any(String) as string,
    });
    expect(posted.body).toEqual({ query: expect.stringContaining('rated') as string, variables: {} });
    beginEvents(posted);
    sendEvent(posted, { data: { rated: 5 } });
    expect(await first.next()).toMatchObject(dataIs(5));
    const second = await subscribe(gateway, 'subscription { other }');
    beginEvents(await nthPosted(2));
    expect(subgraph.upgrades()).toBe(1);
    second.close();
    await until(() => nthIsClosed(2), 'a client that disconnects ends it');
    posted.response.end('event: complete\ndata:\n\n');
    expect(await first.next()).toMatchObject({ type: 'complete' });
  });

  it('shares one stream among subscribers of the same', async () => {
    const all = [await subscribe(), await subscribe()];
    const posted = await nthPosted(1);
    beginEvents(posted);
    sendEvent(posted, { data: { rated: 4 } });
    for (const socket of all) expect(await socket.next()).toMatchObject(dataIs(4));
    expect(subgraph.posted).toHaveLength(1);
  });

  it('may send its response in parts', async () => {
    const socket = await subscribe();
    const { response } = await nthPosted(1);
    response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0' });
    response.write('\r\n--graphql\r\ncontent-type: application/json\r\n\r\n{}\r\n--graphql');
    response.write('\r\ncontent-type: application/json\r\n\r\n{"payload":{"data":{"rated":3}}}\r\n--graphql');
    expect(await socket.next()).toMatchObject(dataIs(3));
    response.end('--\r\n');
    expect(await socket.next()).toMatchObject({ type: 'complete' });
  });

  it.each([400, 200])('rejects with %d and errors as JSON: they reach the client', async (status) => {
    const socket = await subscribe();
    const { response } = await nthPosted(1);
    response.writeHead(status, { 'content-type': 'application/graphql-response+json' });
    response.end('{"errors":[{"message":"no","extensions":{"code":"BAD_USER_INPUT"}}]}');
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('is resumed after the last event when the response breaks', async () => {
    const socket = await subscribe();
    const posted = await nthPosted(1);
    beginEvents(posted);
    sendEvent(posted, { data: { rated: 1 }, extensions: { eventId: 'e-1' } });
    expect(await socket.next()).toMatchObject(dataIs(1));
    const tried = subgraph.upgrades();
    posted.response.destroy();
    const again = await nthPosted(2);
    expect(again.body.extensions).toEqual({ lastEventId: 'e-1' });
    beginEvents(again);
    sendEvent(again, { data: { rated: 2 } });
    expect(await socket.next()).toMatchObject(dataIs(2));
    expect(subgraph.upgrades()).toBe(tried + 1); // what was found is forgotten at a failure
  });

  it('ends with SUBSCRIPTION_INTERRUPTED when the response ends without complete', async () => {
    const socket = await subscribe();
    const posted = await nthPosted(1);
    beginEvents(posted);
    posted.response.end();
    expect(await socket.next()).toMatchObject(INTERRUPTED);
  });
});

describe('what an upstream over HTTP is held to', () => {
  it('a stream without a byte is taken for broken; heartbeats keep it', async () => {
    const brief = await start('subscriptions: { transport: sse, upstreamIdleMs: 1500 }');
    gateways.push(brief);
    const socket = await subscribe(brief);
    const posted = await nthPosted(1);
    expect(posted.headers.accept).toMatch(/^text\/event-stream, application/);
    beginEvents(posted);
    for (let heartbeat = 0; heartbeat < 5; heartbeat += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      posted.response.write(':\n\n');
    }
    sendEvent(posted, { data: { rated: 1 } });
    expect(await socket.next()).toMatchObject(dataIs(1));
    expect(await socket.next()).toMatchObject(INTERRUPTED);
    expect(subgraph.upgrades()).toBe(0);
  });

  it('an event of more than 16 MiB ends it', async () => {
    const socket = await subscribe();
    const { response } = await nthPosted(1);
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: ');
    response.setMaxListeners(0);
    const piece = 'x'.repeat(1_048_576);
    for (let sent = 0; sent < 20 && !response.destroyed; sent += 1)
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    expect(await socket.next()).toMatchObject(INTERRUPTED);
  });

  it('a redirect is not followed', async () => {
    subgraph.onPost = ({ response }) => response.writeHead(307, { location: subgraph.url }).end();
    const socket = await subscribe();
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
    await until(() => JSON.stringify(gateway.logged()).includes('was answered with 307'), 'the log says why');
  });

  it('503 to the upgrade says nothing of what the subgraph speaks: the WebSocket is tried again', async () => {
    subgraph.upgradeStatus = 503;
    const fresh = await start();
    gateways.push(fresh);
    await subscribe(fresh);
    await until(() => subgraph.upgrades() >= 2, 'the WebSocket was tried again');
    expect(subgraph.posted).toHaveLength(0);
  });
});

describe('subscriptions.transport', () => {
  it('multipart of one subgraph asks for that alone, and no WebSocket', async () => {
    const set = await start(
      'subscriptions: { transport: websocket, subgraphs: { ratings: { transport: multipart } } }',
    );
    gateways.push(set);
    await subscribe(set);
    const { headers } = await nthPosted(1);
    expect(headers.accept).toMatch(/^multipart\/mixed;subscriptionSpec=1\.0, application/);
    expect(subgraph.upgrades()).toBe(0);
  });

  it('websocket never asks by POST', async () => {
    const set = await start('subscriptions: { transport: websocket }');
    gateways.push(set);
    const socket = await subscribe(set);
    expect(await socket.next()).toMatchObject({ type: 'error' });
    expect(subgraph.posted).toHaveLength(0);
  });

  it('an http address of its own leaves out the WebSocket', async () => {
    const set = await start(`subscriptions: { subgraphUrls: { ratings: "${subgraph.url}/stream" } }`);
    gateways.push(set);
    await subscribe(set);
    await nthPosted(1);
    expect(subgraph.upgrades()).toBe(0);
  });
});

it('what was found is remembered for ten minutes, of so many addresses', () => {
  let now = 0;
  const found = new FoundTransports(() => now);
  found.rememberHttp('a');
  now = 599_999;
  expect(found.isOverHttp('a')).toBe(true);
  now = 600_000;
  expect(found.isOverHttp('a')).toBe(false);
  for (let address = 0; address <= 2_000; address += 1) found.rememberHttp(String(address));
  expect([found.isOverHttp('0'), found.isOverHttp('1'), found.isOverHttp('2000')]).toEqual([
    false,
    true,
    true,
  ]);
});
