import { ServiceCallFailed } from '@trellis/subgraph-protocol';
import pg from 'pg';

/**
 * SQLSTATE classes and codes of failures that end by themselves: lost connections, no resources, a server that goes down
 * or comes up, statements ended by a time-out, deadlocks.
 */
const TRANSIENT = /^(?:08|53|57|58|40|25006|55P03)/;

/** What a Redis says that takes no commands now: its disk or memory is full, it is loading, it is a replica. */
const REDIS_IS_BUSY = /^(?:MISCONF|OOM|LOADING|READONLY|BUSY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|NOREPLICAS) /;

/** Whether it is not the event's fault that it could not be applied. */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return TRANSIENT.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^E[A-Z]+$/.test(code) || error instanceof ServiceCallFailed) return true;
  return (
    /connection|timeout|timed out|max retries|terminated|queryable/i.test(error.message) ||
    REDIS_IS_BUSY.test(error.message)
  );
}
