import type { Logger } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { GraphMetrics } from '../observability/graph-metrics.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { createKnownOperations, type KnownOperations } from '../planning/generation-plans.ts';
import type { OperationPlanner } from '../planning/operation-planner.ts';
import { createOperationPlanner } from '../planning/plan-operation.ts';
import { createPlannerPool, type PlannerPool } from '../planning/threads/planner-pool.ts';
import { startRoomyPlanner, type StartPlanner } from '../planning/threads/worker-thread.ts';
import { PlanningBudget } from '../planning/threads/planning-budget.ts';
import type { Supergraph, SupergraphText } from '../supergraph/supergraph.ts';
import { planningAmount } from './resource-rules.ts';

/** The configuration that is in force now. */
export interface CurrentState {
  services(): PipelineServices;
  inUse(): SettingsInUse;
}

/** What plans operations. */
export interface PlanningResources {
  readonly planner: OperationPlanner;
  readonly plannerPool: Pick<PlannerPool, 'threads'>;
  /** Absent where it is unbounded. */
  readonly planningBudget: PlanningBudget | undefined;
  readonly knownOperations: KnownOperations;
}

/** What it is opened with, beside settings. */
interface PlanningMeans {
  readonly logger: Logger;
  readonly metrics: GraphMetrics;
  /** @default as `PlannerPoolOptions.start` */
  readonly startPlanner: StartPlanner | undefined;
}

/** With what new supergraphs need before they serve. */
interface OpenedPlanning extends PlanningResources {
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  /** Begins to load planning for a supergraph that is being built. @returns ends the hold on it */
  readonly prepare: (next: SupergraphText) => () => void;
  /**
   * Plans what is known for supergraphs that are about to serve, each in the place of the one before. Who replaces another opens its own:
   * until then both have one to prepare.
   */
  readonly openWarmUp: () => (next: Supergraph) => Promise<void>;
}

/** Opens it. @param current the configuration in force, asked when there is something to plan */
export function openPlanning(
  config: GatewayConfig,
  inUse: SettingsInUse,
  current: CurrentState,
  { logger, metrics, startPlanner }: PlanningMeans,
): OpenedPlanning {
  const knownOperations = createKnownOperations();
  const planningBudget = openBudget(config, inUse);
  const start = startPlanner ?? (isServedFirst(config) ? startRoomyPlanner : undefined);
  const plannerPool = openPlannerPool(current, planningBudget, start, logger, metrics);
  const planner = openPlanner(current, plannerPool, metrics);
  const operationCacheOf = (graph: Supergraph): OperationCache => current.services().operationCacheOf(graph);
  const prepare = (next: SupergraphText) => holdPlanning(plannerPool, next);
  const planKnown = (next: Supergraph, signal: AbortSignal): Promise<void> =>
    knownOperations.prepare(next, {
      operationCacheOf,
      planner,
      signal,
      onFailure: (operation, err) =>
        logger.warn({ operation, err, supergraph: next.hash }, 'warm-up could not plan an operation'),
    });
  const openWarmUp = (): ((next: Supergraph) => Promise<void>) => {
    const planNewest = abortingPrevious(planKnown);
    return async (next) => {
      await planner.load(next);
      if (isServedFirst(config)) setImmediate(() => void planNewest(next));
      else await planNewest(next);
    };
  };
  return { planner, plannerPool, planningBudget, knownOperations, operationCacheOf, prepare, openWarmUp };
}

function abortingPrevious(
  plan: (next: Supergraph, signal: AbortSignal) => Promise<void>,
): (next: Supergraph) => Promise<void> {
  let newest = new AbortController();
  return (next) => {
    newest.abort();
    newest = new AbortController();
    return plan(next, newest.signal);
  };
}

/** A developer waits for the next supergraph: it serves before the operations are planned that were sent before. */
function isServedFirst({ supergraphSource }: GatewayConfig): boolean {
  return supergraphSource?.isComposedHere ?? false;
}

/** What can't be loaded is not held; the next one to load it is given the reason. */
function holdPlanning(pool: PlannerPool, next: SupergraphText): () => void {
  const isHeld = pool.load(next).then(
    () => true,
    () => false,
  );
  const release = async (): Promise<void> => {
    if (await isHeld) pool.unload(next);
  };
  return () => void release();
}

/** Nothing where planning is unbounded, and no file may change that. */
function openBudget({ CONFIG }: GatewayConfig, inUse: SettingsInUse): PlanningBudget | undefined {
  const isBounded = CONFIG !== undefined || Number.isFinite(inUse.planning.callerMs);
  return isBounded ? new PlanningBudget(planningAmount(inUse)) : undefined;
}

function openPlannerPool(
  { inUse }: CurrentState,
  budget: PlanningBudget | undefined,
  start: StartPlanner | undefined,
  logger: Logger,
  metrics: GraphMetrics,
): PlannerPool {
  return createPlannerPool({
    threads: () => inUse().planning.threads,
    deadlineMs: () => inUse().timeouts.planningMs,
    budget,
    start,
    onReplaced: (reason) => {
      metrics.plannerReplaced();
      logger.error({ err: reason }, 'query planner worker restarted');
    },
  });
}

function openPlanner({ inUse }: CurrentState, source: PlannerPool, metrics: GraphMetrics): OperationPlanner {
  return createOperationPlanner({
    source,
    maxSelections: () => inUse().limits.selections,
    observer: metrics.planning,
  });
}
