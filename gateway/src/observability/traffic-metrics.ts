import { Counter, Gauge, type Registry } from 'prom-client';
import type { TrafficObserver, TrafficStates } from '../subgraphs/traffic-states.ts';
import { TalliedCounter, TalliedHistogram } from './tallied-metrics.ts';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the series of what goes between the gateway and its subgraphs. Labels come from the supergraph, never from clients. */
export function createTrafficMetrics(registry: Registry): TrafficObserver {
  const registers = [registry];
  const calls = new TalliedCounter(
    {
      name: 'trellis_gateway_subgraph_calls_total',
      help: 'Subgraph requests, by outcome. rejected: not sent, because the circuit breaker was open or the concurrency limit was reached.',
      labelNames: ['subgraph', 'outcome'],
    },
    registry,
  );
  const duration = new TalliedHistogram(
    {
      name: 'trellis_gateway_subgraph_call_duration_seconds',
      help: 'Seconds from sending a subgraph request to the last byte of its response.',
      labelNames: ['subgraph'],
    },
    BUCKETS_S,
    registry,
  );
  const repeated = new Counter({
    name: 'trellis_gateway_subgraph_repeated_calls_total',
    help: 'Subgraph requests sent again: retry after a failure, hedge while the first is open.',
    labelNames: ['subgraph', 'reason'],
    registers,
  });
  const breakers = new Gauge({
    name: 'trellis_gateway_subgraph_breaker_open',
    help: '1 while a subgraph is not asked because too many of its responses failed.',
    labelNames: ['subgraph'],
    registers,
  });
  return {
    breakerChanged: (subgraph, state) => breakers.set({ subgraph }, state === 'open' ? 1 : 0),
    callEnded(subgraph, outcome, durationMs) {
      calls.count(subgraph, outcome);
      if (outcome !== 'rejected') duration.observe(durationMs / 1_000, subgraph);
    },
    repeated: (subgraph, reason) => repeated.inc({ subgraph, reason }),
  };
}

/** Registers the series of calls in flight and waiting, which are read when they are asked for. */
export function registerTrafficGauges(registry: Registry, states: TrafficStates): void {
  const gauge = new Gauge({
    name: 'trellis_gateway_subgraph_calls',
    help: 'Subgraph requests in flight, and waiting for a slot.',
    labelNames: ['subgraph', 'state'],
    registers: [registry],
    collect() {
      for (const [subgraph, { limit }] of states.all()) {
        gauge.set({ subgraph, state: 'in-flight' }, limit.inFlight);
        gauge.set({ subgraph, state: 'waiting' }, limit.waiting);
      }
    },
  });
}
