import type { ShareRefusal } from '@trellis/admission';
import { Counter, Gauge, type Registry } from 'prom-client';

const NAME = 'trellis_gateway_connections_refused_total';

/**
 * Registers the series of connections that are refused.
 *
 * @returns to be told of each of them
 */
export function connectionRefusals(
  registry: Registry,
  transport: 'http' | 'websocket',
): (reason: ShareRefusal) => void {
  const known = registry.getSingleMetric(NAME) as Counter<'transport' | 'reason'> | undefined; // made here alone
  const refusals =
    known ??
    new Counter({
      name: NAME,
      help: 'Connections refused: with 429 as their network had its share of them (share), with 503 as there were too many (total).',
      labelNames: ['transport', 'reason'],
      registers: [registry],
    });
  return (reason) => refusals.inc({ transport, reason });
}

/** Registers how many connections there are. */
export function registerConnectionGauge(registry: Registry, count: () => number): void {
  const connections: Gauge = new Gauge({
    name: 'trellis_gateway_connections',
    help: 'Connections of clients, idle ones and WebSockets included.',
    registers: [registry],
    collect: () => connections.set(count()),
  });
}
