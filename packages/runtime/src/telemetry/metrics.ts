import { Registry } from 'prom-client';

/** The metrics of one deployable. Pass `registers: [metrics]` to every prom-client metric. */
export type Metrics = Registry;

/** An own registry whose series all carry `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  return registry;
}
