import { proof } from '@trellis/testkit';
import { legacy } from '../test-fixtures/graphs/legacy.ts';
import { library } from '../test-fixtures/graphs/library.ts';
import { shop } from '../test-fixtures/graphs/shop.ts';
import { fuzzGraph, type FuzzFindings } from '../test-fixtures/synthetic/fuzz.ts';

const graphs = [shop, library, legacy];

/** How many operations of 100 fail somewhere, where faults are made. */
const FAULT_PERCENT = 12;

/** Random operations over several graphs, against one executor that knows all of each graph. */
proof({
  name: 'differential-fuzzing',
  description:
    'The gateway answers random operations as one executor over the whole schema does, errors included.',
  async run({ size, seed }) {
    const total = size === 'full' ? 10_000 : 300;
    const operations = Math.ceil(total / graphs.length);
    const sum = {
      operations: 0,
      withErrors: 0,
      substantial: 0,
      written: 0,
      passthrough: 0,
      parts: 0,
      items: 0,
      sent: 0,
    };
    const differences: string[] = [];
    for (const graph of graphs) {
      const found = await fuzzGraph(graph, { operations, seed, faultPercent: FAULT_PERCENT });
      sum.operations += found.operations;
      sum.withErrors += found.withErrors;
      sum.substantial += found.substantial;
      sum.written += found.written;
      sum.passthrough += found.passthrough;
      sum.parts += found.parts;
      sum.items += found.items;
      sum.sent += found.sent;
      differences.push(...found.differences.map((text) => `${graph.name}: ${text}`));
    }
    const [first] = differences;
    const passed = differences.length === 0 && isMeaningful(sum);
    return {
      passed,
      figures: {
        seed,
        ...sum,
        differences: differences.length,
        ...(first !== undefined && { firstDifference: first }),
      },
    };
  },
});

type Sum = Omit<FuzzFindings, 'differences'>;

/** Whether enough of everything was compared: operations that fail nowhere, or have no parts, would prove nothing of these. */
function isMeaningful({
  operations,
  withErrors,
  substantial,
  written,
  passthrough,
  parts,
  items,
}: Sum): boolean {
  return (
    substantial > operations / 3 &&
    withErrors > operations / 20 &&
    parts > operations / 4 &&
    items > operations / 10 &&
    written > operations / 3 &&
    passthrough > operations / 150
  );
}
