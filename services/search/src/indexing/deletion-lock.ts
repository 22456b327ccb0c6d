import { defineStatements, execute, type Transaction } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';

const KEY = "hashtextextended('trellis search: end of posts', 0)";

const sql = defineStatements(statements, 'deletion-lock', {
  lockShared: `SELECT pg_advisory_xact_lock_shared(${KEY})`,
  lockExclusive: `SELECT pg_advisory_xact_lock(${KEY})`,
});

/**
 * Keeps posts from ending until the transaction ends. Posts and comments are heard of in transactions that know nothing of one
 * another: without this a comment could be written while its post ends, and be left behind.
 */
export async function holdPosts(transaction: Transaction): Promise<void> {
  await execute(transaction, sql.lockShared, []);
}

/** Waits for all who hold posts, and keeps them waiting until the transaction ends: what they have written can be seen now. */
export async function awaitHolders(transaction: Transaction): Promise<void> {
  await execute(transaction, sql.lockExclusive, []);
}
