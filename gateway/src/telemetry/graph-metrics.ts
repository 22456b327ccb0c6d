import { Counter, Gauge, type Registry } from 'prom-client';
import type { Supergraph } from '../supergraph/supergraph.ts';

/** Counts what happens to the supergraph and to the thread that plans. */
export interface GraphMetrics {
  /** A generation was built, and serves or served. */
  serving(generation: Supergraph): void;
  /** A text was not taken over. */
  rejected(): void;
  /** The thread that plans was replaced. */
  plannerReplaced(): void;
}

/** Registers the series of the supergraph and of planning. */
export function createGraphMetrics(registry: Registry): GraphMetrics {
  const changes = new Counter({
    name: 'trellis_gateway_supergraph_changes_total',
    help: 'Supergraphs that were taken over, and that were not usable: then the one before goes on serving.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  changes.inc({ outcome: 'rejected' }, 0); // an alarm on a rise needs the series to be there
  const generations = new Gauge({
    name: 'trellis_gateway_supergraph_generations',
    help: 'Generations of the supergraph in memory. More than two for long: something keeps an old one alive.',
    registers: [registry],
  });
  const replacements = new Counter({
    name: 'trellis_gateway_planner_replacements_total',
    help: 'Times the thread that plans was ended because an operation took too long to plan, or failed.',
    registers: [registry],
  });
  const collected = new FinalizationRegistry(() => generations.dec());
  return {
    serving(generation) {
      changes.inc({ outcome: 'serving' });
      generations.inc();
      collected.register(generation, undefined);
    },
    rejected: () => changes.inc({ outcome: 'rejected' }),
    plannerReplaced: () => replacements.inc(),
  };
}
