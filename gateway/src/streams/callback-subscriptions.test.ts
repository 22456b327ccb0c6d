import { setTimeout as pause } from 'node:timers/promises';
import { freePort, until } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startHttpStreamSubgraph,
  type HttpStreamSubgraph,
  type PostedSubscription,
} from '../testing/http-stream-subgraph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const RATINGS = gql`
  type Query {
    best: Int
  }
  type Subscription {
    rated(topic: String): Int
  }
`;

/** What the subgraph is given to call back. */
interface Callback {
  readonly callbackUrl: string;
  readonly subscriptionId: string;
  readonly verifier: string;
  readonly heartbeatIntervalMs: number;
}

let subgraph: HttpStreamSubgraph;
let gateway: TestGateway;
/** Where the gateway listens for subgraphs. */
let listen: string;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  subgraph = await startHttpStreamSubgraph();
  const port = await freePort();
  listen = `127.0.0.1:${port}`;
  gateway = await startTestGateway({
    subgraphs: [{ name: 'ratings', typeDefs: RATINGS, url: subgraph.url } as never], // composed by its SDL
    settings: `
subscriptions:
  transport: callback
  upstreamIdleMs: 1500
  callback: { publicUrl: 'http://127.0.0.1:${port}/callback/', listen: '127.0.0.1:${port}' }
`,
  });
});
beforeEach(() => subgraph.forget());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

interface Asked {
  readonly client: RawSocket;
  readonly posted: PostedSubscription;
  readonly callback: Callback;
}

/** A client has subscribed, and the subgraph has neither checked nor responded. */
async function subscribe(query = 'subscription { rated }'): Promise<Asked> {
  const client = await RawSocket.connect(`${gateway.url}/graphql`);
  sockets.push(client);
  const before = subgraph.posted.length;
  client.subscribe('1', query);
  await until(() => subgraph.posted.length > before, 'the subgraph is asked');
  const posted = subgraph.posted[before];
  if (!posted) throw new Error('There is none.');
  return { client, posted, callback: posted.body.extensions?.['subscription'] as Callback };
}

/** The subgraph has checked and accepted the subscription, as Apollo Server does. */
async function accepted(query?: string): Promise<Asked> {
  const asked = await subscribe(query);
  expect((await send(asked.callback, { action: 'check' })).status).toBe(204);
  asked.posted.response.setHeader('content-type', 'application/json').end('{"data":null}');
  return asked;
}

function send(
  { callbackUrl, subscriptionId, verifier }: Callback,
  message: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(callbackUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ kind: 'subscription', id: subscriptionId, verifier, ...message }),
  });
}

const rated = (value: number): object => ({ action: 'next', payload: { data: { rated: value } } });
const dataIs = (value: number): object => ({ type: 'next', payload: { data: { rated: value } } });
const INTERRUPTED = { type: 'error', payload: [{ extensions: { code: 'SUBSCRIPTION_INTERRUPTED' } }] };

describe("B4: Apollo's HTTP callback protocol", () => {
  it('asks the subgraph by POST, with an address of its own for each subscription', async () => {
    const { posted, callback } = await accepted();
    expect(posted.headers.accept).toContain('callbackSpec=1.0');
    expect(callback).toEqual({
      callbackUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[\da-f-]{36}$/) as string,
      subscriptionId: callback.callbackUrl.split('/').at(-1),
      verifier: expect.stringMatching(/^[\w-]{43}$/) as string,
      heartbeatIntervalMs: 500,
    });
  });

  it('names the address that a reload has given, and still takes what is sent to the one before', async () => {
    const reload = (path: string): Promise<void> =>
      gateway.reload({
        subscriptions: {
          transport: 'callback',
          upstreamIdleMs: 1_500,
          callback: { publicUrl: `http://${listen}/${path}/`, listen },
        },
      });
    const before = await accepted();
    await reload('moved');
    const after = await accepted('subscription { rated(topic: "another") }'); // an equal one shares its upstream
    await reload('callback');
    const paths = [before, after].map(({ callback }) => new URL(callback.callbackUrl).pathname.split('/')[1]);
    expect(paths).toEqual(['callback', 'moved']);
    for (const { client, callback } of [before, after]) {
      expect((await send(callback, rated(5))).status).toBe(204);
      expect(await client.next()).toMatchObject(dataIs(5));
    }
  });

  it('delivers events in their order, and the end', async () => {
    const { client, callback } = await accepted();
    for (const value of [1, 2, 3]) expect((await send(callback, rated(value))).status).toBe(204);
    const end = await send(callback, { action: 'complete' });
    expect([end.status, end.headers.get('subscription-protocol')]).toEqual([204, 'callback/1.0']);
    for (const value of [1, 2, 3]) expect(await client.next()).toMatchObject(dataIs(value));
    expect(await client.next()).toMatchObject({ type: 'complete' });
  });

  it('takes events before the response to its request', async () => {
    const { client, callback } = await subscribe();
    await send(callback, { action: 'check' });
    await send(callback, rated(4));
    expect(await client.next()).toMatchObject(dataIs(4));
  });

  it('ends with the errors of the subgraph', async () => {
    const { client, callback } = await accepted();
    const errors = [{ message: 'no', extensions: { code: 'BAD_USER_INPUT' } }];
    expect((await send(callback, { action: 'complete', errors })).status).toBe(204);
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('ends when the client leaves: the next callback gets 404', async () => {
    const { client, callback } = await accepted();
    client.close();
    let last: Response | undefined;
    await until(
      async () => (last = await send(callback, { action: 'check' })).status === 404,
      'it has ended',
    );
    expect(await last?.text()).toBe('The subscription has ended.');
  });

  it('a missed heartbeat ends it; heartbeats keep it', async () => {
    const { client, callback } = await accepted();
    for (let heartbeat = 0; heartbeat < 4; heartbeat += 1) {
      await pause(500);
      expect((await send(callback, { action: 'check' })).status).toBe(204);
    }
    expect(await client.next()).toMatchObject(INTERRUPTED);
  });

  it('a subgraph that rejects it says why', async () => {
    const { client, posted } = await subscribe();
    posted.response.setHeader('content-type', 'application/json');
    posted.response.end('{"errors":[{"message":"no","extensions":{"code":"BAD_USER_INPUT"}}]}');
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });
});

