import type { Pool } from '@trellis/postgres';

/** How much of the first is not in the second. */
export function missing(expected: ReadonlyMap<string, number>, actual: ReadonlyMap<string, number>): number {
  return [...expected].reduce((sum, [id, count]) => sum + Math.max(0, count - (actual.get(id) ?? 0)), 0);
}

/** How many are in one alone, or are different in both. */
export function differences<Value>(
  expected: ReadonlyMap<string, Value>,
  actual: ReadonlyMap<string, Value>,
): number {
  const ids = new Set([...expected.keys(), ...actual.keys()]);
  return [...ids].filter((id) => expected.get(id) !== actual.get(id)).length;
}

/** The one number that a statement finds, in its column `count`. */
export async function readCount(
  pool: Pool,
  sql: string,
  parameters: readonly string[] = [],
): Promise<number> {
  return (await pool.query<{ count: number }>(sql, [...parameters])).rows[0]?.count ?? 0;
}

/** What a statement finds, by its column `id`. */
export async function readMap<Value>(pool: Pool, sql: string, column: string): Promise<Map<string, Value>> {
  const { rows } = await pool.query<Record<string, unknown> & { id: string }>(sql);
  return new Map(rows.map((row) => [row.id, row[column] as Value])); // the caller knows the statement
}
