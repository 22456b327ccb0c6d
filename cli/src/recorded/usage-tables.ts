import {
  operationOfLine,
  OperationsMerge,
  type RecordedOperations,
  type UsageWindow,
} from '@trellis/composition';
import {
  createPool,
  defineStatements,
  execute,
  migrate,
  queryRows,
  type Pool,
  type StatementRow,
} from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { OperationsProblem } from './operations-problem.ts';

/** The schema of the tables that gateways write to. */
const SCHEMA = 'recorded_usage';
/** Intervals that are read at once. */
const PAGE = 50;
/** A process renews its mark with each interval: this many without are an end. */
const MISSED_INTERVALS = 3;
/** Reading and deleting a month of several gateways takes its time. */
const STATEMENT_TIMEOUT_MS = 300_000;

const sql = defineStatements(statements, 'usage-tables', {
  countKilled: {
    notNull: ['killed'],
    text: `SELECT count(*)::int AS killed FROM process WHERE renewed_at + $1 * interval_ms * interval '1 ms' < now()`,
  },
  readIntervals: `
    SELECT process, began_at AS "beganAt", is_complete AS "isComplete" FROM interval
     WHERE (began_at, process) > ($1::timestamptz, $2::uuid) AND ended_at > coalesce($3::timestamptz, '-infinity') AND began_at < coalesce($4::timestamptz, 'infinity')
     ORDER BY began_at, process LIMIT ${PAGE}`,
  readOperations: `
    SELECT document.id, document.text, operation.counts
      FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (process, began_at)
      JOIN operation USING (process, began_at) JOIN document ON document.id = document_id`,
  deleteIntervals: 'DELETE FROM interval WHERE ended_at < $1',
  // A text is sent again, or deleted: who writes it locks its row, and finds or makes it again.
  deleteDocuments:
    'DELETE FROM document WHERE seen_at < $1 AND NOT EXISTS (SELECT FROM operation WHERE document_id = document.id)',
  deleteProcesses: 'DELETE FROM process WHERE renewed_at < $1',
});

/**
 * Makes the tables, or brings them up to date.
 *
 * @returns the names of the migrations that ran now
 * @throws OperationsProblem DATABASE_UNAVAILABLE
 */
export async function createUsageTables(connectionString: string): Promise<readonly string[]> {
  const directory = new URL('../../usage-migrations/', import.meta.url);
  return inWords(connectionString, () => migrate({ connectionString, schema: SCHEMA, directory }));
}

/**
 * Adds up what gateways have written of a time.
 *
 * @throws OperationsProblem DATABASE_UNAVAILABLE, TABLES_MISSING
 */
export async function readUsageTables(
  connectionString: string,
  window: UsageWindow,
): Promise<RecordedOperations> {
  return withTables(connectionString, async (pool) => {
    const merge = new OperationsMerge();
    merge.add({ operations: [], isComplete: (await countKilled(pool)) === 0 });
    let last: IntervalKey = { process: '00000000-0000-0000-0000-000000000000', beganAt: new Date(0) };
    for (;;) {
      const intervals = await readIntervals(pool, window, last);
      merge.add({ operations: [], isComplete: intervals.every(({ isComplete }) => isComplete) });
      for (const operation of await readOperationsOf(pool, intervals))
        merge.add({ operations: [operation], isComplete: true });
      const next = intervals.at(-1);
      if (!next) return merge.result;
      last = next;
    }
  });
}

/**
 * Deletes intervals that ended before a time, texts that were last sent before it, and marks of processes that were killed before
 * it. What gateways write meanwhile stays.
 *
 * @returns how many intervals were deleted
 * @throws OperationsProblem DATABASE_UNAVAILABLE, TABLES_MISSING
 */
export async function pruneUsageTables(connectionString: string, before: Date): Promise<number> {
  return withTables(connectionString, async (pool) => {
    const deleted = await execute(pool, sql.deleteIntervals, [before]);
    await execute(pool, sql.deleteDocuments, [before]);
    await execute(pool, sql.deleteProcesses, [before]);
    return deleted;
  });
}

type StoredInterval = StatementRow<typeof sql.readIntervals>;
type IntervalKey = Pick<StoredInterval, 'process' | 'beganAt'>;

async function countKilled(pool: Pool): Promise<number> {
  const [row] = await queryRows(pool, sql.countKilled, [MISSED_INTERVALS]);
  return row?.killed ?? 0;
}

async function readIntervals(
  pool: Pool,
  { from, to }: UsageWindow,
  { beganAt, process }: IntervalKey,
): Promise<readonly StoredInterval[]> {
  return queryRows(pool, sql.readIntervals, [beganAt, process, from, to]);
}

async function readOperationsOf(
  pool: Pool,
  intervals: readonly IntervalKey[],
): Promise<readonly ReturnType<typeof operationOfLine>[]> {
  if (intervals.length === 0) return [];
  const rows = await queryRows(pool, sql.readOperations, [
    intervals.map(({ process }) => process),
    intervals.map(({ beganAt }) => beganAt),
  ]);
  // The cast is for the spread alone: operationOfLine parses what comes of it.
  return rows.map(({ id, text: document, counts }) =>
    operationOfLine({ id, document, ...(counts as Readonly<Record<string, unknown>>) }),
  );
}

async function withTables<Result>(
  connectionString: string,
  use: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = createPool({
    connectionString,
    schema: SCHEMA,
    max: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    applicationName: 'trellis-operations',
  });
  return inWords(connectionString, () => use(pool)).finally(() => pool.end());
}

/** SQLSTATE: undefined_table, invalid_schema_name, undefined_column. */
const MISSING_TABLES: ReadonlySet<string> = new Set(['42P01', '3F000', '42703']);

/** The password of a database is in no message. */
async function inWords<Result>(connectionString: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const { host = '' } = URL.canParse(connectionString) ? new URL(connectionString) : {};
    const { code, message } = error as { readonly code?: unknown; readonly message: string }; // pg throws Errors
    if (MISSING_TABLES.has(String(code)))
      throw new OperationsProblem(
        'TABLES_MISSING',
        `The database at ${host} has no tables for recorded operations. Make them with: trellis operations init`,
        { cause: error },
      );
    throw new OperationsProblem(
      'DATABASE_UNAVAILABLE',
      `The database at ${host} can't be used: ${message || String(code)}`,
      { cause: error },
    );
  }
}