describe('A callback from nowhere', () => {
  it.each<readonly [string, (callback: Callback) => Promise<Response>, number, string]>([
    [
      'to an id that never was',
      (callback) =>
        send({ ...callback, callbackUrl: callback.callbackUrl.replace(/[^/]+$/, 'none') }, rated(1)),
      404,
      'There is no subscription of this id.',
    ],
    [
      'with another verifier',
      (callback) => send({ ...callback, verifier: 'a'.repeat(43) }, rated(1)),
      401,
      'The verifier is not that of the subscription.',
    ],
    [
      'with a shorter verifier',
      (callback) => send({ ...callback, verifier: '' }, rated(1)),
      401,
      'The verifier is not that of the subscription.',
    ],
    [
      'with the id of another subscription',
      (callback) => send({ ...callback, subscriptionId: 'other' }, rated(1)),
      400,
      'The id is not that of the address.',
    ],
    [
      'without a payload',
      (callback) => send(callback, { action: 'next' }),
      400,
      'A message next needs a payload.',
    ],
    [
      'with an unknown action',
      (callback) => send(callback, { action: '__proto__' }),
      400,
      'action has to be check, next or complete.',
    ],
    [
      'of another kind',
      (callback) => send(callback, { kind: 'query', action: 'check' }),
      400,
      'The body is no message of a subscription.',
    ],
    [
      'that is no JSON',
      ({ callbackUrl }) =>
        fetch(callbackUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
      400,
      'The body is no message of a subscription.',
    ],
    ['by GET', ({ callbackUrl }) => fetch(callbackUrl), 405, 'Callbacks are sent by POST.'],
    [
      'as a form',
      (callback) => send(callback, rated(1), { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'Callbacks are application/json.',
    ],
    [
      'that is too large',
      (callback) => send(callback, { action: 'next', payload: { data: 'x'.repeat(17 * 1_048_576) } }),
      413,
      'A callback has at most 16777216 bytes.',
    ],
  ])('%s', async (_what, callBack, status, message) => {
    const { client, callback } = await accepted();
    const response = await callBack(callback);
    expect([response.status, await response.text()]).toEqual([status, message]);
    await send(callback, rated(9));
    expect(await client.next()).toMatchObject(dataIs(9)); // and nothing else
  });

  it('before the first check', async () => {
    const { callback } = await subscribe();
    const response = await send(callback, rated(1));
    expect([response.status, await response.text()]).toEqual([409, 'The first callback has to be a check.']);
  });

  it('after the end', async () => {
    const { callback } = await accepted();
    await send(callback, { action: 'complete' });
    const response = await send(callback, rated(1));
    expect([response.status, await response.text()]).toEqual([404, 'The subscription has ended.']);
  });
});

it('A reload of the address for callbacks keeps sending subgraphs to where the process listens', async () => {
  const callback = { publicUrl: 'http://127.0.0.1:1/callback', listen: '127.0.0.1:1' };
  const reload = (more: object): Promise<void> =>
    gateway.reload({
      subscriptions: { transport: 'callback', upstreamIdleMs: 1_500, callback: { ...callback, ...more } },
    });
  await reload({});
  expect((await subscribe('subscription { rated(topic: "a") }')).callback.callbackUrl).toContain(listen);
  expect(
    gateway.logged().findLast(({ msg }) => String(msg).includes('need a restart'))?.['settings'],
  ).toEqual(['subscriptions.callback.listen']);
  await reload({ listen });
  expect((await subscribe('subscription { rated(topic: "b") }')).callback.callbackUrl).toMatch(
    `${callback.publicUrl}/`,
  );
});
