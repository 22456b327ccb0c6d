import type { Transaction } from '@trellis/postgres';

// Unique indexes stay: they are what makes a row one of its kind.
const INDEXES = `
  SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
  WHERE indrelid = $1::regclass AND NOT indisunique`;

/**
 * Fills a table while it has no indexes but the unique ones, and rebuilds the others afterwards, which takes a fraction of the
 * time that keeping them up to date would. The transaction may take as long as it needs.
 *
 * @returns what `fill` resolves to
 */
export async function withoutIndexes<Result>(
  transaction: Transaction,
  table: string,
  fill: () => Promise<Result>,
): Promise<Result> {
  await transaction.query("SET LOCAL maintenance_work_mem = '512MB'");
  await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const indexes = (await transaction.query<{ name: string; definition: string }>(INDEXES, [table])).rows;
  for (const { name } of indexes) await transaction.query(`DROP INDEX ${name}`);
  const result = await fill();
  for (const { definition } of indexes) await transaction.query(definition);
  return result;
}
