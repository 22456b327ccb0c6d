import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inTransaction, type Pool, type Transaction } from '@trellis/postgres';
import { from } from 'pg-copy-streams';
import { withoutIndexes } from './without-indexes.ts';

/** What {@link loadTable} fills. */
export interface TableLoad {
  /** Of the service that owns the table, without a limit on the time of statements. */
  readonly pool: Pool;
  /** The table with its columns: `comment (id, body)`. */
  readonly target: string;
  /** In the text format of COPY. */
  readonly rows: Iterable<string>;
}

const CHUNK_BYTES = 262_144;

/**
 * Fills a table in one transaction: all of it or nothing.
 *
 * @returns how many rows there were
 */
export async function loadTable({ pool, target, rows }: TableLoad): Promise<number> {
  const table = target.split(' ')[0] ?? target;
  const count = await inTransaction(pool, (transaction) =>
    withoutIndexes(transaction, table, () => copy(transaction, target, rows)),
  );
  await pool.query(`VACUUM (ANALYZE) ${table}`); // index-only scans need to know that all of it is visible
  return count;
}

async function copy(transaction: Transaction, target: string, rows: Iterable<string>): Promise<number> {
  const stream = transaction.query(from(`COPY ${target} FROM STDIN`));
  await pipeline(Readable.from(inChunks(rows), { objectMode: false }), stream);
  return stream.rowCount;
}

/** A write for each row would cost more than the row. */
function* inChunks(rows: Iterable<string>): Iterable<Buffer> {
  let chunk = '';
  for (const row of rows) {
    chunk += row;
    if (chunk.length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}
