import type { PoolClient } from 'pg';
import type { Pool } from './pool.ts';

/** A connection with an open transaction. */
export type Transaction = PoolClient;

/** Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  // A server that disconnects between two statements notifies the client alone; the next statement fails and notifies the caller.
  client.on('error', ignore);
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true; // the connection is gone, and the transaction with it
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

function ignore(): void {
  // See above: no one would listen to a connection that is in use, and Node ends a process for that.
}
