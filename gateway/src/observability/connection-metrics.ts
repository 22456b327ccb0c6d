import type { ShareRejection } from '@trellis/admission';
import { Counter, Gauge, type Registry } from 'prom-client';

const NAME = 'trellis_gateway_connections_rejected_total';

/**
 * Registers the series of connections that are rejected.
 *
 * @returns to be called for each of them
 */
export function connectionRejections(
  registry: Registry,
  transport: 'http' | 'websocket',
): (reason: ShareRejection) => void {
  const known = registry.getSingleMetric(NAME) as Counter<'transport' | 'reason'> | undefined; // made here alone
  const rejections =
    known ??
    new Counter({
      name: NAME,
      help: 'Connections rejected: share, 429, its network reached its share; total, 503, there were too many.',
      labelNames: ['transport', 'reason'],
      registers: [registry],
    });
  return (reason) => rejections.inc({ transport, reason });
}

/** Registers how many connections there are. */
export function registerConnectionGauge(registry: Registry, count: () => number): void {
  const connections: Gauge = new Gauge({
    name: 'trellis_gateway_connections',
    help: 'Client connections, idle ones and WebSockets included.',
    registers: [registry],
    collect: () => connections.set(count()),
  });
}
