import { defineStatements, execute, type Transaction } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';

const KEY = "hashtextextended('trellis search: end of posts', 0)";

const sql = defineStatements(statements, 'deletion-lock', {
  lockShared: `SELECT pg_advisory_xact_lock_shared(${KEY})`,
  lockExclusive: `SELECT pg_advisory_xact_lock(${KEY})`,
});

/**
 * Acquires the shared lock on posts: none ends until the transaction ends. Posts and comments are heard of in transactions that know nothing of one
 * another: without this a comment could be written while its post ends, and be left behind.
 */
export async function acquireShared(transaction: Transaction): Promise<void> {
  await execute(transaction, sql.lockShared, []);
}

/** Acquires the exclusive lock: after all shared ones have ended, so that what they wrote can be seen. It lasts until the transaction ends. */
export async function acquireExclusive(transaction: Transaction): Promise<void> {
  await execute(transaction, sql.lockExclusive, []);
}
