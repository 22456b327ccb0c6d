import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import type { SubgraphServer } from '../testing/subgraph-server.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startDemandGraph, type DemandGraph } from '../testing/demand-graph.ts';
import {
  startTestGateway,
  type GatewayResponse,
  type GraphBody,
  type TestGateway,
} from '../testing/test-gateway.ts';

let graph: DemandGraph;
let gateway: TestGateway;

const SETTINGS = `
extensions: { cost: true }
cost: { slicingArguments: [first, last, limit, slugs] }
`;

beforeAll(async () => {
  graph = await startDemandGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: SETTINGS });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => graph.things.forget());

const LARGE = 'things(first: 100) { id many(first: 100) { id many(first: 10) { id } } }';

const ask = (query: string, variables?: unknown): Promise<GatewayResponse> =>
  gateway.post({ query, variables });

function codeOf({ errors }: GraphBody): unknown {
  return errors?.[0]?.extensions['code'];
}

function limitOf({ errors }: GraphBody): unknown {
  return errors?.[0]?.extensions['limit'];
}

/** What is rejected has asked nothing of any subgraph. */
function expectRejected({ body }: GatewayResponse, code: string): void {
  expect(codeOf(body)).toBe(code);
  expect(graph.things.received).toEqual([]);
}

describe('Limits: maximum total cost', () => {
  it('G1: rejects a null in a condition: it can not switch the limit off', async () => {
    expectRejected(await ask(`{ ${LARGE} }`), 'QUERY_TOO_COMPLEX');
    const declared = 'query ($off: Boolean = false)';
    const hidden = LARGE.replace(' {', ' @skip(if: $off) {');
    const fragment = `fragment F on Query { ${LARGE} }`;
    for (const query of [
      `${declared} { ${hidden} }`,
      `${declared} { ... @skip(if: $off) { ${LARGE} } }`,
      `${declared} { ...F @skip(if: $off) } ${fragment}`,
      `${declared} { ...F } fragment F on Query { ${hidden} }`,
      `${declared} { self { ... @skip(if: $off) { ${LARGE} } } }`,
    ]) {
      expectRejected(await ask(query, { off: null }), 'BAD_USER_INPUT');
      expectRejected(await ask(query, { off: false }), 'QUERY_TOO_COMPLEX');
      expectRejected(await ask(query), 'QUERY_TOO_COMPLEX');
    }
    const [first] = (await gateway.post([{ query: `${declared} { ${hidden} }`, variables: { off: null } }]))
      .bodies;
    expect(first && codeOf(first)).toBe('BAD_USER_INPUT');
  });

  it('counts what a condition leaves in, and nothing of what it leaves out', async () => {
    const query = `query ($off: Boolean!) { self { __typename } ${LARGE.replace(' {', ' @skip(if: $off) {')} }`;
    expect((await ask(query, { off: true })).body.data).toEqual({ self: { __typename: 'Query' } });
    expect(limitOf((await ask(query, { off: false })).body)).toMatchObject({ name: 'cost', maximum: 10_000 });
  });

  it('G10: counts lists of ids, and lists that nothing bounds', async () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `id-${index}`);
    const byIds = 'query ($ids: [ID!]!) { byIds(ids: $ids) { id many(first: 9) { id } } }';
    expect(limitOf((await ask(byIds, { ids })).body)).toMatchObject({ actual: 5_000 * (1 + 1 + 9 * 2) });
    const bySlugs = byIds.replaceAll('ids', 'slugs').replace('byIds', 'bySlugs').replace('ID!', 'String!');
    expectRejected(await ask(bySlugs, { slugs: ids }), 'QUERY_TOO_COMPLEX');
    const few = await ask(byIds, { ids: ids.slice(0, 10) });
    expect(few.body.errors).toBeUndefined();
    graph.things.forget();
    const nested = '{ all { many { many { many { id } } } } }';
    expect(limitOf((await ask(nested)).body)).toMatchObject({ actual: 21_110 });
  });

  it('G10: counts the largest @listSize of all that an interface stands for', async () => {
    expectRejected(await ask('{ nodes(first: 10) { parts { id } } }'), 'QUERY_TOO_COMPLEX');
    expect((await ask('{ nodes(first: 10) { ... on Thing { parts { id } } } }')).body.errors).toBeUndefined();
  });

  it('G10: gives a whole batch one budget, and says which of its operations exceed it', async () => {
    const query = '{ things(first: 60) { many(first: 30) { id } } }'; // 60 × (1 + 30 × 2)
    const { bodies } = await gateway.post([
      { query },
      { query },
      { query },
      { query: '{ things(first: 1) { id } }' },
    ]);
    expect(bodies.map(codeOf)).toEqual([undefined, undefined, 'QUERY_TOO_COMPLEX', undefined]);
    expect(bodies[2] && limitOf(bodies[2])).toEqual({ name: 'cost', maximum: 10_000, actual: 3 * 3_660 });
  });
});

