import { connectRedis, type RedisConnection } from '@trellis/redis';
import { latencyBudgetMs, startTestRedis, type TestRedis, until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

const SETTINGS = `
  rateLimits: { perUser: { operations: 6, windowS: 600 } }
  live: { minIntervalMs: 20, intervalMs: 20, maxPerUser: 2 }`;
const LIVE = 'query @live { count }';
const GUARDED = 'query @live { latest { secret } count }';

let graph: EventGraph;
let issuer: TokenIssuer;
let redis: TestRedis;
let commands: RedisConnection;
let gateway: TestGateway;
let limited: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  [graph, issuer, redis] = await Promise.all([startEventGraph(), startTokenIssuer(), startTestRedis()]);
  commands = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
  const { environment } = issuer;
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: { ...environment, REDIS_URL: redis.url },
    settings: 'live: { minIntervalMs: 20, intervalMs: 20, maxPerUser: 2 }',
  });
  limited = await startTestGateway({ subgraphs: graph.all, environment, settings: SETTINGS });
});
beforeEach(() => graph.news.forget());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
afterAll(async () => {
  await Promise.all([gateway.close(), limited.close()]);
  commands.disconnect();
  await Promise.all([graph.close(), issuer.close(), redis.stop()]);
});

async function connect(to: TestGateway, claims?: Readonly<Record<string, unknown>>): Promise<RawSocket> {
  const payload = claims && { authorization: `Bearer ${await issuer.sign(claims)}` };
  const socket = await RawSocket.connect(`${to.url}/graphql`, payload);
  sockets.push(socket);
  return socket;
}

async function streamed(claims: Readonly<Record<string, unknown>>): Promise<Response> {
  return fetch(`${gateway.url}/graphql/stream`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${await issuer.sign(claims)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: GUARDED }),
  });
}

const soon = (): number => Math.floor(Date.now() / 1_000) + 3;
/** How often the subgraph was asked with this in the operation: others may still be asked for the queries of another test. */
const askedFor = (text: string): number =>
  graph.news.received.filter(({ query }) => query.includes(text)).length;
/** Settles after so many ticks from now on. */
const ticks = async (text: string, count: number): Promise<void> => {
  const before = askedFor(text);
  await until(() => askedFor(text) >= before + count, `${count} ticks`);
};

describe('Live queries over WebSocket', () => {
  it('send the first result, and what has changed, and nothing else', async () => {
    const socket = await connect(gateway);
    socket.subscribe('1', LIVE);
    const first = await socket.next();
    const { data } = first.payload as { readonly data: { readonly count: number } };
    expect(first).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { count: expect.any(Number) as number } },
    });
    await ticks('count', 5); // without a change
    await gateway.post({ query: 'mutation { bump }' });
    expect(await socket.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { count: data.count + 1 } },
    });
    await ticks('count', 5);
    expect(socket.frames).toEqual([]);
  });

  it('end when the client completes them', async () => {
    const socket = await connect(gateway);
    socket.subscribe('1', 'query @live { ended: count }');
    await socket.next();
    socket.send({ id: '1', type: 'complete' });
    socket.subscribe('2', '{ latest { id } }');
    expect(await socket.next()).toMatchObject({ id: '2' });
    const before = askedFor('ended');
    await gateway.post({ query: 'mutation { bump }' });
    await new Promise((resolve) => setTimeout(resolve, 200)); // ten intervals
    expect(askedFor('ended')).toBeLessThanOrEqual(before + 1); // what was on its way
    expect(socket.frames).toEqual([{ id: '2', type: 'complete' }]);
  });

  it('S-078 are so many for a client, however many connections it has', async () => {
    const claims = { sub: 'eager' };
    const [one, two] = [await connect(gateway, claims), await connect(gateway, claims)];
    one.subscribe('1', LIVE);
    two.subscribe('1', LIVE);
    await Promise.all([one.next(), two.next()]);
    two.subscribe('2', LIVE);
    expect(await two.next()).toMatchObject({
      id: '2',
      type: 'error',
      payload: [{ extensions: { code: 'TOO_MANY_STREAMS' } }],
    });
    one.send({ id: '1', type: 'complete' });
    await until(async () => {
      two.subscribe(`again`, LIVE);
      return (await two.next()).type === 'next';
    });
  });
});

describe('S-078 each tick of a live query', () => {
  it('counts against the rate of its user, who then hears no more', async () => {
    const claims = { sub: 'busy' };
    const socket = await connect(limited, claims);
    socket.subscribe('1', 'query @live { busy: count also: count }');
    expect(await socket.next()).toMatchObject({ type: 'next' });
    const headers = { authorization: `Bearer ${await issuer.sign(claims)}` };
    await until(() => askedFor('also') === 3, 'six of six root fields');
    await new Promise((resolve) => setTimeout(resolve, 200)); // ten intervals
    expect(askedFor('also')).toBe(3);
    expect((await limited.post({ query: '{ count }' }, headers)).status).toBe(429);
    await limited.post({ query: 'mutation { bump }' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(socket.frames).toEqual([]);
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  });

  it('counts against the rate of the address for anonymous callers', async () => {
    const own = await startTestGateway({
      subgraphs: graph.all,
      settings: SETTINGS.replace('perUser', 'perAddress').replace('maxPerUser: 2', ''),
    });
    const socket = await RawSocket.connect(`${own.url}/graphql`);
    socket.subscribe('1', 'query @live { counted: count }');
    await socket.next();
    await until(() => askedFor('counted') === 6);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(askedFor('counted')).toBe(6);
    expect((await own.post({ query: '{ count }' })).status).toBe(429);
    socket.close();
    await own.close();
  });
});

describe('S-072 the token of a live query', () => {
  it('ends it when it expires, over WebSocket with 4403', async () => {
    const socket = await connect(gateway, { exp: soon() });
    socket.subscribe('1', GUARDED);
    expect(await socket.next()).toMatchObject({ payload: { data: { latest: { secret: 'hush' } } } });
    expect((await socket.closed).code).toBe(4403);
    await expectQuiet();
  });

  it('ends it when it expires, over SSE with UNAUTHENTICATED', async () => {
    const text = await (await streamed({ exp: soon() })).text();
    expect(text).toMatch(/"secret":"hush"[^]*"code":"UNAUTHENTICATED"[^]*event: complete\ndata:\n\n$/);
    await expectQuiet();
  });

  it('ends it within a second of its revocation, over both', async () => {
    const tookMs: number[] = [];
    for (const gid of ['grant-live-1', 'grant-live-2', 'grant-live-3']) {
      const socket = await connect(gateway, { gid });
      socket.subscribe('1', GUARDED);
      await socket.next();
      const response = await streamed({ gid });
      const beganMs = performance.now();
      await commands.zadd('revocations', Math.floor(Date.now() / 1_000) + 900, gid);
      await commands.publish('revocations', gid);
      expect((await socket.closed).code).toBe(4403);
      expect(await response.text()).toContain('"code":"UNAUTHENTICATED"');
      tookMs.push(performance.now() - beganMs);
    }
    expect(Math.min(...tookMs)).toBeLessThan(latencyBudgetMs(1_000));
    await expectQuiet();
  });

  /** Nothing is resolved any more. */
  async function expectQuiet(): Promise<void> {
    await until(async () =>
      /trellis_gateway_streams\{kind="live".*\} 0/.test(await gateway.metrics.metrics()),
    );
    await new Promise((resolve) => setTimeout(resolve, 50)); // what was being resolved
    const before = askedFor('secret');
    await new Promise((resolve) => setTimeout(resolve, 200)); // ten intervals
    expect(askedFor('secret')).toBe(before);
  }
});
