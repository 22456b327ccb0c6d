import type { Registry } from 'prom-client';
import { TalliedHistogram } from './tallied-metrics.ts';

/** Counts what operations turn out to cost. */
export interface DemandMetrics {
  /** An operation, or an event of a subscription, was answered with so many objects. */
  objectsAnswered(kind: 'query' | 'mutation' | 'subscription', objects: number): void;
}

const BUCKETS = [0, 1, 10, 100, 1_000, 10_000, 100_000];

/** Registers the series of demand. */
export function createDemandMetrics(registry: Registry): DemandMetrics {
  const objects = new TalliedHistogram(
    {
      name: 'trellis_gateway_objects_resolved',
      help: 'Objects in each executed result: the measured cost of its operation. A cached response has none.',
      labelNames: ['kind'],
    },
    BUCKETS,
    registry,
  );
  return { objectsAnswered: (kind, count) => objects.observe(count, kind) };
}