describe('What an operation turned out to cost', () => {
  const objectsOf = async (query: string): Promise<unknown> => (await ask(query)).body.extensions?.['cost'];

  it('is sent where the operator allows it, however the response is made', async () => {
    const query = '{ things(first: 3) { id many(first: 2) { id } } }';
    const expected = { estimate: 3 * (1 + 1 + 2 * 2), limit: 10_000, objects: 9 };
    for (let time = 0; time < 12; time += 1) expect(await objectsOf(query)).toEqual(expected); // the writer is compiled meanwhile
    expect(await objectsOf('{ things(first: 1) { nothing: name } self { __typename } }')).toMatchObject({
      objects: 2,
    });
    expect(await objectsOf('{ __typename }')).toMatchObject({ objects: 0 });
    const long = '{ things(first: 400) { id name parts { id name } } }'; // passed on as it comes
    expect(await objectsOf(long)).toMatchObject({ objects: 400 * 3 });
  });

  it('is in the metrics', async () => {
    const text = await gateway.metrics.metrics();
    expect(text).toMatch(/trellis_gateway_objects_resolved_count\{.*kind="query".*\} \d/);
    expect(text).toMatch(/trellis_gateway_objects_resolved_bucket\{le="10",.*\} \d/);
  });

  it('is charged to the rate of the caller, by the response and not by the operation', async () => {
    const limited = await startTestGateway({
      subgraphs: graph.all,
      settings: 'rateLimits: { objectsPerOperation: 10, perAddress: { operations: 30, windowS: 600 } }',
    });
    const outcomes: unknown[] = [];
    for (const first of [9, 9, 9, 250, 1, 1])
      outcomes.push(codeOf((await limited.post({ query: `{ things(first: ${first}) { id } }` })).body));
    await limited.close();
    expect(outcomes).toEqual([undefined, undefined, undefined, undefined, undefined, 'RATE_LIMITED']);
  });
});

describe('Limits: requests to subgraphs', () => {
  let library: LibraryGraph;
  let guarded: TestGateway;
  beforeAll(async () => {
    library = await startLibraryGraph();
    guarded = await startTestGateway({ subgraphs: library.all, settings: 'limits: { subgraphRequests: 2 }' });
  });
  afterAll(async () => {
    await guarded.close();
    await library.close();
  });

  it('reject an operation whose plan makes more, and ask nothing of any subgraph', async () => {
    const two = await guarded.post({ query: '{ user(id: "user-1") { name books { title } } }' });
    expect(two.body.errors).toBeUndefined();
    expect(library.requests()).toBe(2);
    library.forget();
    const three = '{ user(id: "user-1") { books { author { name } } } }';
    for (let time = 0; time < 2; time += 1) {
      const { body } = await guarded.post({ query: three });
      expect([codeOf(body), limitOf(body)]).toEqual([
        'QUERY_TOO_COMPLEX',
        { name: 'subgraphRequests', maximum: 2, actual: 3 },
      ]);
    }
    expect(library.requests()).toBe(0);
  });
});

