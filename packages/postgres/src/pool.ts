import { observeOutages } from '@trellis/runtime/outage-log';
import pg from 'pg';

/** A pool of connections whose `search_path` is the service's schema. */
export type Pool = pg.Pool;

/** Settings of {@link createPool}. */
export interface PoolOptions {
  readonly connectionString: string;
  /** The schema that the service owns; unqualified names resolve there and nowhere else. */
  readonly schema: string;
  /** What the connections are called in `pg_stat_activity`. @default `trellis-` and the schema */
  readonly applicationName?: string;
  /** Most connections. @default 10 */
  readonly max?: number;
  /**
   * Milliseconds after which the server ends a statement. @default 6_000: later than a resolver is given up (5 s), so that the
   * resolver's own error is what the client gets
   */
  readonly statementTimeoutMs?: number;
  /** Called when a server ends idle connections, once until there is a connection again. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * A request takes one core: to start parallel workers, or to compile an expression, costs a short statement more than it saves,
 * and the other requests wait for the cores.
 */
const ONE_CORE = '-c max_parallel_workers_per_gather=0 -c jit=off';

/** Bitmaps of frequent words fit: what does not fit is read and checked page by page. */
const WORK_MEMORY = '-c work_mem=16MB';

/** Opens a pool. It connects at first use, waits at most 3 s for a connection, and survives restarts of the server. */
export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.max ?? 10,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 6_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    options: `-c search_path=${options.schema} ${ONE_CORE} ${WORK_MEMORY}`,
    application_name: options.applicationName ?? `trellis-${options.schema}`,
  });
  reportOutages(pool, options.onIdleError);
  return pool;
}

/**
 * A server that stops ends all idle connections, and each emits an error. A pool that is being ended does not wait for its connections
 * to be closed: a server that is stopped right after it is no outage.
 */
function reportOutages(pool: Pool, onIdleError: PoolOptions['onIdleError']): void {
  const outages = observeOutages({ begins: (error) => onIdleError?.(withoutClient(error as Error)) }); // pg emits Errors
  pool.on('connect', outages.succeeded);
  pool.on('error', (error) => {
    if (!pool.ending) outages.failed(error);
  });
}

/** The pool hangs its client on the error, and with it the key that cancels statements: neither is for a log. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client;
  return error;
}
