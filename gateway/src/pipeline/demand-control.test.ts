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
});
