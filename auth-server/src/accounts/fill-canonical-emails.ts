import { defineStatements, execute, inTransaction, queryRows, type Pool } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { canonicalEmail } from './canonical-email.ts';

const BATCH = 1_000;
const sql = defineStatements(statements, 'fill-canonical-emails', {
  lock: "SELECT pg_advisory_xact_lock(hashtextextended('trellis-canonical-emails', 0))",
  next: `SELECT id, email FROM account
  WHERE canonical_email IS NULL AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
  /** Of two accounts whose addresses are spellings of one, the older keeps it; the other is found as it is written. */
  fill: `UPDATE account SET canonical_email = filled.canonical
  FROM (SELECT DISTINCT ON (canonical) id, canonical
    FROM unnest($1::uuid[], $2::text[]) AS given (id, canonical) ORDER BY canonical, id) AS filled
  WHERE account.id = filled.id AND account.canonical_email IS NULL
    AND NOT EXISTS (SELECT FROM account AS other WHERE other.canonical_email = filled.canonical)`,
});

/** Writes the canonical address of accounts that earlier versions have made. Instances that start together take turns. */
export async function fillCanonicalEmails(pool: Pool): Promise<void> {
  let after: string | undefined;
  do after = await fillBatch(pool, after);
  while (after !== undefined);
}

/** @returns the last account of the batch, while there may be more */
async function fillBatch(pool: Pool, after: string | undefined): Promise<string | undefined> {
  return inTransaction(pool, async (connection) => {
    await execute(connection, sql.lock, []);
    const rows = await queryRows(connection, sql.next, [after]);
    if (rows.length === 0) return undefined;
    const ids = rows.map(({ id }) => id);
    await execute(connection, sql.fill, [ids, rows.map(({ email }) => canonicalEmail(email))]);
    return rows.length < BATCH ? undefined : rows.at(-1)?.id;
  });
}
