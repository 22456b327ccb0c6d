import { USER_SAVED, userSaved } from '@trellis/content-events';
import type { EventHandler } from '@trellis/events';
import { defineStatements, execute } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { createIndexer, currentGeneration, type Documents } from './document-table.ts';

/** The documents of users. Names are not words of a language: they stay as written. A user without a name can't be found. */
export const userDocuments: Documents = {
  source: 'users',
  table: 'user_document',
  columns: ['id uuid', 'name text'],
  save: (table) => `
    INSERT INTO user_document (id, words, generation)
    SELECT id, setweight(to_tsvector('simple', coalesce(name, '')), 'A'), ${currentGeneration('users')}
    FROM ${table} AS saved (id, name)
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, generation = excluded.generation`,
};

const sql = defineStatements(statements, 'user-documents', {
  save: userDocuments.save('unnest($1::uuid[], $2::text[])'),
});

/** Indexes users by their names. */
export const userIndexer: EventHandler = createIndexer({
  documents: userDocuments,
  readSaved: ({ type, payload }) => (type === USER_SAVED ? userSaved.parse(payload) : undefined),
  readDeleted: () => undefined,
  save: async (transaction, users) => {
    await execute(transaction, sql.save, [users.map(({ id }) => id), users.map(({ name }) => name)]);
  },
  remove: () => Promise.resolve(),
});
