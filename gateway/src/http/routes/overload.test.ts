import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;
let respondToAll: () => void;
const held = new Promise<void>((resolve) => (respondToAll = resolve));

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'slow',
    typeDefs: gql`
      type Query {
        slow: Int
      }
    `,
    resolvers: { Query: { slow: () => held.then(() => 1) } },
  });
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    settings:
      'http: { cors: { origins: [https://app.example] } }\nadmission: { maxRequests: 2 }\ntimeouts: { requestMs: 9000 }\ntraffic: { timeoutMs: 8000 }',
  });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

/** Parsing one of them leads to another response than the one of a full gateway. */
const UNREADABLE = ['{', '{ unknown }', 'subscription { unknown }', 'query @live { slow }', '{ slow }'];

type Send = (query: string) => Promise<unknown>;

const posting =
  (
    headers: Readonly<Record<string, string>>,
    ofText: (query: string) => unknown = (query) => ({ query }),
  ): Send =>
  async (query) => {
    const { body } = await gateway.post(ofText(query), headers);
    const codes = [body].flat().map(codeOf); // a batch has a result for each operation
    return codes.every((code) => code === codes[0]) ? codes[0] : codes;
  };

/** @returns the code that each answers a text with */
const TRANSPORTS: Readonly<Record<string, Send>> = {
  'a plain request': posting({ accept: 'application/json' }),
  'a request of the framework': posting({ accept: 'application/json', origin: 'https://app.example' }),
  'a batch': posting({}, (query) => [{ query }, { query }]),
  'a request for parts': posting({ accept: 'multipart/mixed;deferSpec=20220824, application/json' }),
  'a request for events': posting({ accept: 'text/event-stream, application/json' }),
  'a GET': async (query) => {
    const url = `${gateway.url}/graphql?query=${encodeURIComponent(query)}`;
    const response = await fetch(url, { headers: { 'apollo-require-preflight': 'true' } });
    return codeOf(await response.json());
  },
  WebSocket: async (query) => {
    const socket = await RawSocket.connect(`${gateway.url}/graphql`);
    socket.subscribe('1', query);
    const { type, payload } = await socket.next();
    socket.close();
    return type === 'error' ? codeOf({ errors: payload }) : type;
  },
};

/** Of the first error. */
function codeOf(result: unknown): unknown {
  const { errors } = result as {
    readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
  }; // as the gateway writes it
  return errors?.[0]?.extensions?.code;
}

describe('F-20 more requests than the process can take', () => {
  it('G14: get 503 with Retry-After at once and unread on every transport, and cost the others nothing', async () => {
    const admitted = ['{ slow }', '{ __typename slow }'].map((query) => gateway.post({ query }));
    while (subgraph.received.length < 2) await pause(5);
    const rejection = await gateway.post(
      { query: '{ slow }' },
      { accept: 'application/graphql-response+json', origin: 'https://app.example' },
    );
    expect(rejection.status).toBe(503);
    expect(Object.fromEntries(rejection.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'cache-control': 'no-store',
      'content-type': 'application/graphql-response+json; charset=utf-8',
      'retry-after': '1',
      'x-request-id': expect.stringMatching(/./),
    });
    expect(rejection.body.errors?.[0]?.extensions['code']).toBe('OVERLOADED');
    for (const [transport, send] of Object.entries(TRANSPORTS))
      for (const text of UNREADABLE)
        expect({ transport, text, code: await send(text) }).toEqual({ transport, text, code: 'OVERLOADED' });
    const live = await fetch(`${gateway.url}/health/live`);
    expect(live.status).toBe(200);
    respondToAll();
    for (const result of await Promise.all(admitted)) expect(result.body.data).toMatchObject({ slow: 1 });
    expect((await gateway.post({ query: '{ slow }' })).status).toBe(200);
    expect(subgraph.received).toHaveLength(3);
    const metrics = await gateway.metrics.metrics();
    const overHttp = 1 + UNREADABLE.length * (Object.keys(TRANSPORTS).length - 1);
    const rejections = new RegExp(`requests_rejected_total\\{reason="requests",[^}]*\\} ${overHttp}\\b`);
    expect(metrics).toMatch(rejections);
    expect(metrics).toMatch(/trellis_gateway_requests_in_flight\{[^}]*\} 0/);
  });

  it('that did get in announce their deadline to subgraphs', () => {
    const [given = ''] = subgraph.received.map(({ headers }) => headers['trellis-timeout-ms']);
    expect(Number(given)).toBeGreaterThan(0);
    expect(Number(given)).toBeLessThanOrEqual(8_000);
  });
});
