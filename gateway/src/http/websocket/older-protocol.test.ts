import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { decodeJwt } from 'jose';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStage } from '../../testing/event-stage.ts';
import { RawSocket, type Frame } from '../../testing/raw-socket.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';

const SETTINGS = 'subscriptions: { webSocket: { maxOperations: 2 } }';

let stage: EventStage;
let graph: EventStage['graph'];
let issuer: EventStage['issuer'];
let gateway: EventStage['gateway'];

beforeAll(async () => {
  stage = await EventStage.start(SETTINGS);
  ({ graph, issuer, gateway } = stage);
});
beforeEach(() => stage.forget());
afterEach(() => stage.disconnect());
afterAll(() => stage.close());

/** Sends messages at once, as clients of this protocol do, which wait for no acknowledgement. */
async function open(...messages: readonly unknown[]): Promise<RawSocket> {
  const socket = await stage.open('graphql-ws');
  for (const message of messages) socket.send(message);
  return socket;
}

const INIT = { type: 'connection_init', payload: {} };
const ACK = { type: 'connection_ack' };
const SUBSCRIBED = 'subscription { published { id } }';

function start(id: string, query: string): Frame {
  return { id, type: 'start', payload: { query, variables: {}, operationName: null } };
}

function data(id: string, payload: unknown): Frame {
  return { id, type: 'data', payload };
}

/** As whom a subgraph was asked, by the signed user context. */
function subscriberOf(extensions: unknown): unknown {
  const { headers } = extensions as { readonly headers: Readonly<Record<string, string>> }; // the contract says so
  return decodeJwt(headers[USER_CONTEXT_HEADER] ?? '').sub;
}

const rejectedBy = (code: string): unknown => ({ errors: [{ extensions: { code } }] });

