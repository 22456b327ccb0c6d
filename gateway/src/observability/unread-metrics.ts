import { Counter, Gauge, type Registry } from 'prom-client';
import type { UnansweredBytes } from '../load/unanswered-bytes.ts';
import type { CutOffReason, UnreadResponses } from '../load/unread-responses.ts';

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

/** Registers how much is held of what clients have sent. */
export function registerUnansweredGauge(registry: Registry, unanswered: UnansweredBytes): void {
  const bytes: Gauge = new Gauge({
    name: 'trellis_gateway_unanswered_bytes',
    help: 'Bytes of large requests and messages that clients have sent and that are not answered.',
    registers: [registry],
    collect: () => bytes.set(unanswered.bytes),
  });
}
