import { afterAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '@trellis/testkit/random';
import { buildDemandingGraph, LIST_SIZE } from '../../../test-fixtures/demand/demanding-graph.ts';
import {
  demandingOperation,
  type DemandingOperation,
} from '../../../test-fixtures/demand/demanding-operation.ts';
import { RequestError } from '../../errors.ts';
import type { ExecutionContext } from '../../execution/plan-run.ts';
import { runPlan } from '../../execution/run-plan.ts';
import { executeIncrementally } from '../../execution/execute-incrementally.ts';
import { rejectDeferredEvents } from '../../pipeline/prepare-request.ts';
import type { Introspector } from '../../plan/introspection-question.ts';
import type { Plan, SubscriptionPlan } from '../../plan/plan.ts';
import { writeIntrospection } from '../../planning/threads/write-introspection.ts';
import type { Variables } from '../document/decided-conditions.ts';
import { createOperationCache } from '../operation-cache.ts';
import { enforceCost } from './enforce-limits.ts';
import { createOperationPlanner } from '../../planning/plan-operation.ts';
import { createSupergraphPlanner } from '../../planning/threads/supergraph-planner.ts';
import { CostBudget } from '../../request/context.ts';
import { DEFAULT_COSTS } from '../../settings/cost.ts';
import { PROTECTIVE_LIMITS } from '../../settings/limits.ts';

const SEEDS = [1, 2, 3];
const OPERATIONS = 60;
const BATCHES = 10;
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
    introspect: (_supergraph, input) =>
      Promise.resolve(writeIntrospection(supergraphPlanner.clientSchema(), input)),
    plan: (_supergraph, operation, labels) => Promise.resolve(supergraphPlanner.plan(operation, labels)),
  },
});
const operationCache = createOperationCache(supergraph, {
  limits: PROTECTIVE_LIMITS,
  costs: { ...DEFAULT_COSTS, omittedSlice: LIST_SIZE, listSize: LIST_SIZE },
  policies: {},
  overridePercents: { moved: 40 },
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

/** What has been executed of each kind: each is to be there. */
const executed = { results: 0, parts: 0, events: 0, questions: 0, moved: 0, unmoved: 0 };
/** As many values of introspection cost as much as a field. */
const VALUES_PER_FIELD = 250;

/** Runs a plan to its last part; a subscription for one event. @returns how many fields were answered for it */
async function execute(plan: Plan, variables: Variables): Promise<number> {
  const { signal } = new AbortController();
  let values = 0;
  const introspector: Introspector = {
    async introspect(request) {
      const text = await planner.introspect(request, signal);
      executed.questions += 1;
      values += text.match(/"\w+":/g)?.length ?? 0;
      return text;
    },
  };
  const context = { variables, headersFor: () => ({}), subgraphClient, introspector, signal };
  graph.takeCount();
  if (plan.subscription) await executeOneEvent(plan, plan.subscription, context);
  else if (plan.isDeferred) await executeParts(plan, context);
  else await runPlan(plan, context);
  executed.results += 1;
  return graph.takeCount() + values / VALUES_PER_FIELD;
}

async function executeParts(plan: Plan, context: ExecutionContext): Promise<void> {
  const { updates } = await executeIncrementally(plan, context);
  for await (const _update of updates) executed.parts += 1;
}

/** The subgraph sends what it was subscribed to with. */
async function executeOneEvent(
  plan: Plan,
  subscription: SubscriptionPlan,
  context: ExecutionContext,
): Promise<void> {
  const { subgraph, bodyStart } = subscription.primary;
  const body = `${bodyStart}${JSON.stringify(context.variables)}}`;
  const call = { subgraph, body, url: '', headers: {}, isMutation: false, signal: context.signal };
  const response = await subgraphClient.send({ ...call, sharedBy: undefined });
  await runPlan(plan, context, { payload: JSON.parse(response.body.toString()) });
  executed.events += 1;
}

/** As the pipeline does it. @returns nothing where it is rejected */
function admit(operation: DemandingOperation, maximum: number, budget?: CostBudget): Admitted | undefined {
  const cached = operationCache.document(operation.text).operation(undefined);
  const { coerceVariables, decide, costOf } = cached;
  try {
    const variables = coerceVariables(operation.variables);
    const decided = decide(variables);
    rejectDeferredEvents(cached, decided);
    const cost = costOf(variables, decided);
    enforceCost(cost, { ...PROTECTIVE_LIMITS, cost: maximum }, budget);
    return {
      operation,
      cost,
      async execute() {
        const { signal } = new AbortController();
        executed[decided.overrideLabels.length > 0 ? 'moved' : 'unmoved'] += 1;
        const plan = await planner.planOperation(
          { supergraph, operation: cached, decided, incremental: true },
          signal,
        );
        return execute(plan, variables);
      },
    };
  } catch (error) {
    if (error instanceof RequestError) return undefined;
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
    let runs = 0;
    let resolved = 0;
    for (let number = 0; number < OPERATIONS; number += 1) {
      const outcome = await admittedOf(random);
      if (!outcome) continue;
      const { operation, cost } = outcome.admitted;
      const { text, variables } = operation;
      if (outcome.resolved > cost) expect({ text, variables, cost }).toEqual({ resolved: outcome.resolved });
      runs += 1;
      resolved += outcome.resolved;
    }
    expect(runs).toBeGreaterThan(OPERATIONS / 4); // nulls in conditions reject many
    expect(resolved).toBeGreaterThan(1_000);
  });

  it('was of each kind: responses in parts, events, questions about the schema, with fields that move and without', () => {
    for (const [kind, count] of Object.entries(executed))
      expect({ kind, count: count > 5 }).toEqual({ kind, count: true });
  });

  it('G10: has been counted for a batch as a whole', async () => {
    const random = createRandom(4);
    let rejected = 0;
    for (let number = 0; number < BATCHES; number += 1) {
      const maximum = 20 + random.below(400);
      const budget = new CostBudget();
      let resolved = 0;
      let spent = 0;
      for (let index = 0; index < 10; index += 1) {
        const admitted = admit(demandingOperation(random), maximum, budget);
        if (admitted) {
          spent += admitted.cost;
          resolved += await admitted.execute();
        } else rejected += 1;
      }
      expect(spent).toBeLessThanOrEqual(maximum);
      expect(resolved).toBeLessThanOrEqual(maximum);
    }
    expect(rejected).toBeGreaterThan(BATCHES);
  });
});
