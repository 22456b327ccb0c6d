import type { ShareRejection } from '@trellis/runtime/admission';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Admission, RejectionReason } from '../load/admission.ts';
import type { InFlightBytes } from '../load/in-flight-bytes.ts';
import type { CutOffReason, UnreadResponses } from '../load/unread-responses.ts';

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

/** What waits for a turn. */
export interface WaitingNow {
  /** At the execution gate. */
  operations(): number;
  /** Events of subscriptions and ticks of live queries, before it. */
  events(): number;
}

/**
 * Registers the series of requests at the door.
 *
 * @returns to be called for each rejected request
 */
export function registerAdmissionMetrics(
  registry: Registry,
  admission: Admission,
  waitingNow: WaitingNow,
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
    collect: () => waiting.set(waitingNow.operations()),
  });
  const eventsWaiting: Gauge = new Gauge({
    name: 'trellis_gateway_events_waiting',
    help: 'Events and ticks that begin in the next turns of the event loop.',
    registers: [registry],
    collect: () => eventsWaiting.set(waitingNow.events()),
  });
  return (reason) => rejections.inc({ reason });
}

/**
 * Registers the series of clients that were cut off.
 *
 * @returns to be called for each of them
 */
export function createUnreadCutOffs(registry: Registry): (reason: CutOffReason) => void {
  const cutOffs = new Counter({
    name: 'trellis_gateway_unread_cut_offs_total',
    help: 'Slow consumers disconnected, by reason: slow, below the minimum rate; share, its caller had too much unread; total, all clients together had; place, others needed its place.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return (reason) => cutOffs.inc({ reason });
}

/** Registers how much waits for clients. */
export function registerUnreadGauges(registry: Registry, unread: UnreadResponses): void {
  const bytes: Gauge = new Gauge({
    name: 'trellis_gateway_unread_bytes',
    help: 'Response bytes waiting for clients to read them.',
    registers: [registry],
    collect: () => bytes.set(unread.bytes),
  });
  const clients: Gauge = new Gauge({
    name: 'trellis_gateway_unread_clients',
    help: 'Client connections with unread response bytes.',
    registers: [registry],
    collect: () => clients.set(unread.clients),
  });
}

/** Registers how much large requests in flight hold. */
export function registerInFlightGauge(registry: Registry, inFlight: InFlightBytes): void {
  const bytes: Gauge = new Gauge({
    name: 'trellis_gateway_in_flight_bytes',
    help: 'Bytes of large client requests and messages in flight: from their first byte until the response.',
    registers: [registry],
    collect: () => bytes.set(inFlight.bytes),
  });
}
