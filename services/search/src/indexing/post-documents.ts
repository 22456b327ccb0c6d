import {
  POST_DELETED,
  POST_SAVED,
  postDeleted,
  postSaved,
  type PostDeleted,
  type PostSaved,
} from '@trellis/content-events';
import type { EventHandler } from '@trellis/events';
import { defineStatements, execute } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { acquireExclusive } from './deletion-lock.ts';
import { createIndexer, currentGeneration, type Documents } from './document-table.ts';

/** The documents of posts; the words of a draft are not even stored. Tags are passed a line each. */
export const postDocuments: Documents = {
  source: 'posts',
  table: 'post_document',
  columns: ['id uuid', 'published boolean', 'title text', 'tags text', 'body text'],
  save: (table) => `
    INSERT INTO post_document (id, published, words, generation)
    SELECT id, published, CASE WHEN published THEN
        setweight(to_tsvector('english', title), 'A') ||
        setweight(to_tsvector('english', tags), 'B') ||
        setweight(to_tsvector('english', body), 'D')
      ELSE '' END, ${currentGeneration('posts')}
    FROM ${table} AS saved (id, published, title, tags, body)
    ON CONFLICT (id) DO UPDATE SET published = excluded.published, deleted = false, words = excluded.words,
      generation = excluded.generation`,
};

const sql = defineStatements(statements, 'post-documents', {
  save: postDocuments.save('unnest($1::uuid[], $2::boolean[], $3::text[], $4::text[], $5::text[])'),

  markDeleted: `
  INSERT INTO post_document (id, published, deleted, words, generation)
  VALUES ($1, false, true, '', ${currentGeneration('posts')})
  ON CONFLICT (id) DO UPDATE SET published = false, deleted = true, words = '', generation = excluded.generation`,

  removeComments: 'DELETE FROM comment_document WHERE post_id = $1',
});

/** Indexes published posts by title, tags and text. */
export const postIndexer: EventHandler = createIndexer<PostSaved, PostDeleted>({
  documents: postDocuments,
  readSaved: ({ type, payload }) => (type === POST_SAVED ? postSaved.parse(payload) : undefined),
  readDeleted: ({ type, payload }) => (type === POST_DELETED ? postDeleted.parse(payload) : undefined),
  save: async (transaction, posts) => {
    await execute(transaction, sql.save, [
      posts.map(({ id }) => id),
      posts.map(({ published }) => published),
      posts.map(({ title }) => title),
      posts.map(({ tags }) => tags.join('\n')),
      posts.map(({ body }) => body),
    ]);
  },
  remove: async (transaction, { id }) => {
    await acquireExclusive(transaction);
    await execute(transaction, sql.markDeleted, [id]);
    await execute(transaction, sql.removeComments, [id]);
  },
});
