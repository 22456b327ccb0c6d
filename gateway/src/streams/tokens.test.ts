import { connectRedis, type RedisConnection } from '@trellis/redis';
import { latencyBudgetMs, startTestRedis, type TestRedis, until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';

let graph: EventGraph;
let issuer: TokenIssuer;
let redis: TestRedis;
let commands: RedisConnection;
let gateway: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  [graph, issuer, redis] = await Promise.all([startEventGraph(), startTokenIssuer(), startTestRedis()]);
  commands = connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: {
      ...issuer.environment,
      REDIS_URL: redis.url,
    },
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await until(() => graph.news.open() === 0, 'all upstream subscriptions have ended');
});
afterAll(async () => {
  await gateway.close();
  commands.disconnect();
  await Promise.all([graph.close(), issuer.close(), redis.stop()]);
});

const GUARDED = 'subscription { guarded { id } }';

async function bearer(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return `Bearer ${await issuer.sign(claims)}`;
}

async function expiringIn(seconds: number, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return bearer({ ...claims, exp: Math.floor(Date.now() / 1_000) + seconds });
}

async function connect(payload?: Readonly<Record<string, unknown>>, headers = {}): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`, payload, { headers });
  sockets.push(socket);
  return socket;
}

async function subscribed(authorization: string): Promise<RawSocket> {
  const socket = await connect({ authorization });
  socket.subscribe('1', GUARDED);
  await until(() => graph.news.open() === 1);
  return socket;
}

async function streamed(authorization: string, accept: string): Promise<Response> {
  return fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { accept, authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: GUARDED }),
  });
}

describe('the token of a connection', () => {
  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    'comes in connection_init as %s',
    async (name) => {
      const socket = await connect({ [name]: await bearer() });
      socket.subscribe('1', '{ latest { secret } }');
      expect(await socket.next()).toMatchObject({ payload: { data: { latest: { secret: 'hush' } } } });
    },
  );

  it('comes in the upgrade request', async () => {
    const socket = await connect(undefined, { authorization: await bearer() });
    socket.subscribe('1', '{ latest { secret } }');
    expect(await socket.next()).toMatchObject({ payload: { data: { latest: { secret: 'hush' } } } });
  });

  it('S-070 never comes in a cookie', async () => {
    const socket = await connect(undefined, { cookie: `authorization=${await bearer()}` });
    socket.subscribe('1', '{ latest { secret } }');
    expect(await socket.next()).toMatchObject({
      payload: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
  });

  it.each([
    ['forged', () => Promise.resolve('Bearer forged')],
    ['expired', () => expiringIn(-60)],
    ['of another audience', () => bearer({ aud: 'https://elsewhere.example' })],
    ['no Bearer', () => Promise.resolve('Basic YTpi')],
  ])('closes the connection with 4403 when it is %s', async (_what, make) => {
    const socket = new RawSocket(`${gateway.url}/graphql`);
    await socket.opened();
    socket.send({ type: 'connection_init', payload: { authorization: await make() } });
    expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
    expect(socket.frames).toEqual([]);
  });

  it('S-072 closes the connection with 4403 when it expires, and ends what runs', async () => {
    const socket = await subscribed(await expiringIn(2));
    expect((await socket.closed).code).toBe(4403);
    await until(() => graph.news.open() === 0);
  });

  it('S-072 closes the connection with 4403 within a second of its revocation, and no other', async () => {
    const socket = await subscribed(await bearer({ gid: 'grant-ws' }));
    const other = await connect({ authorization: await bearer({ gid: 'grant-other' }) });
    const beganMs = performance.now();
    await commands.zadd('revocations', Math.floor(Date.now() / 1_000) + 900, 'grant-ws');
    await commands.publish('revocations', 'grant-ws');
    expect((await socket.closed).code).toBe(4403);
    expect(performance.now() - beganMs).toBeLessThan(latencyBudgetMs(1_000));
    other.send({ type: 'ping' });
    expect(await other.next()).toEqual({ type: 'pong' });
  });

  it('is renewed by a ping: what runs goes on under the new one', async () => {
    const socket = await subscribed(await expiringIn(2));
    socket.send({ type: 'ping', payload: { Authorization: await expiringIn(600) } });
    expect(await socket.next()).toEqual({ type: 'pong' });
    await new Promise((resolve) => setTimeout(resolve, 3_500)); // past the end of the first token
    graph.news.publish({ id: 'later' });
    expect(await socket.next()).toMatchObject({ payload: { data: { guarded: { id: 'later' } } } });
  });

  it('is renewed by one with fewer rights: what may not be seen any more ends', async () => {
    const socket = await subscribed(await bearer());
    socket.send({ type: 'ping', payload: { authorization: await bearer({ scope: 'openid' }) } });
    expect(await socket.next()).toEqual({ type: 'pong' });
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });

  it.each([
    ['of another user', () => bearer({ sub: 'user-2' })],
    ['that is invalid', () => Promise.resolve('Bearer forged')],
  ])('renewed by one %s closes the connection with 4403', async (_what, make) => {
    const socket = await subscribed(await bearer());
    socket.send({ type: 'ping', payload: { authorization: await make() } });
    expect((await socket.closed).code).toBe(4403);
  });
});

describe('the token of a stream over HTTP', () => {
  it('S-072 ends server-sent events when it expires', async () => {
    const response = await streamed(await expiringIn(2), 'text/event-stream');
    expect(await response.text()).toMatch(
      /event: next\ndata: \{"errors":\[\{.*"code":"UNAUTHENTICATED".*\n\nevent: complete/,
    );
  });

  it('S-072 ends multipart within a second of its revocation', async () => {
    const response = await streamed(
      await bearer({ gid: 'grant-parts' }),
      'multipart/mixed;subscriptionSpec=1.0, application/json',
    );
    await until(() => graph.news.open() === 1);
    const beganMs = performance.now();
    await commands.publish('revocations', 'grant-parts');
    expect(await response.text()).toMatch(/\{"payload":null,"errors":\[\{.*"code":"UNAUTHENTICATED"/);
    expect(performance.now() - beganMs).toBeLessThan(latencyBudgetMs(1_000));
  });

  it('S-091 is rejected before there is a stream when it is invalid', async () => {
    const response = await streamed('Bearer forged', 'text/event-stream, application/graphql-response+json');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
  });
});