describe('Introspection', () => {
  let bare: TestGateway;
  beforeAll(async () => {
    bare = await startTestGateway({ subgraphs: [...graph.all, wideSubgraph(graph.things.url)] });
  });
  afterAll(() => bare.close());

  const made = async (): Promise<number> =>
    Number(
      /introspection_results_total\{outcome="miss".*\} (\d+)/.exec(await bare.metrics.metrics())?.[1] ?? 0,
    );

  it('G8: is answered by query planner workers, and nowhere else', async () => {
    const before = await made();
    const distinct = Array.from(
      { length: 10 },
      (_, index) => `a${index}: __schema { types { k${index}: name } }`,
    );
    const { body } = await bare.post({ query: `{ ${distinct.join(' ')} }` });
    expect(Object.keys(body.data ?? {})).toHaveLength(10);
    expect(await made()).toBe(before + 10);
    const users = sourcesHolding(/\bwriteIntrospection\(|\bexecuteSync\(|\bgraphqlSync\(/u);
    expect(users).toEqual(['planning/threads/program.ts', 'planning/threads/write-introspection.ts']);
  });

  it('G8: answers equal selections once, under any alias, fragment or condition', async () => {
    const before = await made();
    const query = `query ($x: Boolean!, $y: Boolean!) {
      a: __schema { types { name } }
      b: __schema { types { ...N } }
      c: __schema { types { name kind @include(if: $x) } }
      ... @skip(if: $x) { d: __schema { types { ... on __Type { name } kind @include(if: $y) } } }
    } fragment N on __Type { name }`;
    const { body } = await bare.post({ query, variables: { x: false, y: false } });
    const { a, b, c, d } = body.data ?? {};
    expect([b, c, d]).toEqual([a, a, a]);
    expect(await made()).toBe(before + 1);
    for (const y of [false, true, false]) await bare.post({ query, variables: { x: false, y } });
    expect(await made()).toBe(before + 2);
    const plain = await bare.post({ query: '{ __schema { types { name } } }' });
    expect(plain.body.data).toEqual({ __schema: a });
    expect(await made()).toBe(before + 2);
  });

  it('G8: rejects what would be too long, before it is written', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `${'k'.repeat(300)}${index}: name`).join(' ');
    const query = `{ __schema { types { fields { type { fields { ${names} } } } } } }`;
    const { body } = await bare.post({ query });
    expect(codeOf(body)).toBe('RESPONSE_TOO_LARGE');
    const { body: short } = await bare.post({ query: '{ __typename }' });
    expect(short).toEqual({ data: { __typename: 'Query' } });
  });

  it('G8: is rejected by its cost where it asks for much', async () => {
    const wide = await startTestGateway({
      subgraphs: [...graph.all, wideSubgraph(graph.things.url)],
      settings: 'limits: { cost: 1000 }',
    });
    const full = getIntrospectionQuery();
    const one = await wide.post({ query: full });
    expect(one.body.errors).toBeUndefined();
    const many = Array.from(
      { length: 10 },
      (_, index) => `a${index}: __schema { types { ...FullType } }`,
    ).join(' ');
    const { body } = await wide.post({ query: `{ ${many} } ${full.slice(full.indexOf('fragment'))}` });
    await wide.close();
    expect(limitOf(body)).toMatchObject({ name: 'cost', maximum: 1_000 });
  });

  it('is answered beside data, below it, and in lists', async () => {
    const query =
      '{ things(first: 2) { id } self { __typename self { t: __type(name: "Thing") { name } } } __schema { queryType { name } } }';
    expect((await bare.post({ query })).body).toEqual({
      data: {
        things: [{ id: 'Thing-0' }, { id: 'Thing-1' }],
        self: { __typename: 'Query', self: { t: { name: 'Thing' } } },
        __schema: { queryType: { name: 'Query' } },
      },
    });
    const nothing =
      'query ($x: Boolean!) { __schema { queryType { name @include(if: $x) } } __type(name: "No") { name } }';
    expect((await bare.post({ query: nothing, variables: { x: false } })).body.data).toEqual({
      __schema: { queryType: {} },
      __type: null,
    });
    const named = 'query ($n: String!) { __type(name: $n) { name kind } }';
    const namesOf = async (n: string): Promise<unknown> =>
      (await bare.post({ query: named, variables: { n } })).body.data;
    expect(await namesOf('Thing')).toEqual({ __type: { name: 'Thing', kind: 'OBJECT' } });
    expect(await namesOf('Node')).toEqual({ __type: { name: 'Node', kind: 'INTERFACE' } });
  });
});

/** Sources of the gateway, tests aside, that match. */
function sourcesHolding(pattern: RegExp): readonly string[] {
  const sources = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'))
    .filter((file) => pattern.test(readFileSync(`${sources}${file}`, 'utf8')))
    .toSorted();
}

/** 120 types of ten fields each, that lead to one another. No one answers them. */
function wideSubgraph(url: string): SubgraphServer {
  const types = Array.from(
    { length: 120 },
    (_, index) =>
      `type Wide${index} { ${Array.from({ length: 10 }, (__, field) => `f${field}(a: Int, b: Int): Wide${(index * 7 + field) % 120}`).join(' ')} }`,
  );
  const typeDefs = gql`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [])
    type Query {
      wide: Wide0
    }
    ${types.join(' ')}
  `;
  return {
    name: 'wide',
    url,
    typeDefs,
    received: [],
    aborted: () => 0,
    forget: () => undefined,
    close: () => Promise.resolve(),
  };
}
