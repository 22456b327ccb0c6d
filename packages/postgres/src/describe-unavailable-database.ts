import { describeUnavailableStore } from '@trellis/runtime';
import { createPool } from './pool.ts';

const DEADLINE_MS = 2_000;

/**
 * Finds out whether PostgreSQL is why something failed, by asking it once more: whatever the error says, a program fails without it.
 * Takes 3 s at most to connect and 2 s for the response.
 *
 * @param variable of the environment that names the database
 * @returns a sentence for the operator, without the URL; undefined where the database answers
 */
export async function describeUnavailableDatabase(
  connectionString: string,
  variable = 'DATABASE_URL',
): Promise<string | undefined> {
  const pool = createPool({ connectionString, schema: 'public', max: 1, queryTimeoutMs: DEADLINE_MS });
  try {
    await pool.query('SELECT 1');
    return undefined;
  } catch (error) {
    return describeUnavailableStore(variable, error);
  } finally {
    await pool.end();
  }
}
