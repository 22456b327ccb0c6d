import { Counter, Gauge, type Registry } from 'prom-client';
import { isGatewayErrorCode } from '../errors.ts';
import type { RunKind } from '../pipeline/run-tracer.ts';
import type { StreamKind, StreamObserver } from '../streams/stream-observer.ts';
import type { TrafficObserver, TrafficStates } from '../subgraphs/traffic-states.ts';
import { TalliedCounter, TalliedHistogram } from './tallied-metrics.ts';

const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the series of what goes between the gateway and its subgraphs. Labels come from the supergraph, never from clients. */
export function createTrafficMetrics(registry: Registry): TrafficObserver {
  const registers = [registry];
  const requests = new TalliedCounter(
    {
      name: 'trellis_gateway_subgraph_requests_total',
      help: 'Subgraph requests, by outcome. rejected: not sent, because the circuit breaker was open or the concurrency limit was reached.',
      labelNames: ['subgraph', 'outcome'],
    },
    registry,
  );
  const duration = new TalliedHistogram(
    {
      name: 'trellis_gateway_subgraph_request_duration_seconds',
      help: 'Seconds from sending a subgraph request to the last byte of its response.',
      labelNames: ['subgraph'],
    },
    REQUEST_BUCKETS_S,
    registry,
  );
  const retries = new Counter({
    name: 'trellis_gateway_subgraph_retries_total',
    help: 'Subgraph requests sent again, by reason: retry after a failure, hedge while the first is open.',
    labelNames: ['subgraph', 'reason'],
    registers,
  });
  const breakers = new Gauge({
    name: 'trellis_gateway_subgraph_breaker_open',
    help: '1 while the circuit breaker of a subgraph is open: too many requests to it failed.',
    labelNames: ['subgraph'],
    registers,
  });
  return {
    breakerChanged: (subgraph, state) => breakers.set({ subgraph }, state === 'open' ? 1 : 0),
    requestEnded(subgraph, outcome, durationMs) {
      requests.count(subgraph, outcome);
      if (outcome !== 'rejected') duration.observe(durationMs / 1_000, subgraph);
    },
    retried: (subgraph, reason) => retries.inc({ subgraph, reason }),
  };
}

/** Registers the series of subgraph requests in flight and waiting, which are read when they are asked for. */
export function registerTrafficGauges(registry: Registry, states: TrafficStates): void {
  const gauge = new Gauge({
    name: 'trellis_gateway_subgraph_requests',
    help: 'Subgraph requests in flight, and waiting for a slot.',
    labelNames: ['subgraph', 'state'],
    registers: [registry],
    collect() {
      for (const [subgraph, addresses] of states.all()) {
        const sumOf = (count: 'inFlight' | 'waiting'): number =>
          addresses.reduce((sum, { limit }) => sum + limit[count], 0);
        gauge.set({ subgraph, state: 'in-flight' }, sumOf('inFlight'));
        gauge.set({ subgraph, state: 'waiting' }, sumOf('waiting'));
      }
    },
  });
}

/** Counts streams and the connections that carry them. */
export interface StreamMetrics extends Omit<StreamObserver, 'interrupted'> {
  connections(change: 1 | -1): void;
  slowConsumer(): void;
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
    name: 'trellis_gateway_slow_consumers_total',
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
    slowConsumer: () => slow.inc(),
  };
}

function knownOutcome(outcome: string): string {
  return outcome === 'stopped' || outcome === 'completed' || isGatewayErrorCode(outcome) ? outcome : 'OTHER';
}

/** Counts what runs turn out to cost, and how those end that no request waits for. */
export interface RunMetrics {
  /** An operation, or an event of a subscription, returned so many objects. */
  objectsReturned(kind: 'query' | 'mutation' | 'subscription', objects: number): void;
  /** @param seconds from the arrival of an event, or the beginning of a tick, to its result */
  streamRunEnded(kind: RunKind, outcome: string, seconds: number): void;
}

const OBJECT_BUCKETS = [0, 1, 10, 100, 1_000, 10_000, 100_000];

/** Registers the series of runs. */
export function createRunMetrics(registry: Registry): RunMetrics {
  const objects = new TalliedHistogram(
    {
      name: 'trellis_gateway_objects_resolved',
      help: 'Objects in each executed result: the measured cost of its operation. A cached response has none.',
      labelNames: ['kind'],
    },
    OBJECT_BUCKETS,
    registry,
  );
  const runs = new TalliedCounter(
    {
      name: 'trellis_gateway_stream_runs_total',
      help: 'Events of subscriptions and ticks of live queries that were executed, by outcome: OK, PARTIAL where some data is missing, else the code of the first error.',
      labelNames: ['kind', 'outcome'],
    },
    registry,
  );
  const duration = new TalliedHistogram(
    {
      name: 'trellis_gateway_stream_run_duration_seconds',
      help: 'Seconds from the arrival of an event, or the beginning of a tick, to its result.',
      labelNames: ['kind'],
    },
    REQUEST_BUCKETS_S,
    registry,
  );
  return {
    objectsReturned: (kind, count) => objects.observe(count, kind),
    streamRunEnded(kind, outcome, seconds) {
      runs.count(kind, outcome);
      duration.observe(seconds, kind);
    },
  };
}
