import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTestUserContext, type TestUserContext } from '@trellis/testkit';
import { createUserContextVerifier, USER_CONTEXT_HEADER, type UserContext } from '@trellis/subgraph-protocol';
import type { FastifyInstance } from 'fastify';
import { createClient, type Client } from 'graphql-ws';
import { createLocalJWKSet } from 'jose';
import WebSocket from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildSubgraphServer, type SubgraphRequest } from './build-subgraph-server.ts';
import { hasRole } from './caller.ts';
import { eventId } from './event-stream.ts';

interface Context extends SubgraphRequest {
  readonly serial: number;
}

const ANONYMOUS: UserContext = { scopes: [] };
const ADA: UserContext = { user: { id: 'ada', roles: ['ADMIN'], tokenIssuedAt: 1 }, scopes: ['read:data'] };

let keys: TestUserContext;
let server: FastifyInstance;
let url: string;
let contextsMade = 0;
let client: Client;

async function* ticks(from: number, upTo: number) {
  for (let id = from; id <= upTo; id += 1) yield { ticked: { id }, [eventId]: `tick-${id}` };
}

/** Nothing ever comes from it; it counts how often it was ended. */
class SilentSource implements AsyncIterableIterator<unknown> {
  static opened = 0;
  static closed = 0;
  #finish: ((result: IteratorResult<unknown>) => void) | undefined;
  readonly #end = new Promise<IteratorResult<unknown>>((resolve) => {
    this.#finish = resolve;
  });

  constructor() {
    SilentSource.opened += 1;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    return this.#end;
  }

  return(): Promise<IteratorResult<unknown>> {
    SilentSource.closed += 1;
    this.#finish?.({ done: true, value: undefined });
    return this.#end;
  }
}

const resolvers = {
  Query: { ticks: () => 0 },
  Subscription: {
    ticked: {
      subscribe: (_: unknown, { upTo }: { upTo: number }, { lastEventId }: Context) =>
        ticks(lastEventId === undefined ? 1 : Number(lastEventId.slice(5)) + 1, upTo),
    },
    breaking: {
      async *subscribe() {
        yield { breaking: { id: 'last' } };
        throw new Error('connect ECONNREFUSED redis.internal');
      },
    },
    silent: { subscribe: () => new SilentSource() },
    broken: { subscribe: () => Promise.reject(new Error('connect ECONNREFUSED redis.internal')) },
  },
  Tick: {
    seenBy: (_: unknown, __: unknown, { userContext }: Context) =>
      `${userContext.user?.id ?? 'a group'}${hasRole(userContext, 'ADMIN') ? ', administrator' : ''}`,
    context: (_: unknown, __: unknown, { serial }: Context) => serial,
  },
};

beforeAll(async () => {
  keys = await createTestUserContext();
  server = await buildSubgraphServer<Context>({
    logger: createLogger({ service: 'ticker', level: 'silent' }),
    metrics: createMetrics('ticker'),
    verifier: createUserContextVerifier({
      subgraph: 'ticker',
      keys: createLocalJWKSet({ keys: [...keys.jwks.keys] }),
    }),
    typeDefs: new URL('fixtures/ticker.graphql', import.meta.url),
    resolvers,
    createContext: (request) => ({ ...request, serial: (contextsMade += 1) }),
    development: false,
  });
  url = (await server.listen({ port: 0, host: '127.0.0.1' })).replace('http', 'ws');
});
beforeEach(() => connect(asGateway)); // with its first subscription
afterEach(() => client.dispose());
afterAll(() => server.close());

