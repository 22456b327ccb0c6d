import {
  COMMENT_DELETED,
  COMMENT_SAVED,
  commentDeleted,
  commentSaved,
  type CommentDeleted,
  type CommentSaved,
} from '@trellis/content-events';
import type { EventHandler } from '@trellis/events';
import { defineStatements, execute } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import { acquireShared } from './deletion-lock.ts';
import { createIndexer, currentGeneration, type Documents } from './document-table.ts';

/** The documents of comments. */
export const commentDocuments: Documents = {
  source: 'comments',
  table: 'comment_document',
  columns: ['id uuid', 'post_id uuid', 'body text'],
  // Posts and comments publish independently: a post's deletion may arrive before the last comment on it.
  save: (table) => `
    INSERT INTO comment_document (id, post_id, words, generation)
    SELECT id, post_id, setweight(to_tsvector('english', body), 'C'), ${currentGeneration('comments')}
    FROM ${table} AS saved (id, post_id, body)
    WHERE NOT EXISTS (SELECT FROM post_document WHERE post_document.id = saved.post_id AND deleted)
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, generation = excluded.generation`,
};

const sql = defineStatements(statements, 'comment-documents', {
  save: commentDocuments.save('unnest($1::uuid[], $2::uuid[], $3::text[])'),
  remove: 'DELETE FROM comment_document WHERE id = $1',
});

/** Indexes comments by their words. Only those on published posts are found. */
export const commentIndexer: EventHandler = createIndexer<CommentSaved, CommentDeleted>({
  documents: commentDocuments,
  readSaved: ({ type, payload }) => (type === COMMENT_SAVED ? commentSaved.parse(payload) : undefined),
  readDeleted: ({ type, payload }) => (type === COMMENT_DELETED ? commentDeleted.parse(payload) : undefined),
  save: async (transaction, comments) => {
    await acquireShared(transaction);
    await execute(transaction, sql.save, [
      comments.map(({ id }) => id),
      comments.map(({ postId }) => postId),
      comments.map(({ body }) => body),
    ]);
  },
  remove: async (transaction, { id }) => {
    await execute(transaction, sql.remove, [id]);
  },
});
