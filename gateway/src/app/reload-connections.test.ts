import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { startTestRedis, type TestRedis } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const TYPES = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective"])
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
  type Query {
    count: Int @cacheControl(maxAge: 60)
  }
`;

let count = 0;
let subgraph: SubgraphServer;
let gateway: TestGateway;
const stores: { readonly server: TestRedis; readonly client: RedisConnection }[] = [];

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'numbers',
    typeDefs: TYPES,
    resolvers: { Query: { count: () => (count += 1) } },
  });
  for (let index = 0; index < 2; index += 1) {
    const server = await startTestRedis();
    stores.push({
      server,
      client: connectRedis({ url: server.url, name: 'test', onError: () => undefined }),
    });
  }
  gateway = await startTestGateway({ subgraphs: [subgraph], settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
  for (const { server, client } of stores) {
    client.disconnect();
    await server.stop();
  }
});

const reload = (settings: object): Promise<void> => gateway.reload(settings);

const ask = async (): Promise<unknown> => (await gateway.post({ query: '{ count }' })).body.data?.['count'];

async function startCollector(): Promise<{
  readonly url: string;
  received(): number;
  close(): Promise<void>;
}> {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    received: () => received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('A changed connection', () => {
  it('responseCache.redisUrl holds at once, and so does whether there is a cache', async () => {
    const [first, second] = stores.map(({ server }) => ({ responseCache: { redisUrl: server.url } }));
    const cached = (): Promise<readonly number[]> =>
      Promise.all(stores.map(async ({ client }) => (await client.keys('response-cache:1:*')).length));
    const asked = async (): Promise<boolean> => (await ask()) === (await ask());
    expect(await asked()).toBe(false);
    await reload(first ?? {});
    await expect.poll(asked).toBe(true);
    expect(await cached()).toEqual([1, 0]);
    await reload(second ?? {});
    await expect.poll(asked).toBe(true);
    expect(await cached()).toEqual([1, 1]);
    await reload({});
    expect(await asked()).toBe(false);
  });

  it('telemetry.tracing holds at once, and what was traced before is still sent', async () => {
    const [first, second] = [await startCollector(), await startCollector()];
    const to = (endpoint: string): object => ({
      timeouts: { requestMs: 300 },
      telemetry: { tracing: { endpoint } },
    });
    await reload(to(first.url));
    await ask();
    await reload(to(second.url));
    await ask();
    await expect.poll(() => first.received()).toBeGreaterThan(0);
    await reload({});
    await expect.poll(() => second.received()).toBeGreaterThan(0);
    const total = first.received() + second.received();
    await ask();
    expect(first.received() + second.received()).toBe(total);
    await Promise.all([first.close(), second.close()]);
  });
});
