import { renameSync, writeFileSync } from 'node:fs';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose } from '../testing/compose.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

/** As deployments do it: no one ever reads half a file. */
function replaceSupergraph(text: string): void {
  writeFileSync(`${gateway.supergraphFile}.next`, text);
  renameSync(`${gateway.supergraphFile}.next`, gateway.supergraphFile);
}

async function changes(outcome: string): Promise<number> {
  const metric = gateway.metrics.getSingleMetric('trellis_gateway_supergraph_changes_total');
  const { values } = (await metric?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
}

const ask = async (): Promise<unknown> => (await gateway.post({ query: '{ public }' })).body;

describe('The supergraph of a running gateway', () => {
  it.each([
    ['empty', ''],
    ['no schema', 'type Query {'],
    ['half written', 'half'],
    [
      'no supergraph',
      print(gql`
        type Query {
          public: String!
        }
      `),
    ],
  ])(
    'F-12 that is %s is rejected with a log record and a metric, and the one before serves',
    async (_what, text) => {
      const before = await changes('rejected');
      replaceSupergraph(text === 'half' ? compose(graph.all).slice(0, 3_000) : text);
      await expect.poll(() => changes('rejected')).toBe(before + 1);
      expect(gateway.logged().some(({ msg }) => String(msg).startsWith('invalid supergraph'))).toBe(true);
      expect(await ask()).toEqual({ data: { public: 'open to all' } });
    },
  );

  it('is replaced within 15 s, also by one whose predecessor was rejected, and also back again', async () => {
    const extended = graph.all.map((subgraph) => ({
      ...subgraph,
      typeDefs: replaceInTypeDefs(subgraph.typeDefs, 'public: String!', 'public: String! added: String'),
    }));
    const before = await changes('serving');
    for (const [index, text] of [compose(extended), compose(graph.all), compose(extended)].entries()) {
      replaceSupergraph(text);
      await expect.poll(() => changes('serving')).toBe(before + index + 1);
      expect(await ask()).toEqual({ data: { public: 'open to all' } });
    }
  });
});
