import pg from 'pg';

/**
 * SQLSTATE classes and codes of failures that go away by themselves: lost connections, no resources, a server that goes down
 * or comes up, statements ended by a time-out, deadlocks.
 */
const TRANSIENT = /^(?:08|53|57|58|40|25006|55P03)/;

/** Whether it is not the event's fault that it could not be applied. */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return TRANSIENT.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code) || /connection|timeout|terminated|queryable/i.test(error.message);
}
