import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;
let answerAll: () => void;
const held = new Promise<void>((resolve) => (answerAll = resolve));

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'slow',
    typeDefs: 'type Query { slow: Int }',
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

describe('F-20 more requests than the process can take', () => {
  it('are answered 503 with Retry-After at once, and cost the others nothing', async () => {
    const admitted = ['{ slow }', '{ __typename slow }'].map((query) => gateway.post({ query }));
    while (subgraph.received.length < 2) await pause(5);
    const refusal = await gateway.post(
      { query: '{ slow }' },
      { accept: 'application/graphql-response+json', origin: 'https://app.example' },
    );
    expect(refusal.status).toBe(503);
    expect(Object.fromEntries(refusal.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'cache-control': 'no-store',
      'content-type': 'application/graphql-response+json; charset=utf-8',
      'retry-after': '1',
      'x-request-id': expect.stringMatching(/./),
    });
    expect(refusal.body.errors?.[0]?.extensions['code']).toBe('OVERLOADED');
    const socket = await RawSocket.connect(`${gateway.url}/graphql`);
    socket.subscribe('1', '{ slow }');
    expect(await socket.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'OVERLOADED' } }],
    });
    socket.close();
    const live = await fetch(`${gateway.url}/health/live`);
    expect(live.status).toBe(200);
    answerAll();
    for (const answer of await Promise.all(admitted)) expect(answer.body.data).toMatchObject({ slow: 1 });
    expect((await gateway.post({ query: '{ slow }' })).status).toBe(200);
    expect(subgraph.received).toHaveLength(3);
    const metrics = await gateway.metrics.metrics();
    expect(metrics).toMatch(/trellis_gateway_requests_refused_total\{reason="requests",[^}]*\} 1/);
    expect(metrics).toMatch(/trellis_gateway_requests_in_flight\{[^}]*\} 0/);
  });

  it('that did get in tell subgraphs how long they have', () => {
    const [given = ''] = subgraph.received.map(({ headers }) => headers['trellis-timeout-ms']);
    expect(Number(given)).toBeGreaterThan(0);
    expect(Number(given)).toBeLessThanOrEqual(8_000);
  });
});
