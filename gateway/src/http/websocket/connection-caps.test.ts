import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';

const SUBSCRIPTION = 'subscription { published { id } }';

let graph: EventGraph;
let issuer: TokenIssuer;
let gateway: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  [graph, issuer] = await Promise.all([startEventGraph(), startTokenIssuer()]);
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: issuer.environment,
    settings:
      'subscriptions: { maxPerUser: 3, webSocket: { initMs: 60000, maxConnections: 8, maxConnectionsPerAddress: 5, maxConnectionsPerUser: 2 } }',
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(async () => /_connections\{.*\} 0/.test(await gateway.metrics.metrics()), 'all are gone');
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([graph.close(), issuer.close()]);
});

async function open(localAddress = '127.0.0.1'): Promise<RawSocket> {
  const socket = new RawSocket(`${gateway.url}/graphql`, { localAddress });
  sockets.push(socket);
  await socket.opened();
  return socket;
}

async function initialise(socket: RawSocket, sub: string): Promise<RawSocket> {
  socket.send({
    type: 'connection_init',
    payload: { authorization: `Bearer ${await issuer.sign({ sub })}` },
  });
  return socket;
}

async function connectAs(sub: string): Promise<RawSocket> {
  const socket = await initialise(await open(), sub);
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
  return socket;
}

describe('S-074 connections', () => {
  it('of one user are so many: another is closed with 1013, and those of others are let in', async () => {
    const [first] = [await connectAs('ada'), await connectAs('ada')];
    const third = await initialise(await open(), 'ada');
    expect(await third.closed).toEqual({ code: 1013, reason: 'Too many connections' });
    await connectAs('ed');
    first.close();
    await first.closed;
    await until(async () => {
      const again = await initialise(await open(), 'ada');
      return Promise.race([again.closed.then(() => false), again.next().then(() => true)]);
    });
  });

  it('of one user are so many, those that get their token later included', async () => {
    await connectAs('eve');
    const later = [await open(), await open()];
    for (const socket of later) {
      socket.send({ type: 'connection_init' });
      expect(await socket.next()).toEqual({ type: 'connection_ack' });
    }
    const authorization = `Bearer ${await issuer.sign({ sub: 'eve' })}`;
    const [second, third] = later;
    second?.send({ type: 'ping', payload: { authorization } });
    expect(await second?.next()).toEqual({ type: 'pong' });
    third?.send({ type: 'ping', payload: { authorization } });
    expect(await third?.closed).toEqual({ code: 1013, reason: 'Too many connections' });
    second?.send({ type: 'ping', payload: { authorization } }); // a renewal is no other connection
    expect(await second?.next()).toEqual({ type: 'pong' });
  });

  /** What another connection from an address of this machine is answered, if it is not let in. */
  async function rejectionFor(localAddress: string): Promise<readonly unknown[]> {
    const url = `${gateway.url.replace('http', 'ws')}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { localAddress });
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    const body = Buffer.concat(await response.toArray()).toString();
    return [
      response.statusCode,
      response.headers['retry-after'],
      (JSON.parse(body) as { message: string }).message,
    ];
  }

  it('G9: of one address are so many: another is rejected with 429, and those of others are let in', async () => {
    for (let index = 0; index < 5; index += 1) await open();
    const share =
      'Too many WebSocket connections are open from this network. Close some, or sign in and connect again.';
    expect(await rejectionFor('127.0.0.1')).toEqual([429, '10', share]);
    for (const address of ['127.1.0.1', '127.2.0.1', '127.3.0.1']) await open(address);
    const full = 'The gateway takes no more connections. Connect again later.';
    expect(await rejectionFor('127.4.0.1')).toEqual([503, '1', full]);
  });

  it('G9: of users do not count for the address that they come from', async () => {
    for (const name of ['ada', 'bob', 'cem'])
      for (let index = 0; index < 2; index += 1) await connectAs(name);
    expect(sockets).toHaveLength(6);
  });
});

describe('S-074 streams of one user', () => {
  it('are so many, on all connections and over all transports together', async () => {
    const [one, two] = [await connectAs('vi'), await connectAs('vi')];
    for (const id of ['1', '2']) one.subscribe(id, SUBSCRIPTION);
    two.subscribe('1', SUBSCRIPTION);
    await until(async () => /_streams\{kind="subscription".*\} 3/.test(await gateway.metrics.metrics()));
    two.subscribe('2', SUBSCRIPTION);
    expect(await two.next()).toMatchObject({
      id: '2',
      type: 'error',
      payload: [{ extensions: { code: 'TOO_MANY_STREAMS' } }],
    });
    const result = await gateway.post(
      { query: SUBSCRIPTION },
      {
        accept: 'text/event-stream, application/graphql-response+json',
        authorization: `Bearer ${await issuer.sign({ sub: 'vi' })}`,
      },
    );
    expect([result.status, result.headers.get('retry-after')]).toEqual([429, '1']);
    expect(result.body.errors?.[0]?.message).toBe(
      'No more than 3 of these streams may be open at once. End some, then try again.',
    );
    await until(() => graph.news.open() === 1); // they share it
    graph.news.publish({ id: 'a' });
    for (const socket of [one, one, two]) expect(await socket.next()).toMatchObject({ type: 'next' });
  });
});
