import { Counter, Gauge, type Registry } from 'prom-client';
import type { Admission, RejectionReason } from '../load/admission.ts';

/**
 * Registers the series of requests at the door.
 *
 * @returns to be called for each rejected request
 */
export function registerAdmissionMetrics(
  registry: Registry,
  admission: Admission,
  operationsWaiting: () => number,
): (reason: RejectionReason) => void {
  const rejections = new Counter({
    name: 'trellis_gateway_requests_rejected_total',
    help: 'Requests rejected by admission. 503: requests, too many in flight; delay, sustained overload. 429: share, the caller reached its share.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const inFlight: Gauge = new Gauge({
    name: 'trellis_gateway_requests_in_flight',
    help: 'Requests in flight, without open streams.',
    registers: [registry],
    collect: () => inFlight.set(admission.inFlight),
  });
  const waiting: Gauge = new Gauge({
    name: 'trellis_gateway_operations_waiting',
    help: 'Operations waiting at the execution gate.',
    registers: [registry],
    collect: () => waiting.set(operationsWaiting()),
  });
  return (reason) => rejections.inc({ reason });
}
