import { proof, type ProofOptions } from '@trellis/testkit';
import { DEFAULT_COSTS } from '../src/settings/cost.ts';
import { RequestError } from '../src/errors.ts';
import { PROTECTIVE_LIMITS } from '../src/settings/limits.ts';
import { createOperationCache } from '../src/operation/operation-cache.ts';
import { JobWaiters } from '../src/planning/threads/job-waiters.ts';
import { PlannerOverstrained } from '../src/planning/threads/planner-rejections.ts';
import { createPlannerPool, type QueryPlanSource } from '../src/planning/threads/planner-pool.ts';
import type { PlanningAccount } from '../src/planning/operation-planner.ts';
import { createOperationPlanner } from '../src/planning/plan-operation.ts';
import { buildSupergraph } from '../src/supergraph/build-supergraph.ts';
import { shop } from '../test-fixtures/graphs/shop.ts';
import { collectedHeap } from '../test-fixtures/load/collected-heap.ts';
import { composeGraph } from '../test-fixtures/synthetic/start-graph.ts';

interface Size {
  readonly flood: number;
  readonly inUse: number;
  readonly maxPlans: number;
  /** How many operations of the flood come between two rounds of those in use. */
  readonly between: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { flood: 500, inUse: 20, maxPlans: 100, between: 150 },
  full: { flood: 100_000, inUse: 200, maxPlans: 2_000, between: 5_000 },
};
const MAX_GROWTH_PERCENT = 10;
const AT_ONCE = 500;
const PLANNING_MS = 2_000;

/**
 * S-034: very many operations, each sent once, beside some that are sent again and again. S-035: one that many send at once
 * for the first time. S-033: types within types, rejected before they are planned. S-036: one that overstrains the planner.
 */
proof({
  name: 'operation-flood',
  description:
    'Operations that are sent once, by many at once, or to overstrain the planner take nothing from those in use.',
  async run({ size }) {
    const { flood, inUse, maxPlans, between } = SIZES[size];
    const bench = createBench(maxPlans);
    try {
      const used = Array.from({ length: inUse }, (_, index) => `query Used${index} { me { name } }`);
      for (let round = 0; round < 2; round += 1) for (const text of used) await bench.plan(text);
      let plannedAgain = 0;
      let heapBefore = 0;
      for (let number = 0; number < flood; number += 1) {
        await bench.plan(`query Once${number} { topProducts(first: ${number % 9}) { upc name } }`);
        if (number === Math.floor(flood / 2)) heapBefore = await collectedHeap();
        if (number % between > 0) continue;
        plannedAgain += await bench.plannedBy(async () => {
          for (const text of used) await bench.plan(text);
        });
      }
      const heapAfter = await collectedHeap();
      const plannedTogether = await bench.plannedBy(() =>
        Promise.all(Array.from({ length: AT_ONCE }, () => bench.plan('query Cold { me { username } }'))),
      );
      const exploded = await bench.explode();
      const killedFor = await bench.overstrain();
      const plannedAfter = await bench.plannedBy(() => bench.plan('query After { me { email } }'));
      const growthPercent = (heapAfter / heapBefore - 1) * 100;
      // a small flood has not filled the caches at its middle
      const isBounded = size === 'small' || growthPercent <= MAX_GROWTH_PERCENT;
      return {
        passed:
          plannedAgain === 0 &&
          isBounded &&
          plannedTogether === 1 &&
          exploded === 'selections, planned 0 times' &&
          killedFor === 'planningMs' &&
          plannedAfter === 1,
        figures: {
          flood,
          inUse,
          plannedAgain,
          heapMb: (heapAfter / 1e6).toFixed(1),
          heapGrowthPercent: growthPercent.toFixed(1),
          askedAtOnce: AT_ONCE,
          plannedForThem: plannedTogether,
          exploded,
          killedFor,
          plannedAfterwards: plannedAfter,
        },
      };
    } finally {
      await bench.close();
    }
  },
});

/** Clients send all of it: what the gateway plans by itself counts as in use. */
const account: PlanningAccount = {
  plannerCaller: () => ({ keys: ['a client'], isKnown: true }),
};

const BOMB_LEVELS = 14;

function fragmentBomb(levels: number): string {
  const fragments = Array.from({ length: levels }, (_, level) => {
    const next = `...F${level + 1}`;
    return `fragment F${level} on Book { a${level}: related { ${next} } b${level}: related { ${next} } }`;
  });
  return `{ topProducts { ...F0 } } ${fragments.join(' ')} fragment F${levels} on Book { name inStock }`;
}

const EXPLOSION_LEVELS = 8;

/** Each level has all types of the one before, some of them twice. */
function typeExplosion(levels: number): string {
  const fragments = Array.from({ length: levels }, (_, level) => {
    const next = `...L${level + 1}`;
    const ofBook = `... on Book { related { ${next} } again: related { ${next} } }`;
    const ofOthers = `... on Furniture { set { items { ${next} } } } ... on Bundle { items { ${next} } }`;
    return `fragment L${level} on CatalogItem { ${ofBook} ${ofOthers} }`;
  });
  return `{ catalog { ...L0 } } ${fragments.join(' ')} fragment L${levels} on CatalogItem { __typename }`;
}

interface Bench {
  plan(text: string): Promise<void>;
  /** How many plans were made meanwhile. */
  plannedBy(work: () => Promise<unknown>): Promise<number>;
  /** Asks for an explosion of types. @returns what came of it */
  explode(): Promise<string>;
  /** Gives the thread more than it can plan in its time. @returns the limit that it went over */
  overstrain(): Promise<string>;
  close(): Promise<void>;
}

function createBench(maxPlans: number): Bench {
  let planned = 0;
  const thread = createPlannerPool({ deadlineMs: () => PLANNING_MS });
  const source: QueryPlanSource = {
    load: (supergraph) => thread.load(supergraph),
    unload: (supergraph) => thread.unload(supergraph),
    introspect: (...question) => thread.introspect(...question),
    close: () => thread.close(),
    plan(...question) {
      planned += 1;
      return thread.plan(...question);
    },
  };
  const supergraph = buildSupergraph(composeGraph(shop, (name) => `http://${name}.test/`));
  const planner = createOperationPlanner({ source, maxPlans });
  const operationCache = createOperationCache(supergraph, {
    limits: PROTECTIVE_LIMITS,
    costs: DEFAULT_COSTS,
    policies: {},
    introspection: true,
  });
  const plan = async (text: string): Promise<void> => {
    const operation = operationCache.document(text).operation(undefined);
    const request = { supergraph, operation, decided: operation.decide({}), account };
    await planner.planOperation(request, new AbortController().signal);
  };
  return {
    plan,
    async plannedBy(work) {
      const before = planned;
      await work();
      return planned - before;
    },
    async explode() {
      const before = planned;
      const found = await plan(typeExplosion(EXPLOSION_LEVELS)).then(() => 'planned', limitOf);
      return `${found}, planned ${planned - before} times`;
    },
    async overstrain() {
      const found = await thread
        .plan(supergraph, fragmentBomb(BOMB_LEVELS), [], new JobWaiters(new AbortController().signal))
        .catch((error: unknown) => error);
      return found instanceof PlannerOverstrained ? found.limit : String(found);
    },
    close: () => planner.close(),
  };
}

/** The limit that an operation went over. */
function limitOf(error: unknown): string {
  const [first] = error instanceof RequestError ? error.errors : [];
  const limit = first?.extensions['limit'] as { readonly name: string } | undefined; // as errors.md has it
  return limit?.name ?? String(error);
}
