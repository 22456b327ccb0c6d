import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const LISTED = '{ latest { id } }';
const MANIFEST = JSON.stringify({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id: 'latest', name: 'Latest', type: 'query', body: LISTED }],
});

let graph: EventGraph;
let gateway: TestGateway;
let listing: TestGateway;

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    environment: { NODE_ENV: 'production' },
    settings: `
      limits: { depth: 2, aliases: 2, rootFields: 3, tokens: 60, directives: 3, cost: 2 }
      introspection: false`,
  });
  listing = await startTestGateway({
    subgraphs: graph.all,
    settings: 'persistedQueries: { mode: safelist, manifests: [apollo.json] }',
    files: { 'apollo.json': MANIFEST },
  });
});
afterAll(async () => {
  await Promise.all([gateway.close(), listing.close()]);
  await graph.close();
});

/** What a client gets for its first mistake. */
type Reported = Readonly<Record<string, unknown>> | undefined;

interface Asked {
  readonly query?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

async function overHttp(to: TestGateway, asked: Asked): Promise<Reported> {
  return (await to.post(asked)).body.errors?.[0]?.extensions;
}

async function overSse(to: TestGateway, asked: Asked): Promise<Reported> {
  const { body } = await to.post(asked, { accept: 'text/event-stream, application/graphql-response+json' });
  return body.errors?.[0]?.extensions;
}

async function overWebSocket(to: TestGateway, asked: Asked): Promise<Reported> {
  const socket = await RawSocket.connect(`${to.url}/graphql`);
  socket.send({ id: '1', type: 'subscribe', payload: asked });
  const { type, payload } = await socket.next();
  socket.close();
  expect(type).toBe('error');
  return (payload as readonly { readonly extensions: Reported }[])[0]?.extensions; // an error frame carries a list
}

describe('S-073 over WebSocket and SSE', () => {
  const user = '{ a: user(id: "1") { id } user(id: "2") { id } latest { id } }';
  const limits: readonly (readonly [string, string])[] = [
    ['depth', '{ latest { author { id } } }'],
    ['depth', 'subscription { published { author { id } } }'],
    ['aliases', '{ a: count b: count c: count }'],
    ['rootFields', '{ count latest { id } ... { __typename } t: __typename }'],
    ['tokens', `{ ${'count '.repeat(80)} }`],
    [
      'directives',
      '{ count @include(if: true) @skip(if: false) latest @include(if: true) { id @skip(if: false) } }',
    ],
    ['cost', user],
    ['cost', `query @live ${user}`],
  ];

  it.each(limits)('the limit of %s is the one of HTTP: %s', async (name, query) => {
    const reported = await expectSame(gateway, { query });
    expect(reported).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: { name } });
  });

  const mistakes: readonly (readonly [string, Asked])[] = [
    ['GRAPHQL_PARSE_ERROR', { query: '{ count' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ noAuthor }' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ __schema { types { name } } }' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: 'subscription { published { id } shared { id } }' }],
    ['BAD_USER_INPUT', { query: 'query Q($id: ID!) { user(id: $id) { id } }' }],
  ];

  it.each(mistakes)('%s is what it is over HTTP: %j', async (code, asked) => {
    expect(await expectSame(gateway, asked)).toMatchObject({ code });
  });

  const unlisted = createHash('sha256').update('{ count }').digest('hex');
  it.each<readonly [string, Asked]>([
    ['text', { query: '{ count }' }],
    ['hash', { extensions: { persistedQuery: { version: 1, sha256Hash: unlisted } } }],
    ['live query', { query: 'query @live { count }' }],
  ])('the safelist is the one of HTTP: an unlisted %s', async (_what, asked) => {
    expect(await expectSame(listing, asked)).toHaveProperty('code');
    expect(graph.news.received).toEqual([]);
  });
});

/** @returns what every transport says of the request */
async function expectSame(to: TestGateway, asked: Asked): Promise<Reported> {
  const reported = await overSse(to, asked);
  expect(await overWebSocket(to, asked)).toEqual(reported);
  const needsStream = /^subscription|@live/.test(asked.query ?? '');
  if (!needsStream) expect(await overHttp(to, asked)).toEqual(reported);
  expect(graph.news.subscribed).toEqual([]);
  return reported;
}
