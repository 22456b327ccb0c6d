import type { Logger } from '@trellis/runtime';
import { observeOutages } from '@trellis/runtime/outage-log';
import { ServicePool } from './service-pool.ts';
import { sessionSettings } from './session-settings.ts';

/** A pool of connections whose `search_path` is the service's schema. */
export type Pool = ServicePool;

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
  /** Milliseconds after which a statement is given up here, whatever the server does. @default none */
  readonly queryTimeoutMs?: number;
  /** Called when a server ends idle connections, once until there is a connection again. */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * Opens a pool. It connects at first use, waits at most 3 s for a connection, and survives restarts of the server. The
 * connection string may lead to a pooler in transaction mode, such as PgBouncer (ADR 0058).
 */
export function createPool(options: PoolOptions): Pool {
  const pool = new ServicePool(
    {
      connectionString: options.connectionString,
      max: options.max ?? 10,
      connectionTimeoutMillis: 3_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      ...(options.queryTimeoutMs !== undefined && { query_timeout: options.queryTimeoutMs }),
      application_name: options.applicationName ?? `trellis-${options.schema}`,
    },
    sessionSettings({ schema: options.schema, statementTimeoutMs: options.statementTimeoutMs ?? 6_000 }),
  );
  reportOutages(pool, options.onIdleError);
  return pool;
}

/** Makes an `onIdleError` that logs one line for each outage, with the same message in every service. */
export function warnOfLostConnections(logger: Pick<Logger, 'warn'>): (error: Error) => void {
  return ({ message }) => logger.warn({ reason: message }, 'lost the connections to PostgreSQL');
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
