import { Counter, Gauge, type Registry } from 'prom-client';
import { isGatewayErrorCode } from '../errors.ts';
import type { StreamKind, StreamObserver } from '../streams/stream-observer.ts';

/** Counts streams and the connections that carry them. */
export interface StreamMetrics extends Omit<StreamObserver, 'interrupted'> {
  connections(change: 1 | -1): void;
  slowClient(): void;
  interrupted(subgraph: string): void;
}

/** Registers the series of streams. Their labels come from closed sets, so that clients can't make series. */
export function createStreamMetrics(registry: Registry): StreamMetrics {
  const registers = [registry];
  const open = new Gauge({
    name: 'trellis_gateway_streams',
    help: 'Open subscriptions and live queries.',
    labelNames: ['kind'],
    registers,
  });
  const ended = new Counter({
    name: 'trellis_gateway_streams_ended_total',
    help: 'Streams ended, by reason: stopped by the client, completed by the source, else the error code.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const results = new Counter({
    name: 'trellis_gateway_stream_results_total',
    help: 'Stream results executed, each once for all subscribers.',
    labelNames: ['kind'],
    registers,
  });
  const deliveries = new Counter({
    name: 'trellis_gateway_stream_deliveries_total',
    help: 'Stream results sent to clients.',
    labelNames: ['kind'],
    registers,
  });
  const upstream = new Gauge({
    name: 'trellis_gateway_subgraph_subscriptions',
    help: 'Open upstreams.',
    labelNames: ['subgraph'],
    registers,
  });
  const interruptions = new Counter({
    name: 'trellis_gateway_subgraph_subscription_interruptions_total',
    help: 'Upstreams whose connection broke or could not be opened.',
    labelNames: ['subgraph'],
    registers,
  });
  const connections = new Gauge({
    name: 'trellis_gateway_websocket_connections',
    help: 'Client WebSocket connections.',
    registers,
  });
  const slow = new Counter({
    name: 'trellis_gateway_slow_clients_total',
    help: 'Slow consumers of streams that were disconnected.',
    registers,
  });
  return {
    opened: (kind) => open.inc({ kind }),
    ended: (kind, outcome) => {
      open.dec({ kind });
      ended.inc({ kind, outcome: knownOutcome(outcome) });
    },
    delivered: (kind: StreamKind, clients: number) => {
      results.inc({ kind });
      deliveries.inc({ kind }, clients);
    },
    upstream: (subgraph, change) => upstream.inc({ subgraph }, change),
    interrupted: (subgraph) => interruptions.inc({ subgraph }),
    connections: (change) => connections.inc(change),
    slowClient: () => slow.inc(),
  };
}

function knownOutcome(outcome: string): string {
  return outcome === 'stopped' || outcome === 'completed' || isGatewayErrorCode(outcome) ? outcome : 'OTHER';
}
