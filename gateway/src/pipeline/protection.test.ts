import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';

let graph: LibraryGraph;
/** With the limits that every configuration has. */
let guarded: TestGateway;
/** Over a bare supergraph: only the process is protected. */
let bare: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  guarded = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
  bare = await startTestGateway({ subgraphs: graph.all, environment: { NODE_ENV: 'production' } });
});
afterAll(async () => {
  await guarded.close();
  await bare.close();
  await graph.close();
});
beforeEach(() => graph.forget());

/** Generous: the machine that runs this may be busy with others. */
const CPU_BUDGET_MS = 500;
const RESPONSE_JSON = { accept: 'application/graphql-response+json' };

async function expectRejected(
  body: unknown,
  code: string | RegExp,
  gateway: TestGateway = bare,
): Promise<GatewayResponse> {
  const before = process.cpuUsage();
  const result = await gateway.post(body, RESPONSE_JSON);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(CPU_BUDGET_MS);
  expect(result.status).toBe(400);
  expect(result.body.errors?.[0]?.extensions['code']).toMatch(code);
  expect(result.text.length).toBeLessThan(65_536);
  expect(graph.requests()).toBe(0);
  const canary = await gateway.post({ query: '{ __typename }' });
  expect(canary.body).toEqual({ data: { __typename: 'Query' } });
  return result;
}

const limitOf = ({ body }: GatewayResponse): unknown => body.errors?.[0]?.extensions['limit'];

