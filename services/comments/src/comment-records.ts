import { defineStatements, execute, onlyRow, queryRows, type Transaction } from '@trellis/postgres';
import { COMMENT_COLUMNS } from './comment-columns.ts';
import type { Comment } from './comment.ts';
import { statements } from './generated/statements.ts';
import { VISIBLE } from './known-post-store.ts';
import type { Viewer } from './viewer.ts';

/** The SQL that changes comments, for use in a transaction. */
export interface CommentRecords {
  insert(comment: Comment): Promise<void>;
  /** Undefined when there is none that the viewer may see. No one else can change it until the transaction ends. */
  lock(id: string, viewer: Viewer): Promise<Comment | undefined>;
  /** Replaces the words, and marks the comment as edited. */
  edit(id: string, body: string): Promise<Comment>;
  remove(id: string): Promise<void>;
}

const sql = defineStatements(statements, 'comment-records', {
  insert: 'INSERT INTO comment (id, post_id, author_id, body, edited) VALUES ($1, $2, $3, $4, $5)',

  lock: `
  SELECT ${COMMENT_COLUMNS} FROM comment JOIN known_post ON known_post.id = comment.post_id
  WHERE comment.id = $1 AND ${VISIBLE}
  FOR UPDATE OF comment`,

  edit: `UPDATE comment SET body = $2, edited = true WHERE id = $1 RETURNING ${COMMENT_COLUMNS}`,

  remove: 'DELETE FROM comment WHERE id = $1',

  removeOfPosts: 'DELETE FROM comment WHERE post_id = ANY($1::uuid[])',
});

/** The comments of a transaction. */
export function commentRecords(transaction: Transaction): CommentRecords {
  return {
    insert: async ({ id, postId, authorId, body, edited }) => {
      await execute(transaction, sql.insert, [id, postId, authorId, body, edited]);
    },
    lock: async (id, { isEditor, userId }) =>
      (await queryRows(transaction, sql.lock, [id, isEditor, userId]))[0],
    edit: async (id, body) => onlyRow(await queryRows(transaction, sql.edit, [id, body])), // locked, so it exists
    remove: async (id) => {
      await execute(transaction, sql.remove, [id]);
    },
  };
}

/** Deletes all comments of deleted posts. No events: consumers of `post.deleted` delete them as well. */
export async function removeCommentsOfPosts(
  transaction: Transaction,
  postIds: readonly string[],
): Promise<void> {
  await execute(transaction, sql.removeOfPosts, [postIds]);
}
