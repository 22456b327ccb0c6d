import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { PlanningObserver } from '../planning/plan-operation.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { TalliedCounter } from './tallied-metrics.ts';

/** Counts what happens to the supergraph and to the planner threads. */
export interface GraphMetrics {
  /** A generation was built, and serves or served. */
  serving(generation: Supergraph): void;
  /** A text was not taken over. */
  rejected(): void;
  /** A planner thread was replaced. */
  plannerReplaced(): void;
  readonly planning: PlanningObserver;
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Registers the series of the supergraph and of planning. */
export function createGraphMetrics(registry: Registry): GraphMetrics {
  const changes = new Counter({
    name: 'trellis_gateway_supergraph_changes_total',
    help: 'Supergraph reloads, by outcome: loaded, or invalid.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  changes.inc({ outcome: 'rejected' }, 0); // an alarm on a rise needs the series to be there
  const generations = new Gauge({
    name: 'trellis_gateway_supergraph_generations',
    help: 'Supergraph generations in memory. More than two for long: a leak.',
    registers: [registry],
  });
  const replacements = new Counter({
    name: 'trellis_gateway_planner_replacements_total',
    help: 'Query planner workers restarted, because an operation took too long to plan or the worker failed.',
    registers: [registry],
  });
  const planning = createPlanningObserver(registry);
  const collected = new FinalizationRegistry(() => generations.dec());
  return {
    serving(generation) {
      changes.inc({ outcome: 'serving' });
      generations.inc();
      collected.register(generation, undefined);
    },
    rejected: () => changes.inc({ outcome: 'rejected' }),
    plannerReplaced: () => replacements.inc(),
    planning,
  };
}

function createPlanningObserver(registry: Registry): PlanningObserver {
  const plans = new TalliedCounter(
    {
      name: 'trellis_gateway_plans_total',
      help: 'Plan lookups by outcome: hit, coalesced, miss, failed.',
      labelNames: ['outcome'],
    },
    registry,
  );
  const introspection = new TalliedCounter(
    {
      name: 'trellis_gateway_introspection_results_total',
      help: 'Introspection lookups by outcome: hit, miss, failed.',
      labelNames: ['outcome'],
    },
    registry,
  );
  const duration = new Histogram({
    name: 'trellis_gateway_planning_duration_seconds',
    help: 'Seconds to plan an operation on a cache miss, queueing included.',
    buckets: BUCKETS_S,
    registers: [registry],
  });
  return {
    hit: () => plans.count('hit'),
    coalesced: () => plans.count('coalesced'),
    miss(durationMs) {
      plans.count('miss');
      duration.observe(durationMs / 1_000);
    },
    failed: () => plans.count('failed'),
    introspected: (outcome) => introspection.count(outcome),
  };
}
