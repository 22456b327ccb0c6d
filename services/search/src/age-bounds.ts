import { defineStatements, queryRows, type Pool } from '@trellis/postgres';
import { statements } from './generated/statements.ts';

/** Where to divide a table by the age of its documents. */
export interface AgeBounds {
  /** An id for each of {@link NEWEST_SHARES}: about so many of all documents are newer. */
  read(): Promise<readonly string[]>;
}

/** The newest fiftieth of all documents, the newest tenth, the newest two fifths. */
export const NEWEST_SHARES: readonly number[] = [0.02, 0.1, 0.4];

/** Milliseconds for which bounds are taken for right; wrong ones make a search slower and nothing else. */
const FRESH_MS = 60_000;
/** Less than any id: everything is newer. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

const sql = defineStatements(statements, 'age-bounds', {
  // PostgreSQL keeps the quantiles of a column for its planner.
  findQuantiles: `
  SELECT histogram_bounds::text::uuid[] AS ids FROM pg_stats
  WHERE schemaname = current_schema() AND tablename = $1 AND attname = 'id'`,
});

/** The bounds of a table. A table that PostgreSQL knows nothing of yet is not divided. */
export function createAgeBounds(pool: Pool, table: string): AgeBounds {
  let known: Promise<readonly string[]> | undefined;
  let freshUntilMs = 0;
  async function find(): Promise<readonly string[]> {
    const rows = await queryRows(pool, sql.findQuantiles, [table]);
    const ids = rows[0]?.ids ?? [];
    return NEWEST_SHARES.map((share) => ids[Math.floor((1 - share) * (ids.length - 1))] ?? BEGINNING);
  }
  return {
    read: () => {
      if (known && Date.now() < freshUntilMs) return known;
      freshUntilMs = Date.now() + FRESH_MS;
      known = find();
      known.catch(() => (known = undefined));
      return known;
    },
  };
}