describe('Protection of the process, on every gateway', () => {
  it('S-001 rejects selections nested 5,000 deep', async () => {
    await expectRejected(
      { query: `${'{ friends '.repeat(5_000)}${'}'.repeat(5_000)}` },
      /PARSE_ERROR|TOO_COMPLEX/,
    );
    await expectRejected(
      { query: `${'{ friends '.repeat(1_900)}${'}'.repeat(1_900)}` },
      /PARSE_ERROR|TOO_COMPLEX/,
    );
  });

  it.each([1_000, 4_900, 50_000])('S-002 rejects literals nested %i deep', async (levels) => {
    const list = `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    await expectRejected({ query: `{ echo(list: ${list}) }` }, /PARSE_ERROR|TOO_COMPLEX|VALIDATION_FAILED/);
    const object = `${'{ nested: '.repeat(levels)}null${'}'.repeat(levels)}`;
    await expectRejected(
      { query: `{ echo(input: ${object}) }` },
      /PARSE_ERROR|TOO_COMPLEX|VALIDATION_FAILED/,
    );
  });

  it('S-003 rejects variables nested 50,000 deep', async () => {
    const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
    await expectRejected(
      `{"query":"query($l:[Int!]){echo(list:$l)}","variables":{"l":${deep}}}`,
      'BAD_REQUEST',
    );
    await expectRejected(`{"query":"{public}","extensions":{"l":${deep}}}`, 'BAD_REQUEST');
  });

  it('S-004 rejects a megabyte of tokens', async () => {
    const result = await expectRejected({ query: `{ ${'a '.repeat(500_000)}}` }, 'QUERY_TOO_COMPLEX');
    expect(limitOf(result)).toEqual({ name: 'tokens', maximum: 10_000, actual: 10_001 });
  });

  it('S-005 rejects a chain of 10,000 fragments', async () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => `fragment f${i} on Query{...f${i + 1}}`).join(' ');
    await expectRejected({ query: `{...f0} ${chain}` }, 'QUERY_TOO_COMPLEX');
    await expectRejected({ query: `{...f0} ${chain.slice(0, 30_000)}` }, /TOO_COMPLEX|PARSE_ERROR/);
  });

  it('S-006 rejects fragments that spread themselves', async () => {
    const query = '{ people { ...f } } fragment f on User { friends { ...f } }';
    await expectRejected({ query }, 'GRAPHQL_VALIDATION_FAILED');
  });

  it.each([14, 30])('S-007 rejects a fragment bomb of 2^%i', async (levels) => {
    const fragments = Array.from(
      { length: levels },
      (_, i) =>
        `fragment f${i} on User { friends @include(if: true) { ...f${i + 1} } ... on User { ...f${i + 1} } }`,
    );
    const query = `{ people { ...f0 } } ${fragments.join(' ')} fragment f${levels} on User { id }`;
    const result = await expectRejected({ query }, 'QUERY_TOO_COMPLEX');
    expect(limitOf(result)).toMatchObject({ name: 'selections' });
  });

  it('S-012 S-016 rejects or survives fields that are repeated', async () => {
    const repeated = await bare.post({ query: `{ ${'public '.repeat(150)} }` });
    expect(repeated.body).toEqual({ data: { public: 'open to all' } });
    graph.forget();
    const result = await expectRejected({ query: `{ ${'public '.repeat(1_000)} }` }, 'QUERY_TOO_COMPLEX');
    expect(limitOf(result)).toMatchObject({ name: 'overlaps' });
    const names = Array.from({ length: 300 }, (_, i) => `f${i}`);
    const fields = 'people { id name } '.repeat(5);
    const query = `{ ${names.map((name) => `...${name}`).join(' ')} } ${names
      .map((name) => `fragment ${name} on Query { ${fields} }`)
      .join(' ')}`;
    await expectRejected({ query }, 'QUERY_TOO_COMPLEX');
  });

  it('S-013 survives many directives on one field', async () => {
    await expectRejected({ query: `{ public ${'@unknown '.repeat(1_000)} }` }, 'GRAPHQL_VALIDATION_FAILED');
    await expectRejected(
      { query: `{ public ${'@include(if: true) '.repeat(1_000)} }` },
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  it('S-014 survives a document of many operations', async () => {
    const query = Array.from({ length: 1_000 }, (_, i) => `query q${i} { public }`).join(' ');
    expect((await bare.post({ query, operationName: 'q999' })).body.data).toEqual({ public: 'open to all' });
  });

  it('S-015 answers a flood of errors with a few', async () => {
    const fields = Array.from({ length: 4_000 }, (_, i) => `wrong${i}`).join(' ');
    const result = await expectRejected({ query: `{ ${fields} }` }, 'GRAPHQL_VALIDATION_FAILED');
    expect(result.body.errors?.length).toBeLessThanOrEqual(21);
    const long = await expectRejected({ query: `{ ${'x'.repeat(100_000)} }` }, 'GRAPHQL_VALIDATION_FAILED');
    expect(long.text.length).toBeLessThan(1_000);
  });

  it('S-017 keeps a huge operation name out of the log', async () => {
    const name = 'n'.repeat(100_000);
    expect((await bare.post({ query: `query ${name} { public }` })).status).toBe(200);
    for (const record of bare.logged()) expect(JSON.stringify(record).length).toBeLessThan(2_000);
  });

  it('S-018 rejects 100,000 variable definitions', async () => {
    const variables = Array.from({ length: 100_000 }, (_, i) => `$v${i}:Int`).join(' ');
    await expectRejected(
      { query: `query (${variables.slice(0, 900_000)}) { public }` },
      /TOO_COMPLEX|PARSE_ERROR/,
    );
    await expectRejected(
      { query: `query (${variables.slice(0, 28_000)}) { public }` },
      /TOO_COMPLEX|VALIDATION|PARSE/,
    );
  });

  it('S-019 rejects a list variable of very many elements', async () => {
    const list = `[${'1,'.repeat(400_000)}1]`;
    const result = await expectRejected(
      `{"query":"query($l:[Int!]){echo(list:$l)}","variables":{"l":${list}}}`,
      'QUERY_TOO_COMPLEX',
    );
    // counted in the body as a whole, before anything is built of it
    expect(limitOf(result)).toEqual({ name: 'variables', maximum: 50_000, actual: 400_004 });
  });

  it('S-023 rejects circular introspection, and answers the usual one', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const types = 'fields { type { '.repeat(20);
    const query = `{ __schema { types { ${types} name ${'} }'.repeat(20)} } } }`;
    await expectRejected({ query }, /VALIDATION_FAILED|TOO_COMPLEX/, guarded);
    const usual = await guarded.post({ query: getIntrospectionQuery() });
    expect(usual.body.errors).toBeUndefined();
    expect(usual.body.data).toHaveProperty('__schema');
  });

  it('S-034 keeps an operation that is in use through a flood of others', async () => {
    const canary = { query: 'query canary { public }' };
    for (let round = 0; round < 20; round += 1) {
      const flood = Array.from({ length: 10 }, (_, i) => ({ query: `{ f${round}x${i}: __typename }` }));
      await bare.post(flood);
      expect((await bare.post(canary)).body.data).toEqual({ public: 'open to all' });
    }
  });

  it('S-040 has no _entities and no _service', async () => {
    await expectRejected({ query: '{ _service { sdl } }' }, 'GRAPHQL_VALIDATION_FAILED');
    await expectRejected(
      { query: '{ _entities(representations: []) { __typename } }' },
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  it('leaves depth, aliases and cost of a bare supergraph alone', async () => {
    const aliases = Array.from({ length: 30 }, (_, i) => `a${i}: public`).join(' ');
    expect((await bare.post({ query: `{ ${aliases} }` })).status).toBe(200);
    const deep = `{ people ${'{ friends '.repeat(15)}{ id ${'}'.repeat(17)}`;
    expect((await bare.post({ query: deep })).body.errors).toBeUndefined();
  });
});

describe('Limits of a configured gateway', () => {
  const friends = (depth: number): string =>
    `{ people(limit: 1) ${'{ friends(first: 1) '.repeat(depth - 2)}{ id ${'}'.repeat(depth)}`;

  it('S-008 accepts depth 10 and rejects depth 11', async () => {
    expect((await guarded.post({ query: friends(10) })).body.errors).toBeUndefined();
    graph.forget();
    const result = await expectRejected({ query: friends(11) }, 'QUERY_TOO_COMPLEX', guarded);
    expect(result.body.errors?.[0]?.extensions).toEqual({
      code: 'QUERY_TOO_COMPLEX',
      limit: { name: 'depth', maximum: 10, actual: 11 },
    });
  });

  it('S-008 sees depth in the operation that runs and in every element of a batch', async () => {
    const query = `query shallow { public } query deep ${friends(11)}`;
    expect((await guarded.post({ query, operationName: 'shallow' })).body.errors).toBeUndefined();
    graph.forget();
    await expectRejected({ query, operationName: 'deep' }, 'QUERY_TOO_COMPLEX', guarded);
    const { bodies } = await guarded.post([
      { query: '{ public }' },
      { query: '{ public }' },
      { query: friends(11) },
    ]);
    expect(bodies.map(({ errors }) => errors?.[0]?.extensions['code'])).toEqual([
      undefined,
      undefined,
      'QUERY_TOO_COMPLEX',
    ]);
  });

  it('S-009 accepts 10 aliases and rejects 11', async () => {
    const aliased = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} }`;
    expect((await guarded.post({ query: aliased(10) })).body.errors).toBeUndefined();
    const result = await expectRejected({ query: aliased(11) }, 'QUERY_TOO_COMPLEX', guarded);
    expect(limitOf(result)).toEqual({ name: 'aliases', maximum: 10, actual: 11 });
  });

  it('S-010 accepts cost 10,000 and rejects more', async () => {
    const query = 'query ($n: Int) { books(first: $n) { id title author { id name } } }';
    const each = 5 + 1 + 1 + 1 + 1 + 1;
    expect((await guarded.post({ query, variables: { n: 1_000 } })).body.errors).toBeUndefined();
    graph.forget();
    const result = await expectRejected({ query, variables: { n: 1_001 } }, 'QUERY_TOO_COMPLEX', guarded);
    expect(limitOf(result)).toEqual({ name: 'cost', maximum: 10_000, actual: 1_001 * each });
    await expectRejected({ query, variables: { n: 1e9 } }, 'QUERY_TOO_COMPLEX', guarded);
  });

  it('S-011 rejects very many root fields', async () => {
    const result = await expectRejected(
      { query: `{ ${'__typename '.repeat(150)} }` },
      'QUERY_TOO_COMPLEX',
      guarded,
    );
    expect(limitOf(result)).toMatchObject({ name: 'rootFields' });
  });

  it('responds with 400 to an exceeded limit under application/json too', async () => {
    expect((await guarded.post({ query: friends(11) })).status).toBe(400);
  });

  it('S-054 apply to persisted queries', async () => {
    const { createHash } = await import('node:crypto');
    const query = friends(11);
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    await expectRejected({ query, extensions }, 'QUERY_TOO_COMPLEX', guarded);
    // What is rejected is not stored.
    await expectRejected({ query: '', extensions }, 'PERSISTED_QUERY_NOT_FOUND', guarded);
  });
});

describe('Answers', () => {
  it('are bounded in size', async () => {
    const small = await startTestGateway({
      subgraphs: graph.all,
      settings: 'limits: { responseCharacters: 100 }',
    });
    const query = '{ people { id name email } }';
    const result = await small.post({ query }, RESPONSE_JSON);
    expect([result.status, result.body.errors?.[0]?.extensions['code']]).toEqual([500, 'RESPONSE_TOO_LARGE']);
    expect((await small.post({ query: '{ public }' })).body.data).toEqual({ public: 'open to all' });
    await small.close();
  });

  it('report the cost where the operator lets them', async () => {
    const query = '{ books(first: 2) { title } }';
    const verbose = await startTestGateway({ subgraphs: graph.all, settings: 'extensions: { cost: true }' });
    const response = JSON.parse((await verbose.post({ query })).text) as { extensions?: unknown };
    expect(response.extensions).toEqual({ cost: { estimate: 12, limit: 10_000, objects: 2 } });
    await verbose.close();
    expect((await guarded.post({ query })).text).not.toContain('extensions');
  });

  it('report the plan and the times where the operator lets them', async () => {
    const settings = 'extensions: { plan: true, timings: true }';
    const verbose = await startTestGateway({ subgraphs: graph.all, settings });
    const query = '{ books(first: 1) { author { name } } }';
    const { extensions } = JSON.parse((await verbose.post({ query })).text) as { extensions?: unknown };
    await verbose.close();
    const times = {
      admissionMs: expect.any(Number),
      planningMs: expect.any(Number),
      executionMs: expect.any(Number),
    };
    expect(extensions).toEqual({
      plan: {
        kind: 'sequence',
        steps: [
          expect.objectContaining({ kind: 'fetch', subgraph: 'books', path: [] }),
          expect.objectContaining({ kind: 'fetch', subgraph: 'people', path: ['books', '@', 'author'] }),
        ],
      },
      timings: times,
    });
  });
});

describe('Introspection switched off', () => {
  it.each([
    ['__schema', '{ __schema { types { name } } }'],
    ['__type', '{ __type(name: "Query") { name } }'],
    ['under an alias', '{ x: __schema { queryType { name } } }'],
    ['in a fragment', '{ ...f } fragment f on Query { __schema { queryType { name } } }'],
    ['with white space and a byte order mark', '\uFEFF{\n\t__schema\r\n{ queryType { name } } }'],
  ])('S-021 rejects %s', async (_name, query) => {
    await expectRejected({ query }, 'GRAPHQL_VALIDATION_FAILED');
  });

  it('S-021 rejects it in batches and by GET', async () => {
    const query = '{ __schema { queryType { name } } }';
    const { bodies } = await bare.post([{ query }, { query: '{ __typename }' }]);
    expect(bodies[0]?.errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(bodies[1]).toEqual({ data: { __typename: 'Query' } });
    const response = await fetch(`${bare.url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { 'apollo-require-preflight': 'x' },
    });
    expect(await response.text()).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  it('S-022 suggests no names', async () => {
    const messages = async (gateway: TestGateway): Promise<string> => {
      const results = await gateway.post([
        { query: '{ publik }' },
        { query: '{ echo(valu: "x") }' },
        { query: '{ echo(kind: TW) }' },
        { query: 'query ($i: EchoInput) { echo(input: $i) }', variables: { i: { nam: 'x', name: 'x' } } },
        { query: 'query ($k: Kind) { echo(kind: $k) }', variables: { k: 'TW' } },
        { query: '{ people { ... on Persn { id } } }' },
      ]);
      return results.text;
    };
    expect(await messages(guarded)).toContain('Did you mean');
    expect(await messages(bare)).not.toContain('Did you mean');
  });
});