function connect(connectionParams: () => Promise<Record<string, unknown>>): void {
  client = createClient({
    url: `${url}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams,
  });
}

const asGateway = async (): Promise<Record<string, unknown>> => ({
  [USER_CONTEXT_HEADER]: await keys.sign('ticker', ANONYMOUS),
});

async function resultsOf(query: string, extensions?: Record<string, unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const result of client.iterate({ query, extensions })) results.push(result);
  return results;
}

async function headersOf(context: UserContext): Promise<Record<string, unknown>> {
  return { headers: { [USER_CONTEXT_HEADER]: await keys.sign('ticker', context) } };
}

describe('subscriptions of a subgraph', () => {
  it('run as the user of the subscribe message, with a context of its own for each event', async () => {
    connect(asGateway);
    const results = await resultsOf(
      'subscription { ticked(upTo: 2) { id seenBy context } }',
      await headersOf(ADA),
    );
    expect(results).toEqual([
      {
        data: { ticked: { id: '1', seenBy: 'ada, administrator', context: 2 } },
        extensions: { eventId: 'tick-1' },
      },
      {
        data: { ticked: { id: '2', seenBy: 'ada, administrator', context: 3 } },
        extensions: { eventId: 'tick-2' },
      },
    ]);
  });

  it('run as a group of users with equal roles', async () => {
    connect(asGateway);
    const group = await headersOf({ scopes: ['read:data'], groupRoles: ['ADMIN'] });
    expect(await resultsOf('subscription { ticked(upTo: 1) { seenBy } }', group)).toMatchObject([
      { data: { ticked: { seenBy: 'a group, administrator' } } },
    ]);
  });

  it('go on after the event that the client has seen last', async () => {
    connect(asGateway);
    const extensions = { ...(await headersOf(ADA)), lastEventId: 'tick-2' };
    expect(await resultsOf('subscription { ticked(upTo: 3) { id } }', extensions)).toMatchObject([
      { data: { ticked: { id: '3' } } },
    ]);
  });

  it('are rejected without a context of their own, and with one for another subgraph', async () => {
    connect(asGateway);
    const rejection = [expect.objectContaining({ extensions: { code: 'UNAUTHENTICATED' } })];
    await expect(resultsOf('subscription { ticked(upTo: 1) { id } }')).rejects.toEqual(rejection);
    const foreign = { headers: { [USER_CONTEXT_HEADER]: await keys.sign('posts', ADA) } };
    await expect(resultsOf('subscription { ticked(upTo: 1) { id } }', foreign)).rejects.toEqual(rejection);
  });

  it('are served to the gateway alone: a socket without a signed context is closed with 4403', async () => {
    connect(() => Promise.resolve({}));
    await expect(resultsOf('subscription { ticked(upTo: 1) { id } }')).rejects.toMatchObject({ code: 4403 });
  });

  it.each([
    ['{ ticks }', 'Only subscriptions are served over WebSocket.'],
    ['subscription { unknown }', 'Cannot query field "unknown" on type "Subscription".'],
  ])('reject what is no valid subscription: %s', async (query, message) => {
    connect(asGateway);
    await expect(resultsOf(query, await headersOf(ADA))).rejects.toMatchObject([{ message }]);
  });

  it('F-18 end by themselves when their source fails: the socket and the others on it go on', async () => {
    connect(asGateway);
    const headers = await headersOf(ADA);
    const breaking = await resultsOf('subscription { breaking { id } }', headers);
    expect(breaking).toEqual([
      { data: { breaking: { id: 'last' } } },
      {
        errors: [
          expect.objectContaining({ extensions: expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR' }) }),
        ],
      },
    ]);
    expect(JSON.stringify(breaking)).not.toContain('redis.internal');
    expect(await resultsOf('subscription { ticked(upTo: 1) { id } }', headers)).toHaveLength(1);
  });

  it('G5: take no other upgrade: it is ignored, and its request is answered', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const asked = request(`${url.replace('ws', 'http')}/graphql`, { method: 'POST', headers });
    asked.setHeader('content-type', 'application/json').end('{"query":"{ ticks }"}');
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(401); // it has no user context
  });

  it('leave nothing behind when the client ends them while they wait, or disconnects', async () => {
    connect(asGateway);
    const extensions = await headersOf(ADA);
    const ends = [1, 2, 3].map(() =>
      client.subscribe(
        { query: 'subscription { silent { id } }', extensions },
        { next() {}, error() {}, complete() {} },
      ),
    );
    await vi.waitFor(() => expect(SilentSource.opened).toBe(3), { timeout: 90_000, interval: 5 });
    ends[0]?.();
    await vi.waitFor(() => expect(SilentSource.closed).toBeGreaterThanOrEqual(1), {
      timeout: 90_000,
      interval: 5,
    });
    await client.dispose();
    await vi.waitFor(() => expect(SilentSource.closed).toBeGreaterThanOrEqual(3), {
      timeout: 90_000,
      interval: 5,
    });
  });

  it('S-101 hide what went wrong inside', async () => {
    connect(asGateway);
    const [result] = await resultsOf('subscription { broken { id } }', await headersOf(ADA));
    expect(result).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
    expect(JSON.stringify(result)).not.toContain('redis.internal');
  });
});
