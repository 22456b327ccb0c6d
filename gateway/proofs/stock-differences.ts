import { proof } from '@trellis/testkit';
import { legacy } from '../test-fixtures/graphs/legacy.ts';
import { library } from '../test-fixtures/graphs/library.ts';
import { shop } from '../test-fixtures/graphs/shop.ts';
import { composedGraphs } from '../test-fixtures/random-graph/composed-graphs.ts';
import { compareOnGraph, type GraphComparison } from '../test-fixtures/stock/compare-on-graph.ts';
import { knownDifferences } from '../test-fixtures/stock/known-differences.ts';
import { createRandom } from '@trellis/testkit/random';

const SIZES = {
  small: { graphs: 3, operations: 24 },
  full: { graphs: 30, operations: 60 },
};

/** Random operations over random graphs, and over three that were written by hand, to stock @apollo/gateway and to this gateway. */
proof({
  name: 'stock-differences',
  description: 'Where @apollo/gateway answers otherwise, a standard says who is right.',
  async run({ size, seed }) {
    const { graphs: count, operations } = SIZES[size];
    const { graphs, discarded } = composedGraphs(createRandom(seed), count);
    const found: GraphComparison[] = [];
    for (const graph of [shop, library, legacy, ...graphs])
      found.push(await compareOnGraph(graph, operations, seed));
    const explained = found.flatMap((comparison) => comparison.explained);
    const unexplained = found.flatMap((comparison) => comparison.unexplained);
    const sums = sumsOf(found);
    return {
      passed: unexplained.length === 0 && isMeaningful(sums),
      figures: {
        seed,
        graphs: found.length,
        discarded,
        ...sums,
        ...Object.fromEntries(knownDifferences.map(({ name }) => [name, countOf(explained, name)])),
        unexplained: unexplained.length,
        ...printed(unexplained),
      },
    };
  },
});

const MAX_PRINTED = 5;

/** Those without an explanation, each with all that is needed to see it again. */
function printed(unexplained: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    unexplained.slice(0, MAX_PRINTED).map((text, index) => [`unexplained${index + 1}`, `\n${text}`]),
  );
}

const COUNTED = [
  'operations',
  'mutations',
  'severalEffects',
  'withFieldFaults',
  'withRequestFaults',
  'withErrors',
] as const;

type Sums = Readonly<Record<(typeof COUNTED)[number], number>>;

function sumsOf(found: readonly GraphComparison[]): Sums {
  const sumOf = (name: (typeof COUNTED)[number]): number =>
    found.reduce((sum, comparison) => sum + comparison[name], 0);
  return Object.fromEntries(COUNTED.map((name) => [name, sumOf(name)])) as Sums; // of each of them
}

function countOf(names: readonly string[], wanted: string): number {
  return names.filter((name) => name === wanted).length;
}

/** Whether enough of everything was compared. */
function isMeaningful({
  operations,
  mutations,
  severalEffects,
  withRequestFaults,
  withErrors,
}: Sums): boolean {
  return (
    mutations > operations / 20 &&
    severalEffects > operations / 60 &&
    withRequestFaults > operations / 10 &&
    withErrors > operations / 20
  );
}
