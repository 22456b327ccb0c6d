import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { readMultipart } from '../testing/multipart-reader.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const BOOKS = '{ books { title author { name } } }';
const DEFERRED = '{ people { name ... @defer { books { title } } } }';

let graph: LibraryGraph;
let gateway: TestGateway;
let production: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  [gateway, production] = await Promise.all([
    startTestGateway({ subgraphs: graph.all, settings: '{}' }),
    startTestGateway({ subgraphs: graph.all, settings: '{}', environment: { NODE_ENV: 'production' } }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), production.close()]);
  await graph.close();
});
beforeEach(() => graph.forget());

const ask = (kind: string, query: string, at = gateway): ReturnType<TestGateway['post']> =>
  at.post({ query }, { 'trellis-explain': kind });

const call = (entities: number): object => ({
  startMs: expect.any(Number),
  durationMs: expect.any(Number),
  status: 200,
  bytes: expect.any(Number),
  entities,
});

describe('A request with trellis-explain: run', () => {
  it('gets cost, timings, and the plan with the requests that were made for each fetch', async () => {
    const { body, headers } = await ask('run', BOOKS);
    expect(body.data).toHaveProperty('books');
    expect(body.extensions).toEqual({
      cost: { estimate: expect.any(Number), limit: expect.any(Number), objects: expect.any(Number) },
      timings: {
        admissionMs: expect.any(Number),
        planningMs: expect.any(Number),
        executionMs: expect.any(Number),
      },
      plan: {
        kind: 'sequence',
        steps: [
          { kind: 'fetch', subgraph: 'books', path: [], operation: expect.any(String), calls: [call(0)] },
          {
            kind: 'fetch',
            subgraph: 'people',
            path: ['books', '@', 'author'],
            operation: expect.any(String),
            calls: [call(3)],
            entities: { wanted: 3, reused: 0 },
          },
        ],
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('gets them once more with the last part, where the response comes in parts', async () => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'multipart/mixed;deferSpec=20220824',
        'trellis-explain': 'run',
      },
      body: JSON.stringify({ query: DEFERRED }),
    });
    const parts = await readMultipart(response).rest();
    expect(parts).toHaveLength(2);
    expect(parts[1]).toMatchObject({
      hasNext: false,
      extensions: {
        plan: {
          kind: 'defer',
          first: { subgraph: 'people', calls: [call(0)] },
          later: [{ plan: { first: { subgraph: 'books', calls: [call(3)] } } }],
        },
      },
    });
  });

  it('shares no execution with equal requests, so that its own requests are seen', async () => {
    const all = await Promise.all([1, 2, 3].map(() => ask('run', '{ public }')));
    for (const { body } of all) expect(body.extensions?.['plan']).toMatchObject({ calls: [call(0)] });
    expect(graph.requests()).toBe(3);
  });

  it('sees which objects needed no request: equal ones, and those whose entity another fetch has brought', async () => {
    const { body } = await ask('run', '{ a: books { author { name } } b: books { author { name } } }');
    const plan = JSON.stringify(body.extensions?.['plan']);
    const fetches = plan.match(/"entities":\{[^}]*\}/g);
    expect(plan.match(/"calls":\[\{/g)).toHaveLength(3); // the one request for authors is of both
    expect(fetches).toEqual(['"entities":{"wanted":3,"reused":0}', '"entities":{"wanted":3,"reused":3}']);
    expect(graph.requests()).toBe(2);
  });

  it('sees requests that failed', async () => {
    const { body } = await ask('run', '{ public fail }');
    expect(body.errors).toHaveLength(1);
    expect(body.extensions?.['plan']).toMatchObject({ calls: [call(0)] });
  });
});

describe('A request with trellis-explain: estimate', () => {
  it.each([
    ['query', BOOKS],
    ['mutation', 'mutation { rename(id: "user-1", name: "Eve") { name } }'],
    ['deferred query', DEFERRED],
    ['live query', 'query @live { books { title } }'],
  ])('gets cost and plan of a %s, and nothing is executed', async (_kind, query) => {
    const { body } = await ask('estimate', query);
    expect(body.errors).toBeUndefined();
    expect(body.data).toBeNull();
    expect(body.extensions).toMatchObject({
      cost: { estimate: expect.any(Number), limit: 10_000 },
      plan: { kind: expect.any(String) },
    });
    expect(graph.requests()).toBe(0);
  });

  it('is rejected as it would be', async () => {
    const { body } = await ask('estimate', '{ nothing }');
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });
});

describe('A request with trellis-explain: schema', () => {
  it('gets with the schema who owns each field, what it costs and what it demands', async () => {
    const { body } = await ask('schema', getIntrospectionQuery());
    const fields = body.extensions?.['fields'] as Readonly<Record<string, unknown>>;
    expect(fields).toMatchObject({
      'Query.public': { subgraphs: ['people'], weight: 1 },
      'Query.me': { subgraphs: ['people'], authenticated: true },
      'User.email': { subgraphs: ['people'], scopes: [[['read:profile'], ['admin']]] },
      'User.books': { subgraphs: ['books'] },
      'Query.staff': { policies: [[['role:ADMIN'], ['role:EDITOR', 'vetted']]] },
    });
    expect(Object.keys(fields).filter((name) => name.startsWith('__'))).toEqual([]);
  });

  it('gets nothing with anything else', async () => {
    expect((await ask('schema', '{ public }')).body.extensions?.['fields']).toEqual({});
  });
});

describe('An explanation', () => {
  it.each(['', 'all', '__proto__', 'run, run'])('of %j is none', async (kind) => {
    expect((await ask(kind, '{ public }')).body).toEqual({ data: { public: 'open to all' } });
  });

  it('is not given in production, unless extensions.onRequest is on', async () => {
    for (const kind of ['run', 'estimate', 'schema'])
      expect((await ask(kind, '{ public }', production)).body).toEqual({ data: { public: 'open to all' } });
    writeFileSync(join(production.directory, 'gateway.yaml'), '{ extensions: { onRequest: true } }');
    await expect
      .poll(async () => (await ask('run', '{ public }', production)).body.extensions)
      .toHaveProperty('plan');
    const schema = await ask('schema', getIntrospectionQuery(), production);
    expect(schema.body.errors).not.toHaveLength(0); // introspection is off
    expect(schema.body.data).toBeUndefined();
    expect(schema.text).not.toContain('"fields"');
  });
});
