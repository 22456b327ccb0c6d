import { afterAll, describe, expect, it } from 'vitest';
import { buildDemandingGraph, LIST_SIZE } from '../../../test-fixtures/demand/demanding-graph.ts';
import {
  demandingOperation,
  type DemandingOperation,
} from '../../../test-fixtures/demand/demanding-operation.ts';
import { createRandom, type Random } from '../../../test-fixtures/synthetic/hash.ts';
import { RequestRefused } from '../../errors.ts';
import { executePlan } from '../../execution/execute-plan.ts';
import { createOperationCatalogue } from '../operation-catalogue.ts';
import { enforceCost } from './enforce-limits.ts';
import { createOperationPlanner } from '../../planning/plan-operation.ts';
import { createSupergraphPlanner } from '../../planning/threads/supergraph-planner.ts';
import { CostBudget } from '../../request/cost-budget.ts';
import { DEFAULT_COSTS } from '../../settings/cost-settings.ts';
import { PROTECTIVE_LIMITS } from '../../settings/limits.ts';

const SEEDS = [1, 2, 3];
const OPERATIONS = 80;
const BATCHES = 15;
/** Fields that one operation may come to: larger ones say nothing new. */
const MAX_COST = 20_000;

const graph = buildDemandingGraph();
const { supergraph, client: subgraphClient } = graph;
const supergraphPlanner = createSupergraphPlanner(supergraph.sdl);
const planner = createOperationPlanner({
  source: {
    load: () => Promise.resolve(),
    unload: () => undefined,
    close: () => Promise.resolve(),
    introspect: () => Promise.resolve('{}'),
    plan: (_supergraph, operation, labels) => Promise.resolve(supergraphPlanner.plan(operation, labels)),
  },
});
const catalogue = createOperationCatalogue(supergraph, {
  limits: PROTECTIVE_LIMITS,
  costs: { ...DEFAULT_COSTS, omittedSlice: LIST_SIZE, listSize: LIST_SIZE },
  policies: {},
  introspection: true,
});
afterAll(() => planner.close());

/** An operation that was let in, and what it was counted for. */
interface Admitted {
  readonly operation: DemandingOperation;
  readonly cost: number;
  /** Runs it. @returns how many fields subgraphs resolved for it */
  execute(): Promise<number>;
}

/** As the pipeline does it. @returns nothing where it is refused */
function admit(operation: DemandingOperation, maximum: number, budget?: CostBudget): Admitted | undefined {
  const { document, documentHash, coerceVariables, decide, costOf } = catalogue
    .document(operation.text)
    .operation(undefined);
  try {
    const variables = coerceVariables(operation.variables);
    const decided = decide(variables);
    const cost = costOf(variables, decided);
    enforceCost(cost, { ...PROTECTIVE_LIMITS, cost: maximum }, budget);
    return {
      operation,
      cost,
      async execute() {
        const { signal } = new AbortController();
        const plan = await planner.planOperation({ supergraph, document, documentHash, decided }, signal);
        graph.takeCount();
        await executePlan(plan, { variables, headersFor: () => ({}), subgraphClient, signal });
        return graph.takeCount();
      },
    };
  } catch (error) {
    if (error instanceof RequestRefused) return undefined;
    throw error;
  }
}

async function admittedOf(random: Random): Promise<{ admitted: Admitted; resolved: number } | undefined> {
  const admitted = admit(demandingOperation(random), MAX_COST);
  return admitted && { admitted, resolved: await admitted.execute() };
}

describe('Whatever a plan asks for', () => {
  it.each(SEEDS)('G1, G10: has been counted: random operations and variables, seed %i', async (seed) => {
    const random = createRandom(seed);
    let executed = 0;
    let resolved = 0;
    for (let number = 0; number < OPERATIONS; number += 1) {
      const outcome = await admittedOf(random);
      if (!outcome) continue;
      const { operation, cost } = outcome.admitted;
      const { text, variables } = operation;
      if (outcome.resolved > cost) expect({ text, variables, cost }).toEqual({ resolved: outcome.resolved });
      executed += 1;
      resolved += outcome.resolved;
    }
    expect(executed).toBeGreaterThan(OPERATIONS / 4); // nulls in conditions refuse many
    expect(resolved).toBeGreaterThan(1_000);
  });

  it('G10: has been counted for a batch as a whole', async () => {
    const random = createRandom(4);
    let refused = 0;
    for (let number = 0; number < BATCHES; number += 1) {
      const maximum = 20 + random.below(400);
      const budget = new CostBudget();
      let resolved = 0;
      for (let index = 0; index < 10; index += 1) {
        const admitted = admit(demandingOperation(random), maximum, budget);
        if (admitted) resolved += await admitted.execute();
        else refused += 1;
      }
      expect(resolved).toBeLessThanOrEqual(maximum);
    }
    expect(refused).toBeGreaterThan(BATCHES);
  });
});
