import type { ApolloServerPlugin, BaseContext, GraphQLRequestListener } from '@apollo/server';
import type { Metrics } from '@trellis/runtime';
import type { Pool } from '@trellis/postgres';
import { Counter, Gauge, Histogram } from 'prom-client';

/** What a subgraph counts about itself. */
export interface SubgraphMetrics {
  /** Counts requests, their duration, and errors by code. */
  readonly plugin: ApolloServerPlugin;
  /** Counts a resolver that took too long. */
  readonly countTimeout: (field: string) => void;
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics that every subgraph has. */
export function createSubgraphMetrics(metrics: Metrics): SubgraphMetrics {
  const registers = [metrics];
  const durations = new Histogram({
    name: 'trellis_subgraph_request_duration_seconds',
    help: 'Seconds from the parsed request to its response, by outcome: ok, partial (data beside errors) or failed.',
    labelNames: ['outcome'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const errors = new Counter({
    name: 'trellis_subgraph_errors_total',
    help: 'Errors in responses, by code.',
    labelNames: ['code'],
    registers,
  });
  const timeouts = new Counter({
    name: 'trellis_subgraph_resolver_timeouts_total',
    help: 'Resolvers that took too long, by field.',
    labelNames: ['field'],
    registers,
  });
  return {
    plugin: { requestDidStart: () => Promise.resolve(observeRequest(durations, errors)) },
    countTimeout: (field) => timeouts.inc({ field }),
  };
}

function observeRequest(
  durations: Histogram<'outcome'>,
  errors: Counter<'code'>,
): GraphQLRequestListener<BaseContext> {
  const end = durations.startTimer();
  return {
    willSendResponse: ({ response }) => {
      const { body } = response;
      const result = body.kind === 'single' ? body.singleResult : body.initialResult;
      for (const error of result.errors ?? []) errors.inc({ code: String(error.extensions?.['code']) });
      end({ outcome: outcomeOf(result) });
      return Promise.resolve();
    },
  };
}

function outcomeOf(result: { readonly data?: unknown; readonly errors?: readonly unknown[] }): string {
  if (!result.errors) return 'ok';
  return result.data ? 'partial' : 'failed';
}

/** Shows how many connections of a pool are open, idle, and waited for. */
export function observePool(pool: Pool, metrics: Metrics): void {
  const connections = new Gauge({
    name: 'trellis_postgres_connections',
    help: 'Connections of the pool, by state: open, idle, and waiting (callers without one).',
    labelNames: ['state'],
    registers: [],
    collect() {
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  metrics.registerMetric(connections);
}
