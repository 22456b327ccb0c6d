import { Counter, Gauge, type Registry } from 'prom-client';
import type { PlanningObserver } from '../planning/plan-operation.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { createPlanningObserver } from './operation-metrics.ts';

/** Counts what happens to the supergraph and to the query planner workers. */
export interface GraphMetrics {
  /** A generation was built, and serves or served. */
  serving(generation: Supergraph): void;
  /** A text was rejected. */
  rejected(): void;
  /** A query planner worker was replaced. */
  plannerReplaced(): void;
  readonly planning: PlanningObserver;
}

/** Enough to distinguish supergraphs. */
const HASH_DIGITS = 12;

/** Registers the series of the supergraph and of planning. */
export function createGraphMetrics(registry: Registry): GraphMetrics {
  const changes = new Counter({
    name: 'trellis_gateway_supergraph_changes_total',
    help: 'Supergraph reloads, by outcome: serving, or rejected as invalid.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  changes.inc({ outcome: 'rejected' }, 0); // an alarm on a rise needs the series to be there
  const generations = new Gauge({
    name: 'trellis_gateway_supergraph_generations',
    help: 'Supergraph generations in memory. More than two for long: a leak.',
    registers: [registry],
  });
  const since = new Gauge({
    name: 'trellis_gateway_supergraph_served_since_seconds',
    help: 'Unix time since which the supergraph is served, by the first digits of its hash.',
    labelNames: ['supergraph'],
    aggregator: 'max',
    registers: [registry],
  });
  const replacements = new Counter({
    name: 'trellis_gateway_planner_restarts_total',
    help: 'Query planner workers restarted, because an operation took too long to plan or the worker failed.',
    registers: [registry],
  });
  const planning = createPlanningObserver(registry);
  const collected = new FinalizationRegistry(() => generations.dec());
  return {
    serving(generation) {
      changes.inc({ outcome: 'serving' });
      generations.inc();
      since.reset();
      since.set({ supergraph: generation.hash.slice(0, HASH_DIGITS) }, Date.now() / 1000);
      collected.register(generation, undefined);
    },
    rejected: () => changes.inc({ outcome: 'rejected' }),
    plannerReplaced: () => replacements.inc(),
    planning,
  };
}
