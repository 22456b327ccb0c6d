import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics, startOperationsServer, type OperationsServer } from '@trellis/runtime';
import { createTemporaryDirectory, freePort, startTestRedis, type TestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startGatewayProcess, type GatewayProcess } from '../../../test-fixtures/gateway-process.ts';
import { gateway as program } from '../../app/gateway.ts';
import { compose } from '../../testing/compose.ts';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const TYPES = gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@composeDirective"])
    @link(url: "https://caching.test/caching/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT
  type Query {
    book(id: ID!): Book
    map: Map
  }
  type Book @key(fields: "id") @cacheControl(maxAge: 60) {
    id: ID!
    edition: Int!
  }
  type Map @cacheControl(maxAge: 60) {
    edition: Int!
  }
`;
const SECRET = 'uB3vYk0sQm9dWz7eXh2rTg5nLc8pJf1a';
const OLDER_SECRET = 'Zt6kRw1yVb4mHq9xGs3cNd7jLf0pEu8i';
const SETTINGS = 'responseCache: {}';

const directory = createTemporaryDirectory();
let editions = 0;
let redis: TestRedis;
let subgraph: SubgraphServer;
/** It hosts the operations port. */
let apart: GatewayProcess;
/** It shares nothing with the other but Redis. */
let gateway: TestGateway;

beforeAll(async () => {
  redis = await startTestRedis();
  subgraph = await startSubgraph({
    name: 'books',
    typeDefs: TYPES,
    resolvers: {
      Query: {
        book: (_: unknown, { id }: { id: string }) => ({ id, edition: (editions += 1) }),
        map: () => ({ edition: (editions += 1) }),
      },
    },
  });
  const [supergraph, settings] = [join(directory.path, 'graph'), join(directory.path, 'gateway.yaml')];
  writeFileSync(supergraph, compose([subgraph]));
  writeFileSync(settings, SETTINGS);
  const environment = { CACHE_REDIS_URL: redis.url };
  [apart, gateway] = await Promise.all([
    startGatewayProcess({
      SUPERGRAPH: supergraph,
      CONFIG: settings,
      OPERATIONS_SECRET: `${SECRET} ${OLDER_SECRET}`,
      ...environment,
    }),
    startTestGateway({ subgraphs: [subgraph], settings: SETTINGS, environment }),
  ]);
});
afterAll(async () => {
  await Promise.all([apart.stop(), gateway.close()]);
  await Promise.all([redis.stop(), subgraph.close()]);
  directory.remove();
});

interface Published {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function publish(
  body: unknown,
  contentType = 'application/json',
  url = apart.operationsUrl,
  secret = SECRET,
): Promise<Published> {
  const response = await fetch(`${url}/cache/invalidate`, {
    method: 'POST',
    headers: { 'content-type': contentType, authorization: `Bearer ${secret}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Published['body'] };
}

const ask = async (query: string): Promise<string> => (await gateway.post({ query })).text;
const ONE = '{ book(id: "1") { id edition } }';
const TWO = '{ book(id: "2") { id edition } }';
const MAP = '{ map { edition } }';

describe('Changes that are published over HTTP', () => {
  it('invalidate what other gateways have cached: an entity, and no others', async () => {
    const [one, two, map] = [await ask(ONE), await ask(TWO), await ask(MAP)];
    expect(await ask(ONE)).toBe(one);
    expect(await publish([{ type: 'Book', id: '1' }])).toEqual({ status: 200, body: { published: 1 } });
    expect(await ask(ONE)).not.toBe(one);
    expect([await ask(TWO), await ask(MAP)]).toEqual([two, map]);
  });

  it('G14: are accepted with a secret, the older one too, and rejected without', async () => {
    const one = await ask(ONE);
    const changes = [{ type: 'Book', id: '1' }];
    const published = await publish(changes, undefined, undefined, 'another');
    expect([published.status, published.body['error']]).toEqual([401, 'Unauthorized']);
    expect(await ask(ONE)).toBe(one);
    expect((await publish(changes, undefined, undefined, OLDER_SECRET)).status).toBe(200);
    expect(await ask(ONE)).not.toBe(one);
  });

  it('may be several, of whole types and of ids that are numbers', async () => {
    const [one, two, map] = [await ask(ONE), await ask(TWO), await ask(MAP)];
    expect((await publish([{ type: 'Book', id: 2 }, { type: 'Map' }])).body).toEqual({ published: 2 });
    expect(await ask(ONE)).toBe(one);
    expect(await ask(TWO)).not.toBe(two);
    expect(await ask(MAP)).not.toBe(map);
  });

  it.each<[string, unknown]>([
    ['no list', { type: 'Book' }],
    ['an empty list', []],
    ['no JSON', '[{"type":"Book"'],
    ['null', 'null'],
    ['a type that is no name', [{ type: 'Book\r\n' }]],
    ['a type that is too long', [{ type: 'B'.repeat(256) }]],
    ['no type', [{ id: '1' }]],
    ['an empty id', [{ type: 'Book', id: '' }]],
    ['an id that is too long', [{ type: 'Book', id: 'x'.repeat(1_025) }]],
    ['an id that is null', [{ type: 'Book', id: null }]],
    ['an id that is a list', [{ type: 'Book', id: ['1'] }]],
    ['a member that is unknown', [{ type: 'Book', key: '1' }]],
    ['a member named __proto__', '[{"type":"Book","__proto__":{"id":"1"}}]'],
    ['more than 1,000', Array.from({ length: 1_001 }, () => ({ type: 'Book' }))],
    ['one that is good and one that is not', [{ type: 'Book' }, {}]],
  ])('are rejected with 400, and none is published: %s', async (_name, body) => {
    const one = await ask(ONE);
    const published = await publish(body);
    expect([published.status, published.body['error']]).toEqual([400, 'Bad Request']);
    expect(await ask(ONE)).toBe(one);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'are not taken from what web pages can send: %s',
    async (contentType) => {
      const one = await ask(ONE);
      expect([400, 415]).toContain((await publish([{ type: 'Book' }], contentType)).status);
      expect(await ask(ONE)).toBe(one);
    },
  );

  it('are as many as 1,000 at a time', async () => {
    const changes = Array.from({ length: 1_000 }, (_, index) => ({ type: 'Book', id: `${index}` }));
    expect(await publish(changes)).toEqual({ status: 200, body: { published: 1_000 } });
  });

  it('are not taken at the public port', async () => {
    const response = await fetch(`${apart.url}/cache/invalidate`, { method: 'POST', body: '[]' });
    expect(response.status).toBe(404);
  });
});

/** The operations port alone, in this process. */
async function openOperations(environment: Readonly<Record<string, string>>): Promise<OperationsServer> {
  const config = program.readConfig({ SUPERGRAPH: 'unused', ...environment });
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const resources = { logger, metrics: createMetrics('gateway') };
  const routes = program.operations?.(config, resources, () => undefined);
  return startOperationsServer({ port: 0, metrics: [], routes: routes ? [routes] : [] });
}

it('A gateway that keeps no responses has no such address', async () => {
  const operations = await openOperations({ CACHE_REDIS_URL: redis.url });
  const { status } = await publish([{ type: 'Book' }], undefined, operations.url);
  await operations.close();
  expect(status).toBe(404);
});

it('F-07 without Redis they get 503, and what to do', async () => {
  const CONFIG = join(directory.path, 'gateway.yaml');
  const operations = await openOperations({
    CONFIG,
    CACHE_REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
  });
  const published = await publish([{ type: 'Book' }], undefined, operations.url);
  await operations.close();
  expect([published.status, published.body['error']]).toEqual([503, 'Service Unavailable']);
});