describe('subscriptions-transport-ws, which calls itself graphql-ws', () => {
  it('delivers events until the client stops', async () => {
    const socket = await open(INIT, start('1', SUBSCRIBED));
    expect(await socket.next()).toEqual(ACK);
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'a' });
    expect(await socket.next()).toEqual(data('1', { data: { published: { id: 'a' } } }));
    socket.send({ id: '1', type: 'stop' });
    await until(() => graph.news.open() === 0, 'the subscription has ended');
  });

  it('says when the source ends, and when it fails', async () => {
    const socket = await open(INIT, start('1', SUBSCRIBED));
    await until(() => graph.news.open() === 1);
    graph.news.complete();
    expect([await socket.next(), await socket.next()]).toEqual([ACK, { id: '1', type: 'complete' }]);
  });

  it('answers what is asked before the acknowledgement after it, in order', async () => {
    const socket = await open(INIT, start('1', '{ count }'), start('2', '{ noField }'));
    expect(await socket.next()).toEqual(ACK);
    const frames = [];
    for (let count = 0; count < 4; count += 1) frames.push(await socket.next());
    expect(frames.filter(({ id }) => id === '1')).toEqual([
      data('1', { data: { count: expect.any(Number) as unknown } }),
      { id: '1', type: 'complete' },
    ]);
    expect(frames.filter(({ id }) => id === '2')).toMatchObject([
      data('2', rejectedBy('GRAPHQL_VALIDATION_FAILED')),
      { id: '2', type: 'complete' },
    ]);
  });

  it('runs nothing that was stopped before the acknowledgement', async () => {
    const socket = await open(
      INIT,
      start('1', SUBSCRIBED),
      { id: '1', type: 'stop' },
      start('2', '{ count }'),
    );
    expect([await socket.next(), (await socket.next()).id]).toEqual([ACK, '2']);
    expect(graph.news.subscribed).toEqual([]);
  });

  it('rejects more operations than may run on a connection, acknowledged or not', async () => {
    const all = ['1', '2', '3'].map((id) => start(id, SUBSCRIBED));
    const socket = await open(INIT, ...all);
    const frames = [await socket.next(), await socket.next(), await socket.next()];
    expect(frames).toContainEqual(ACK);
    expect(frames).toContainEqual({ id: '3', type: 'complete' });
    expect(frames.find(({ type }) => type === 'data')).toMatchObject(
      data('3', rejectedBy('TOO_MANY_STREAMS')),
    );
    await until(() => graph.news.open() > 0, 'the others have reached the subgraph');
  });

  it('runs what was asked early in the name of the token', async () => {
    const payload = { authorization: `Bearer ${await issuer.sign({ sub: 'ada' })}` };
    const socket = await open({ ...INIT, payload }, start('1', SUBSCRIBED));
    await until(() => graph.news.open() === 1);
    expect(await socket.next()).toEqual(ACK);
    expect(subscriberOf(graph.news.subscribed[0]?.extensions)).toBe('ada');
  });

  it('says why a connection is rejected, and runs nothing on it', async () => {
    const payload = { Authorization: 'Bearer nonsense' };
    const socket = await open({ ...INIT, payload }, start('1', SUBSCRIBED));
    expect(await socket.next()).toEqual({ type: 'connection_error', payload: { message: 'Forbidden' } });
    expect((await socket.closed).code).toBe(4403);
    expect(socket.frames).toEqual([]);
    expect(graph.news.subscribed).toEqual([]);
  });

  it('H1: is closed once where a client that reads nothing is rejected until its buffer overruns', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1'); // authentication waits for it
    await once(silent, 'listening');
    const own = await startTestGateway({
      subgraphs: graph.all,
      settings: 'subscriptions: { bufferBytes: 1, webSocket: { maxMessages: 30000, maxOperations: 1 } }',
      environment: {
        ...issuer.environment,
        TOKEN_JWKS_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, // it listens on TCP
      },
    });
    const attacker = stage.closeAfter(new RawSocket(`${own.url}/graphql`, {}, 'graphql-ws'));
    await attacker.opened();
    attacker.socket.pause();
    attacker.send({ ...INIT, payload: { authorization: `Bearer ${await issuer.sign()}` } });
    const isOverrun = async (): Promise<boolean> =>
      /slow_consumers_total\{.*\} 1/.test(await own.metrics.metrics());
    for (let sent = 0; sent < 20_000 && (sent % 1_000 > 0 || !(await isOverrun())); sent += 50) {
      for (let next = sent; next < sent + 50; next += 1)
        attacker.send(start(`${next}`.padEnd(256, '字'), '{ count }'));
      await nextTurn();
    }
    expect(await isOverrun()).toBe(true);
    attacker.socket.terminate();
    expect((await own.post({ query: '{ count }' })).status).toBe(200);
    silent.closeAllConnections();
    silent.close();
    await own.close();
  });

  it('ends in order when the client says so', async () => {
    const socket = await open(INIT, { type: 'connection_terminate' });
    expect((await socket.closed).code).toBe(1000);
  });

  it.each<[string, number, readonly unknown[]]>([
    ['an operation before connection_init', 4401, [start('1', '{ count }')]],
    ['connection_init twice', 4429, [INIT, INIT]],
    ['the same id twice', 4409, [INIT, start('1', SUBSCRIBED), start('1', SUBSCRIBED)]],
    ['a message of the other protocol', 4400, [INIT, { ...start('1', '{ count }'), type: 'subscribe' }]],
    ['a type of every object', 4400, [INIT, { type: 'constructor' }]],
    ['no JSON', 4400, ['start']],
  ])('ends the connection of a client that sends %s', async (_what, code, messages) => {
    const socket = await open(...messages);
    expect((await socket.closed).code).toBe(code);
  });

  it('is spoken with clients alone that do not offer the newer one', async () => {
    const socket = new RawSocket(`${gateway.url}/graphql`, {}, ['graphql-ws', 'graphql-transport-ws']);
    stage.closeAfter(socket);
    await socket.opened();
    expect(socket.socket.protocol).toBe('graphql-transport-ws');
  });
});
