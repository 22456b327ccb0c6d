import { describeUnavailableStore } from '@trellis/runtime';
import { createPool } from './pool.ts';

const DEADLINE_MS = 2_000;

/**
 * Finds out whether PostgreSQL is why something failed, by asking it once more: whatever the error says, a program fails without it.
 * Takes 3 s at most to connect and 2 s for the response.
 *
 * @returns a sentence for the operator that names DATABASE_URL, without its value; undefined where the database answers
 */
export async function describeUnavailableDatabase(connectionString: string): Promise<string | undefined> {
  const pool = createPool({ connectionString, schema: 'public', max: 1, queryTimeoutMs: DEADLINE_MS });
  try {
    await pool.query('SELECT 1');
    return undefined;
  } catch (error) {
    return describeUnavailableStore('DATABASE_URL', error);
  } finally {
    await pool.end();
  }
}
