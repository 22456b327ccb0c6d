import { print } from 'graphql';
import { breakableFields } from '../synthetic/breakable-fields.ts';
import { createFaultPlan, noFaults } from '../synthetic/field-resolution.ts';
import { createRandom, type Random } from '@trellis/testkit/random';
import { startGatewayOver } from '../synthetic/over-http.ts';
import { randomOperation, type RandomOperation } from '../synthetic/random-operation.ts';
import { startGraph } from '../synthetic/start-graph.ts';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';
import { compareGateways, type ComparedGateways, type StockDifference } from './compare-gateways.ts';
import { explain } from './known-differences.ts';
import { randomFaults, type RequestFault } from './request-faults.ts';
import { shrinkOperation } from './shrink-operation.ts';
import { startStockGateway } from './stock-gateway.ts';

/** What was found on one graph. */
export interface GraphComparison {
  readonly operations: number;
  readonly mutations: number;
  /** Operations while fields failed. */
  readonly withFieldFaults: number;
  /** Operations while requests failed. */
  readonly withRequestFaults: number;
  /** Operations whose response has errors. */
  readonly withErrors: number;
  /** Mutations of several fields that subgraphs executed. */
  readonly severalEffects: number;
  /** Names of known differences, one for each operation that shows it. */
  readonly explained: readonly string[];
  /** Each with all that is needed to see it again. */
  readonly unexplained: readonly string[];
}

/** Sends random operations over a graph to both gateways. Stops at three differences without an explanation. */
export async function compareOnGraph(
  definition: GraphDefinition,
  operations: number,
  seed: number,
): Promise<GraphComparison> {
  const graph = await startGraph(definition);
  const ours = await startGatewayOver(graph);
  const stock = await startStockGateway(graph.sdl);
  try {
    return await new Comparison(definition, { graph, ours, stock }, seed).run(operations);
  } finally {
    await Promise.all([ours.close(), stock.close()]);
    await graph.close();
  }
}

const MAX_UNEXPLAINED = 3;
const FIELD_FAULT_PERCENT = 12;

class Comparison {
  readonly #definition: GraphDefinition;
  readonly #gateways: ComparedGateways;
  readonly #random: Random;
  readonly #seed: number;
  readonly #breakable: ReadonlySet<string>;
  /** Where a share of requests goes elsewhere, which subgraph's fault concerns whom is chance. */
  readonly #canFailRequests: boolean;
  readonly #explained: string[] = [];
  readonly #unexplained: string[] = [];

  constructor(definition: GraphDefinition, gateways: ComparedGateways, seed: number) {
    this.#definition = definition;
    this.#gateways = gateways;
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#breakable = breakableFields(gateways.graph);
    this.#canFailRequests = !gateways.graph.sdl.includes('percent(');
  }

  async run(operations: number): Promise<GraphComparison> {
    const counts = {
      operations,
      mutations: 0,
      withFieldFaults: 0,
      withRequestFaults: 0,
      withErrors: 0,
      severalEffects: 0,
    };
    for (let index = 0; index < operations && this.#unexplained.length < MAX_UNEXPLAINED; index += 1) {
      const operation = this.#nextOperation();
      const hasFieldFaults = index % 4 === 2;
      this.#setFieldFaults(hasFieldFaults);
      const faults = index % 4 === 3 ? this.#requestFaults() : [];
      const found = await compareGateways(this.#gateways, operation, faults);
      if (found.aspects.size > 0) await this.#report(found);
      if (operation.text.startsWith('mutation')) counts.mutations += 1;
      if (hasFieldFaults) counts.withFieldFaults += 1;
      if (faults.length > 0) counts.withRequestFaults += 1;
      if ((found.ours.errors ?? []).length > 0) counts.withErrors += 1;
      if (found.effects.ours.length > 1) counts.severalEffects += 1;
    }
    return { ...counts, explained: this.#explained, unexplained: this.#unexplained };
  }

  #nextOperation(): RandomOperation {
    const { schema } = this.#gateways.graph.supergraph;
    const random = this.#random;
    return randomOperation(schema, random, {
      maxDepth: 2 + random.below(3),
      defer: false,
      root: schema.getMutationType() && random.chance(25) ? 'mutation' : 'query',
      awkwardAliases: random.chance(15),
    });
  }

  #setFieldFaults(hasFaults: boolean): void {
    const seed = this.#random.below(1000);
    const plan = hasFaults ? createFaultPlan(this.#breakable, FIELD_FAULT_PERCENT, seed) : noFaults;
    this.#gateways.graph.setFaults(plan);
  }

  #requestFaults(): readonly RequestFault[] {
    return this.#canFailRequests ? randomFaults(this.#gateways.graph, this.#random) : [];
  }

  async #report(found: StockDifference): Promise<void> {
    const explanations = explain(found);
    if (explanations) this.#explained.push(...explanations.map(({ name }) => name));
    else this.#unexplained.push(this.#describe(await this.#smallest(found)));
  }

  /** The smallest part of the operation that is still without an explanation. */
  async #smallest(found: StockDifference): Promise<StockDifference> {
    let smallest = found;
    await shrinkOperation(this.#gateways.graph.supergraph.schema, found.operation, async (smaller) => {
      const again = await compareGateways(this.#gateways, smaller, found.faults);
      const shows = again.aspects.size > 0 && explain(again) === undefined;
      if (shows) smallest = again;
      return shows;
    });
    return smallest;
  }

  #describe({ operation, faults, aspects, ours, stock, thrown, whole, effects }: StockDifference): string {
    const values = { faults, ours, stock: stock ?? thrown, whole, effects };
    return [
      `Seed ${this.#seed}, graph ${this.#definition.name}, differs in: ${[...aspects].join(', ')}`,
      ...this.#definition.subgraphs.map(
        ({ name, typeDefs }) => `# ${name}
${print(typeDefs)}`,
      ),
      operation.text,
      JSON.stringify(operation.variables),
      ...Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ].join('\n');
  }
}
