import { defineStatements, execute, queryRows, type Queryable } from '@trellis/postgres';
import { statements } from './generated/statements.ts';

const sql = defineStatements(statements, 'outbox-partitions', {
  deleteFromDefault: 'DELETE FROM outbox_rest WHERE seq <= $1 AND occurred_at < $2',
  list: `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'outbox'::regclass`,
});

const DAY_MS = 86_400_000;

/** Days for which partitions are made ahead. */
const DAYS_AHEAD = 2;

/** A partition can't be made for a day of which the catch-all partition holds rows already. */
const CHECK_VIOLATION = '23514';

/**
 * Makes a partition for each of the next days, and drops those of days that are over for longer than the retention. Rows
 * without a partition of their own, written before this ran for the first time, are deleted one by one. Nothing goes that has
 * no number yet or that the stream has not been given.
 *
 * @param published the greatest number that the stream has been given
 */
export async function maintainPartitions(
  connection: Queryable,
  published: number,
  retentionDays: number,
  now: Date = new Date(),
): Promise<void> {
  const today = Math.floor(now.getTime() / DAY_MS);
  for (let day = today; day <= today + DAYS_AHEAD; day += 1) await createPartition(connection, day);
  for (const day of await existingDays(connection)) {
    if (day < today - retentionDays) await dropPartition(connection, day, published);
  }
  await execute(connection, sql.deleteFromDefault, [published, dateOf(today - retentionDays)]);
}

async function createPartition(connection: Queryable, day: number): Promise<void> {
  try {
    await connection.query(
      `CREATE TABLE IF NOT EXISTS ${nameOf(day)} PARTITION OF outbox FOR VALUES FROM ('${dateOf(day)}') TO ('${dateOf(day + 1)}')`,
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === CHECK_VIOLATION)) throw error;
  }
}

async function dropPartition(connection: Queryable, day: number, published: number): Promise<void> {
  const { rowCount } = await connection.query(
    `SELECT FROM ${nameOf(day)} WHERE seq IS NULL OR seq > $1 LIMIT 1`,
    [published],
  );
  if (rowCount === 0) await connection.query(`DROP TABLE ${nameOf(day)}`);
}

async function existingDays(connection: Queryable): Promise<readonly number[]> {
  const rows = await queryRows(connection, sql.list, []);
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = /^outbox_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
    return year === undefined ? [] : [Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS];
  });
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString();
}

function nameOf(day: number): string {
  return `outbox_${dateOf(day).slice(0, 10).replaceAll('-', '')}`;
}
