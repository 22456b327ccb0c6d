import { USER_SAVED, userSaved } from '@trellis/content-events';
import type { EventHandler } from '@trellis/events';
import { createIndexer, currentGeneration } from './document-table.ts';

// Names are not words of a language: they stay as they are written. Whoever has none can't be found.
const SAVE = `
  INSERT INTO user_document (id, words, generation)
  SELECT id, setweight(to_tsvector('simple', coalesce(name, '')), 'A'), ${currentGeneration('users')}
  FROM unnest($1::uuid[], $2::text[]) AS told (id, name)
  ON CONFLICT (id) DO UPDATE SET words = excluded.words, generation = excluded.generation`;

/** Indexes users by their names. */
export const userIndexer: EventHandler = createIndexer({
  source: 'users',
  table: 'user_document',
  readSaved: ({ type, payload }) => (type === USER_SAVED ? userSaved.parse(payload) : undefined),
  readDeleted: () => undefined,
  save: async (transaction, users) => {
    await transaction.query(SAVE, [users.map(({ id }) => id), users.map(({ name }) => name)]);
  },
  remove: () => Promise.resolve(),
});
