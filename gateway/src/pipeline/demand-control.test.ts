import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDemandGraph, type DemandGraph } from '../testing/demand-graph.ts';
import {
  startTestGateway,
  type GraphAnswer,
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

const ask = (query: string, variables?: unknown): Promise<GraphAnswer> => gateway.post({ query, variables });

function codeOf({ errors }: GraphBody): unknown {
  return errors?.[0]?.extensions['code'];
}

function limitOf({ errors }: GraphBody): unknown {
  return errors?.[0]?.extensions['limit'];
}

/** What is refused has asked nothing of any subgraph. */
function expectRefused({ body }: GraphAnswer, code: string): void {
  expect(codeOf(body)).toBe(code);
  expect(graph.things.received).toEqual([]);
}

describe('Limits: maximum total cost', () => {
  it('G1: refuses a null in a condition: it can not switch the limit off', async () => {
    expectRefused(await ask(`{ ${LARGE} }`), 'QUERY_TOO_COMPLEX');
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
      expectRefused(await ask(query, { off: null }), 'BAD_USER_INPUT');
      expectRefused(await ask(query, { off: false }), 'QUERY_TOO_COMPLEX');
      expectRefused(await ask(query), 'QUERY_TOO_COMPLEX');
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
    expectRefused(await ask(bySlugs, { slugs: ids }), 'QUERY_TOO_COMPLEX');
    const few = await ask(byIds, { ids: ids.slice(0, 10) });
    expect(few.body.errors).toBeUndefined();
    graph.things.forget();
    const nested = '{ all { many { many { many { id } } } } }';
    expect(limitOf((await ask(nested)).body)).toMatchObject({ actual: 21_110 });
  });

  it('G10: counts the largest @listSize of all that an interface stands for', async () => {
    expectRefused(await ask('{ nodes(first: 10) { parts { id } } }'), 'QUERY_TOO_COMPLEX');
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
