import { request } from 'node:http';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const CALLS = 8;
let subgraph: SubgraphServer;
let gateway: TestGateway;
let release: () => void = () => undefined;
const held = new Promise<string>((resolve) => (release = () => resolve('at last')));

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'slow',
    typeDefs: gql`
      type Query {
        slow(key: Int): String
        quick: String
      }
    `,
    resolvers: { Query: { slow: () => held, quick: () => 'at once' } },
  });
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    settings: `{ timeouts: { subgraphMs: 60000 }, traffic: { concurrency: { requests: ${CALLS} } } }`,
  });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

/** Asks from one of the addresses of this machine. */
function ask(query: string, localAddress: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway.url}/graphql`, {
      method: 'POST',
      localAddress,
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    });
    sent.end(JSON.stringify({ query }));
  });
}

describe('G9: slow queries of one address', () => {
  it('do not keep the quick ones of others waiting, however many they are', async () => {
    const slow = Array.from({ length: 4 * CALLS }, (_, key) =>
      ask(`{ slow(key: ${key}) }`, key % 2 === 0 ? '127.0.0.1' : '127.0.0.2'),
    );
    await until(() => subgraph.received.length > CALLS / 2);
    for (const address of ['127.8.0.1', '127.9.0.1', '127.8.0.1'])
      expect(await ask('{ quick }', address)).toBe('{"data":{"quick":"at once"}}');
    release();
    const responses = new Set(await Promise.all(slow));
    expect(responses).toEqual(new Set(['{"data":{"slow":"at last"}}']));
  });
});
