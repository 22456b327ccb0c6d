import { defineStatements, execute, queryRows, type Pool, type Transaction } from '@trellis/postgres';
import { statements } from './generated/statements.ts';
import type { Viewer } from './viewer.ts';

/** What matters of a post to those who comment on it. */
export interface PostFacts {
  readonly id: string;
  readonly authorId: string;
  readonly published: boolean;
}

/** The posts that this service has heard of. */
export interface KnownPostStore {
  /** Undefined for an unknown post and for a deleted one. */
  find(id: string): Promise<PostFacts | undefined>;
  /**
   * Makes sure that the post is known, and keeps it from going until the transaction ends.
   *
   * @returns false when it is gone
   */
  hold(transaction: Transaction, post: PostFacts): Promise<boolean>;
  /** Stores these facts as the current ones. */
  save(transaction: Transaction, posts: readonly PostFacts[]): Promise<void>;
  /** Marks a post as gone. */
  markDeleted(transaction: Transaction, id: string): Promise<void>;
  /** Doubts everything. */
  markStale(transaction: Transaction): Promise<void>;
  /** Marks what is still in doubt as gone. */
  markStaleDeleted(transaction: Transaction): Promise<readonly string[]>;
}

/** The SQL condition under which a viewer sees a known post, with the viewer's values as the parameters 2 and 3. */
export const VISIBLE =
  'NOT known_post.deleted AND (known_post.published OR $2::boolean OR known_post.author_id = $3::uuid)';

/** Whether a viewer sees a post. */
export function isVisible({ published, authorId }: PostFacts, viewer: Viewer): boolean {
  return published || viewer.isEditor || authorId === viewer.userId;
}

const sql = defineStatements(statements, 'known-post-store', {
  find: 'SELECT id, author_id AS "authorId", published FROM known_post WHERE id = $1 AND NOT deleted',

  learn: `
  INSERT INTO known_post (id, author_id, published) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,

  hold: 'SELECT FROM known_post WHERE id = $1 AND NOT deleted FOR SHARE',

  save: `
  INSERT INTO known_post (id, author_id, published)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[])
  ON CONFLICT (id) DO UPDATE
    SET author_id = excluded.author_id, published = excluded.published, deleted = false, stale = false`,

  markDeleted: 'UPDATE known_post SET deleted = true WHERE id = $1',

  markStale: 'UPDATE known_post SET stale = true WHERE NOT deleted',

  markStaleDeleted: 'UPDATE known_post SET deleted = true, stale = false WHERE stale RETURNING id',
});

/** Keeps known posts in the table `known_post`. */
export function createKnownPostStore(pool: Pool): KnownPostStore {
  return {
    find: async (id) => (await queryRows(pool, sql.find, [id]))[0],
    hold: async (transaction, { id, authorId, published }) => {
      await execute(transaction, sql.learn, [id, authorId, published]);
      return (await execute(transaction, sql.hold, [id])) === 1;
    },
    save: async (transaction, posts) => {
      await execute(transaction, sql.save, [
        posts.map(({ id }) => id),
        posts.map(({ authorId }) => authorId),
        posts.map(({ published }) => published),
      ]);
    },
    markDeleted: async (transaction, id) => {
      await execute(transaction, sql.markDeleted, [id]);
    },
    markStale: async (transaction) => {
      await execute(transaction, sql.markStale, []);
    },
    markStaleDeleted: async (transaction) =>
      (await queryRows(transaction, sql.markStaleDeleted, [])).map(({ id }) => id),
  };
}
