import { Counter, Gauge, type Registry } from 'prom-client';
import type { Admission, RefusalReason } from '../load/admission.ts';

/**
 * Registers the series of requests at the door.
 *
 * @returns to be told of each request that is refused
 */
export function registerAdmissionMetrics(
  registry: Registry,
  admission: Admission,
  operationsWaiting: () => number,
): (reason: RefusalReason) => void {
  const refusals = new Counter({
    name: 'trellis_gateway_requests_refused_total',
    help: 'Requests not let in. Answered with 503: requests, as too many were being answered; delay, as the process lagged behind. With 429: share, as their network had its share of what the process does.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const inFlight: Gauge = new Gauge({
    name: 'trellis_gateway_requests_in_flight',
    help: 'Requests that are being answered. Streams that are open do not count.',
    registers: [registry],
    collect: () => inFlight.set(admission.inFlight),
  });
  const waiting: Gauge = new Gauge({
    name: 'trellis_gateway_operations_waiting',
    help: 'Operations that wait for others to end, as the process is busy.',
    registers: [registry],
    collect: () => waiting.set(operationsWaiting()),
  });
  return (reason) => refusals.inc({ reason });
}
