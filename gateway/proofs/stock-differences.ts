import { proof } from '@trellis/testkit';
import { legacy } from '../test-fixtures/graphs/legacy.ts';
import { library } from '../test-fixtures/graphs/library.ts';
import { shop } from '../test-fixtures/graphs/shop.ts';
import { isSame, knownDifferences, type StockDifference } from '../test-fixtures/stock/known-differences.ts';
import { startStockGateway, type StockGateway } from '../test-fixtures/stock/stock-gateway.ts';
import { createRandom } from '../test-fixtures/synthetic/hash.ts';
import { startGatewayOver } from '../test-fixtures/synthetic/over-http.ts';
import { randomOperation, type RandomOperation } from '../test-fixtures/synthetic/random-operation.ts';
import { startGraph } from '../test-fixtures/synthetic/start-graph.ts';
import type { GraphDefinition } from '../test-fixtures/synthetic/subgraph-definition.ts';

/** Random queries over several graphs, to stock @apollo/gateway and to this gateway. */
proof({
  name: 'stock-differences',
  description: 'Where @apollo/gateway answers otherwise, a standard says who is right.',
  async run({ size, seed }) {
    const operations = size === 'full' ? 2_000 : 60;
    const differences: StockDifference[] = [];
    for (const graph of [shop, library, legacy])
      differences.push(...(await findDifferences(graph, operations, seed)));
    const names = differences.map(
      (difference) => knownDifferences.find((known) => known.matches(difference))?.name,
    );
    const unexplained = differences.filter((_difference, index) => names[index] === undefined);
    const counts = knownDifferences.map(({ name }) => [name, names.filter((found) => found === name).length]);
    const [first] = unexplained;
    return {
      passed: unexplained.length === 0,
      figures: {
        seed,
        operations: operations * 3,
        ...Object.fromEntries(counts),
        unexplained: unexplained.length,
        ...(first && { firstUnexplained: describe(first) }),
      },
    };
  },
});

async function findDifferences(
  definition: GraphDefinition,
  operations: number,
  seed: number,
): Promise<readonly StockDifference[]> {
  const graph = await startGraph(definition);
  const gateway = await startGatewayOver(graph);
  const stock = await startStockGateway(graph.sdl);
  const random = createRandom(seed);
  const found: StockDifference[] = [];
  for (let count = 0; count < operations; count += 1) {
    const operation = randomOperation(graph.supergraph.schema, random, {
      maxDepth: 2 + random.below(3),
      defer: false,
      root: 'query',
    });
    const ours = await gateway.ask(operation);
    const theirs = await askStock(stock, operation);
    if (theirs.stock && isSame(ours, theirs.stock) && countErrors(ours) === countErrors(theirs.stock))
      continue;
    const whole = await graph.executeWhole(operation.document, operation.variables);
    found.push({ operation, ours, ...theirs, whole, namesInFieldSets: graph.world.namesInFieldSets });
  }
  await Promise.all([gateway.close(), stock.close()]);
  await graph.close();
  return found;
}

async function askStock(
  stock: StockGateway,
  operation: RandomOperation,
): Promise<Pick<StockDifference, 'stock' | 'thrown'>> {
  try {
    return { stock: await stock.ask(operation) };
  } catch (error) {
    return { stock: undefined, thrown: String(error) };
  }
}

function countErrors({ errors = [] }: Awaited<ReturnType<StockGateway['ask']>>): number {
  return errors.length;
}

function describe({ operation, ours, stock, thrown, whole }: StockDifference): string {
  const answers = [ours, stock ?? thrown, whole].map((answer) => JSON.stringify(answer));
  return [operation.text, JSON.stringify(operation.variables), ...answers].join('\n');
}
