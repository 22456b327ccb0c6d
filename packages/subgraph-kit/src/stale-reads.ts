import {
  connectReplica,
  type Pool,
  type Replica,
  type ReplicaFinding,
  type ReplicaState,
} from '@trellis/postgres';
import type { RedisConnection } from '@trellis/redis';
import type { Logger, Metrics } from '@trellis/runtime';
import { Counter, Gauge } from 'prom-client';
import { createRecentWriters, type RecentWriters } from './recent-writers.ts';

/** Reads that may be a little old: lists and searches. Never what a mutation decides by, or what is asked for by its id. */
export interface StaleReads {
  /**
   * Reads from a replica where there is one that has caught up, and where the user has changed nothing that it may lack; from the
   * primary otherwise.
   *
   * @param userId who asks; null for someone who is not signed in
   * @param read has no effect, so that it may be done twice
   */
  readStale<Result>(userId: string | null, read: (database: Pool) => Promise<Result>): Promise<Result>;
}

/** For those without a replica. */
export function readsOfPrimary(pool: Pool): StaleReads {
  return { readStale: (_userId, read) => read(pool) };
}

/** Settings of {@link openStaleReads}. */
export interface StaleReadsOptions {
  readonly service: string;
  readonly pool: Pool;
  readonly connectionString: string;
  /** Most connections to the replica. */
  readonly max: number;
  /** Milliseconds by which what is read may be behind. */
  readonly maxLagMs: number;
  readonly connectRedis: () => RedisConnection;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reads from a replica, until they are closed. */
export interface OpenStaleReads extends StaleReads, Pick<RecentWriters, 'wrote'> {
  close(): Promise<void>;
}

/** Connects to a replica. Where it lags, or is unreachable, the log says so, and reads go to the primary. */
export function openStaleReads(options: StaleReadsOptions): OpenStaleReads {
  const { service, pool, connectionString, max, maxLagMs, connectRedis, logger } = options;
  const reads = createReadCounter(options.metrics);
  const replica = connectReplica({
    primary: pool,
    connectionString,
    schema: service,
    max,
    maxLagMs,
    onState: (state, found) => logState(logger, state, { found, maxLagMs }),
    onRead: (target) => reads.inc({ target }),
  });
  observeLag(replica, options.metrics);
  // What was committed before the window is on every replica that is read from.
  const writers = createRecentWriters({ service, connectRedis, windowMs: maxLagMs });
  return {
    readStale: async (userId, read) => {
      if (replica.state === 'caught up' && !(await writers.mayHaveWritten(userId))) return replica.read(read);
      reads.inc({ target: 'primary' });
      return read(pool);
    },
    wrote: writers.wrote,
    close: () => replica.close(),
  };
}

const SENTENCES: Readonly<Record<Exclude<ReplicaState, 'caught up'>, string>> = {
  lags: 'the replica lags behind: reads go to the primary',
  unreachable: 'the replica is unreachable: reads go to the primary',
  'no replica': 'DATABASE_REPLICA_URL leads to a server that is no replica: reads go to the primary',
};

interface Found {
  readonly found: ReplicaFinding;
  readonly maxLagMs: number;
}

function logState(logger: Logger, state: ReplicaState, { found, maxLagMs }: Found): void {
  const lag = { lagMs: Math.round(found.lagMs), maxLagMs };
  if (state === 'caught up') return logger.info(lag, 'the replica has caught up: reads go there');
  const cause = found.cause instanceof Error && { reason: found.cause.message };
  logger.warn({ ...(state === 'lags' && lag), ...cause }, SENTENCES[state]);
}

function createReadCounter(metrics: Metrics): Counter<'target'> {
  return new Counter({
    name: 'trellis_postgres_stale_reads_total',
    help: 'Reads that may be a little old, by where they went: replica or primary.',
    labelNames: ['target'],
    registers: [metrics],
  });
}

function observeLag(replica: Replica, metrics: Metrics): void {
  const lag = new Gauge({
    name: 'trellis_postgres_replica_lag_seconds',
    help: 'Upper bound of the age of what the replica returns. +Inf: it is unreachable, or no replica.',
    registers: [],
    collect() {
      this.set(replica.lagMs / 1_000);
    },
  });
  metrics.registerMetric(lag);
}
