import { PlannerOverstrained } from './threads/planner-rejections.ts';
import { GATEWAY_ITSELF, type JobWaiters } from './threads/job-waiters.ts';
import { createPlannerPool, type QueryPlanSource } from './threads/planner-pool.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { GenerationPlans, type WeighedPlan } from './generation-plans.ts';
import { makePlan } from './make-plan.ts';
import { IntrospectionResults, type IntrospectionObserver } from './introspection-results.ts';
import type { Plan } from '../plan/plan.ts';
import type { OperationPlanner, PlanRequest } from './operation-planner.ts';
import { plannerFailure } from './planner-failure.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { enforceLimit } from '../operation/limits/enforce-limits.ts';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';

/** Settings of {@link createOperationPlanner}. */
export interface PlannerOptions {
  /** Makes query plans; it is closed with the planner. @default threads of its own */
  readonly source?: QueryPlanSource | undefined;
  /** How many plans of a generation are cached. @default MAX_PLANS */
  readonly maxPlans?: number | undefined;
  /** Selections of an operation once its fragments are written out, introspection aside. @default as limits.selections */
  readonly maxSelections?: (() => number) | undefined;
  /** @default none */
  readonly observer?: PlanningObserver | undefined;
}

/** Notified of each plan lookup. */
export interface PlanningObserver extends IntrospectionObserver {
  /** The plan was cached. */
  hit(): void;
  /** An equal one was being planned. */
  coalesced(): void;
  /** It was planned now. */
  miss(durationMs: number): void;
  failed(): void;
}

const MAX_PLANS = 1_500;
/** Of all plans of a generation together. */
const MAX_PLAN_BYTES = 16_000_000;
/** Of those that were used once. */
const MAX_NEW_PLAN_BYTES = 1_500_000;

/** A planner with its cache. One serves all generations of a supergraph. */
export function createOperationPlanner(options: PlannerOptions = {}): OperationPlanner {
  const { maxSelections = () => DEFAULT_LIMITS.selections, maxPlans = MAX_PLANS } = options;
  const { conditionVariables: maxConditionVariables, defers: maxDefers } = DEFAULT_LIMITS;
  const { source = createPlannerPool(), observer } = options;
  const generations = new WeakMap<Supergraph, GenerationPlans>();
  const introspection = new IntrospectionResults(source, observer);

  const generationOf = (supergraph: Supergraph): GenerationPlans => {
    let generation = generations.get(supergraph);
    if (!generation) {
      const bounds = { maxPlans, maxBytes: MAX_PLAN_BYTES, maxNewBytes: MAX_NEW_PLAN_BYTES };
      generation = new GenerationPlans(bounds, () => source.unload(supergraph));
      generations.set(supergraph, generation);
    }
    return generation;
  };

  const planOrHit = (request: PlanRequest, signal: AbortSignal): Plan | Promise<Plan> => {
    const { supergraph, operation } = request;
    enforceLimit('conditionVariables', maxConditionVariables, operation.conditionVariables.length);
    const key = planKey(request);
    const generation = generationOf(supergraph);
    const known = generation.known(key);
    if (known) {
      observer?.hit();
      return known;
    }
    const caller = request.account?.plannerCaller() ?? GATEWAY_ITSELF;
    const make = async (waiters: JobWaiters): Promise<WeighedPlan> => {
      const startedAtMs = performance.now();
      try {
        const plan = await makePlan(request, { maxSelections: maxSelections(), maxDefers }, (text) =>
          generation.results.of(text, request.decided.overrideLabels, caller, () =>
            source.plan(supergraph, text, request.decided.overrideLabels, waiters),
          ),
        );
        observer?.miss(performance.now() - startedAtMs);
        return plan;
      } catch (error) {
        observer?.failed();
        const failure = plannerFailure(error);
        if (error instanceof PlannerOverstrained) generation.reject(key, failure);
        throw failure;
      }
    };
    if (generation.isUnderway(key)) observer?.coalesced();
    return generation.make(key, make, caller, signal);
  };

  return {
    planOperation(request, signal) {
      try {
        return planOrHit(request, signal);
      } catch (error) {
        return Promise.reject(error); // a GraphQLError, but where something is broken
      }
    },
    introspect: (request, signal) => introspection.introspect(request, signal),
    load: (supergraph) => source.load(supergraph),
    retire: (supergraph) => generationOf(supergraph).retire(),
    close: () => source.close(),
  };
}

/**
 * Everything that a plan for one generation of the supergraph depends on: the text, the operation, how the conditions are
 * decided, which overrides are on, what is denied and why, and whether parts are wanted. Where only the operation matters,
 * it is the operation's own key: a text that is not made again costs less to look up.
 */
function planKey({
  operation: { key, mayDefer },
  incremental,
  denied = NOTHING_DENIED,
  decided,
}: PlanRequest): string {
  const parts = incremental && mayDefer ? 'parts' : '';
  if (!parts && !decided.key && !denied.key) return key;
  return `${key} ${parts} ${decided.key} | ${denied.key}`;
}
