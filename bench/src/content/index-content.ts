import { pipeline } from 'node:stream/promises';
import { inTransaction, type Pool, type Transaction } from '@trellis/postgres';
import { commentDocuments, postDocuments, userDocuments, type Documents } from 'trellis/programs';
import { from, to } from 'pg-copy-streams';
import { skipToNow } from './skip-to-now.ts';
import { withoutIndexes } from './without-indexes.ts';

/** What the search index is filled from: the documents of a source, and what the source provides for each of their columns. */
export interface IndexLoad {
  readonly documents: Documents;
  readonly selection: string;
}

/** In the order in which they are filled: comments are on posts. */
export const indexLoads: readonly IndexLoad[] = [
  { documents: userDocuments, selection: 'SELECT id, name FROM profile' },
  {
    documents: postDocuments,
    selection: String.raw`SELECT id, published, title, array_to_string(tags, E'\n'), body FROM post ORDER BY id`,
  },
  { documents: commentDocuments, selection: 'SELECT id, post_id, body FROM comment ORDER BY id' },
];

/**
 * Fills the documents of a source in one transaction, by the very SQL with which the search service writes them, and leaves the
 * service where it would be if it had consumed every event.
 *
 * @param search of the search service; without a limit on the time of statements, like `source`
 * @returns how many there were
 */
export async function indexContent(load: IndexLoad, search: Pool, source: Pool): Promise<number> {
  const { table, columns, save } = load.documents;
  const count = await inTransaction(search, async (transaction) => {
    await transaction.query(`CREATE TEMPORARY TABLE loaded (${columns.join(', ')}) ON COMMIT DROP`);
    return withoutIndexes(transaction, table, async () => {
      await copyBetween(source, load.selection, transaction, 'loaded');
      return (await transaction.query(save('loaded'))).rowCount ?? 0;
    });
  });
  await skipToNow({ consumer: search, source, name: load.documents.source });
  await search.query(`VACUUM (ANALYZE) ${table}`);
  return count;
}

/** From one database to another, which may be the same. */
async function copyBetween(
  source: Pool,
  selection: string,
  target: Transaction,
  table: string,
): Promise<void> {
  const client = await source.connect();
  try {
    await pipeline(
      client.query(to(`COPY (${selection}) TO STDOUT`)),
      target.query(from(`COPY ${table} FROM STDIN`)),
    );
  } finally {
    client.release();
  }
}
