import { createClient } from 'graphql-ws';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { readMultipart } from '../../testing/multipart-reader.ts';
import { sendQuery } from '../../testing/send-query.ts';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const LINK = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
`;

const PEOPLE = gql`
  ${LINK}
  type Query {
    user: User
    first: User!
    users: [User!]!
    broken: User!
  }
  type Mutation {
    one: Int
    two: User!
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
  }
`;

const SCORES = gql`
  ${LINK}
  type Mutation {
    bump: Int!
  }
  type User @key(fields: "id") {
    id: ID!
    score: Int!
    notes: [Note!]!
  }
  type Note {
    text: String!
  }
`;

const failing = (): never => {
  throw Object.assign(new Error('No score.'), { extensions: { code: 'NO_SCORE' } });
};
const user = (id: string): object => ({ id, name: `User ${id}` });
let done: string[] = [];

let people: SubgraphServer;
let scores: SubgraphServer;
let gateway: TestGateway;
let byDefault: TestGateway;
beforeAll(async () => {
  people = await startSubgraph({
    name: 'people',
    typeDefs: PEOPLE,
    resolvers: {
      Query: {
        user: () => user('1'),
        first: () => user('1'),
        users: () => [user('1'), user('2')],
        broken: failing,
      },
      Mutation: { one: () => done.push('one'), two: failing },
      User: { __resolveReference: ({ id }: { id: string }) => user(id) },
    },
  });
  scores = await startSubgraph({
    name: 'scores',
    typeDefs: SCORES,
    resolvers: {
      Mutation: { bump: () => done.push('bump') },
      User: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        score: ({ id }: { id: string }) => (id === '1' ? failing() : 7),
        notes: () => [],
      },
    },
  });
  gateway = await startTestGateway({ subgraphs: [people, scores] });
  byDefault = await startTestGateway({ subgraphs: [people, scores], settings: 'onError: "NULL"' });
});
afterAll(async () => {
  await Promise.all([gateway.close(), byDefault.close()]);
  await Promise.all([people.close(), scores.close()]);
});

const brief = ({ errors = [] }: { readonly errors?: readonly { path?: unknown; extensions: object }[] }) =>
  errors.map(({ path, extensions }) => [path, (extensions as { code: string }).code]);

const QUERY = '{ first { name score } users { id score } }';

describe('graphql-spec#1163, "Handling Execution Errors"', () => {
  it('PROPAGATE, and no onError: null propagates to the next position that may be null', async () => {
    for (const onError of ['PROPAGATE', undefined, null]) {
      const { status, body } = await gateway.post({ query: QUERY, onError });
      expect([status, body.data, brief(body)]).toEqual([200, null, [[['first', 'score'], 'NO_SCORE']]]);
    }
  });

  it('NULL: a non-null position is null, with an error that has its path, and all else is complete', async () => {
    const { status, body } = await gateway.post({ query: QUERY, onError: 'NULL' });
    expect([status, body.data]).toEqual([
      200,
      {
        first: { name: 'User 1', score: null },
        users: [
          { id: '1', score: null },
          { id: '2', score: 7 },
        ],
      },
    ]);
    expect(brief(body)).toEqual([
      [['first', 'score'], 'NO_SCORE'],
      [['users', 0, 'score'], 'NO_SCORE'],
    ]);
  });

  it('NULL: each null at a non-null position has an error at or below it, however it came about', async () => {
    const { body } = await gateway.post({ query: '{ broken { name } first { id } }', onError: 'NULL' });
    // The subgraph propagated the null to its data: so it explains `first` as well.
    expect(body.data).toEqual({ broken: null, first: null });
    expect(brief(body).map(([path]) => path)).toEqual([['broken'], ['first']]);
  });

  it('HALT: the first error is the only one, and the data is null', async () => {
    const { body } = await gateway.post({ query: QUERY, onError: 'HALT' });
    expect([body.data, brief(body)]).toEqual([null, [[['first', 'score'], 'NO_SCORE']]]);
    const nullable = await gateway.post({ query: '{ user { id score } }', onError: 'HALT' });
    expect([nullable.body.data, brief(nullable.body)]).toEqual([null, [[['user', 'score'], 'NO_SCORE']]]);
  });

  it('HALT: without an error nothing changes', async () => {
    const query = '{ users { id name } }';
    expect((await gateway.post({ query, onError: 'HALT' })).text).toBe((await gateway.post({ query })).text);
  });

  it('HALT: a mutation behind one that failed does not happen', async () => {
    const query = 'mutation { one two { id } bump }';
    done = [];
    await gateway.post({ query, onError: 'NULL' });
    expect(done).toEqual(['one', 'bump']);
    done = [];
    const { body } = await gateway.post({ query, onError: 'HALT' });
    expect([body.data, brief(body)]).toEqual([null, [[['two'], 'NO_SCORE']]]);
    expect(done).toEqual(['one']);
  });

  it.each(['null', 'Propagate', 'STOP', 1, true, ['NULL'], {}])(
    'another value is a request error: %j',
    async (onError) => {
      const { status, body } = await gateway.post({ query: QUERY, onError });
      expect([status, body.data, brief(body)]).toEqual([400, undefined, [[undefined, 'BAD_REQUEST']]]);
      expect(body.errors?.[0]?.message).toBe('"onError" has to be one of PROPAGATE, NULL, HALT.');
    },
  );

  it('equal queries with different behaviors, sent together, each get their own result', async () => {
    const query = '{ first { id score } }';
    const send = async (onError: string) => (await gateway.post({ query, onError })).body.data;
    const sent = ['NULL', 'PROPAGATE', 'HALT', 'NULL'].map(send);
    expect(await Promise.all(sent)).toEqual([
      { first: { id: '1', score: null } },
      null,
      null,
      { first: { id: '1', score: null } },
    ]);
  });

  it('each operation of a batch has its own', async () => {
    const query = '{ first { id score } }';
    const { bodies } = await gateway.post([{ query, onError: 'NULL' }, { query }]);
    expect(bodies.map(({ data }) => data)).toEqual([{ first: { id: '1', score: null } }, null]);
  });

  it('the gateway’s own default is a setting', async () => {
    const query = '{ first { id score } }';
    expect((await byDefault.post({ query })).body.data).toEqual({ first: { id: '1', score: null } });
    expect((await byDefault.post({ query, onError: 'PROPAGATE' })).body.data).toBeNull();
  });
});

describe('graphql-spec#1163, "Service Capabilities"', () => {
  const query = '{ __service { capabilities { identifier value } } }';
  const capabilities = (value: string): object => ({
    __service: {
      capabilities: [
        { identifier: 'graphql.onError', value: null },
        { identifier: 'graphql.defaultErrorBehavior', value },
      ],
    },
  });

  it('says that onError is taken, and what the default is', async () => {
    expect((await gateway.post({ query })).body).toEqual({ data: capabilities('PROPAGATE') });
    expect((await byDefault.post({ query })).body).toEqual({ data: capabilities('NULL') });
  });

  it('stands beside other fields, in fragments too', async () => {
    const mixed =
      'query { user { id } ...S } fragment S on Query { s: __service { capabilities { value } } }';
    const { body } = await gateway.post({ query: mixed });
    expect(body.data).toEqual({
      user: { id: '1' },
      s: { capabilities: [{ value: null }, { value: 'PROPAGATE' }] },
    });
  });
});

describe('transports carry onError', () => {
  const query = '{ first { id score } }';

  it('HTTP GET, as a parameter', async () => {
    expect((await gateway.get({ query, onError: 'NULL' })).body.data).toEqual({
      first: { id: '1', score: null },
    });
    expect((await gateway.get({ query, onError: 'null' })).status).toBe(400);
    expect((await gateway.get({ query, onError: '' })).body.data).toBeNull();
  });

  it('server-sent events', async () => {
    const response = await fetch(`${gateway.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query, onError: 'NULL' }),
    });
    expect(await response.text()).toContain('"data":{"first":{"id":"1","score":null}}');
  });

  it('WebSocket', async () => {
    const client = createClient({
      url: `${gateway.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
    });
    const results: unknown[] = [];
    const payload = { query, onError: 'NULL' }; // further members of a payload are sent as they are
    for await (const { data } of client.iterate(payload)) results.push(data);
    expect(results).toEqual([{ first: { id: '1', score: null } }]);
    await client.dispose();
  });

  const inParts = '{ first { id ... @defer { name score } } }';
  const accept = 'multipart/mixed;incrementalSpec=v0.2, application/json';

  it('deferred parts: NULL keeps a part that PROPAGATE would fail', async () => {
    const partsOf = async (onError: string): Promise<readonly unknown[]> => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify({ query: inParts, onError }),
      });
      return readMultipart(response).rest();
    };
    expect(JSON.stringify(await partsOf('NULL'))).toContain('"data":{"name":"User 1","score":null}');
    const failed = JSON.stringify(await partsOf('PROPAGATE'));
    expect(failed).toContain('NO_SCORE');
    expect(failed).not.toContain('"score":null');
  });

  it('deferred parts: with HALT the response comes whole, as what was sent could not be taken back', async () => {
    const response = await sendQuery(gateway, inParts, { accept });
    expect(response.headers.get('content-type')).toContain('multipart/mixed');
    await response.text();
    const halting = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query: inParts, onError: 'HALT' }),
    });
    expect(await halting.json()).toMatchObject({ data: null, errors: [{ path: ['first', 'score'] }] });
  });
});

describe('events of subscriptions', () => {
  let graph: EventGraph;
  let events: TestGateway;
  beforeAll(async () => {
    graph = await startEventGraph();
    events = await startTestGateway({ subgraphs: graph.all });
  });
  afterAll(async () => {
    await events.close();
    await graph.close();
  });

  it('are completed as each subscriber asked, and the stream goes on after HALT', async () => {
    const client = createClient({
      url: `${events.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
    });
    const query = 'subscription { published { id broken } }';
    const behaviors = ['NULL', 'PROPAGATE', 'HALT'];
    const streams = behaviors.map((onError) => client.iterate({ query, onError } as { query: string }));
    const next = async () => {
      const results = await Promise.all(streams.map((stream) => stream.next()));
      return results.map(({ value }) => value as { data: unknown; errors: readonly unknown[] });
    };
    for (const id of ['1', '2']) {
      const received = next();
      await expect.poll(() => graph.news.open()).toBeGreaterThan(0);
      graph.news.publish({ id });
      const results = await received;
      // The subgraph propagates in itself, up to the field of the event.
      expect(results.map(({ data }) => data)).toEqual([{ published: null }, null, null]);
      expect(results.map(({ errors }) => errors.length)).toEqual([1, 1, 1]);
    }
    await client.dispose();
    await expect.poll(() => graph.news.open()).toBe(0);
  });

  it('NULL: a non-null field of what does not exist has an error of its own', async () => {
    const client = createClient({
      url: `${events.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
    });
    const query = 'subscription { published { id author { id name } } }';
    const stream = client.iterate({ query, onError: 'NULL' } as { query: string });
    const received = stream.next();
    await expect.poll(() => graph.news.open()).toBeGreaterThan(0);
    graph.news.publish({ id: '1', author: 'gone' });
    expect((await received).value).toMatchObject({
      data: { published: { id: '1', author: { id: 'gone', name: null } } },
      errors: [{ path: ['published', 'author', 'name'] }],
    });
    await client.dispose();
  });
});
