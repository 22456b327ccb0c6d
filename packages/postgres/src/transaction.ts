import type { Pool, PoolClient } from 'pg';

/** Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
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
    client.release(broken);
  }
}
