import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { groupByPosition } from '@trellis/subgraph-kit';
import { COMMENT_COLUMNS } from './comment-columns.ts';
import type { Comment, PlacedComment } from './comment.ts';
import { statements } from './generated/statements.ts';
import { VISIBLE } from './known-post-store.ts';
import type { Viewer } from './viewer.ts';

/** A page of one post's comments, from the newest to the oldest. */
export interface PostPage {
  readonly postId: string;
  /** How many at most. */
  readonly limit: number;
  /** The id after which the page begins; the newest without it. */
  readonly after?: string | undefined;
}

/** What is said of one post, and whether what this service knows of the post lets the viewer see it. */
export type OfPost<Said> = Said & {
  /** False also for an unknown post: ask its owner. */
  readonly isShown: boolean;
};

/** All that the database knows about comments. */
export interface CommentStore {
  /** @returns those that exist and whose post the viewer may see, in no order */
  findByIds(ids: readonly string[], viewer: Viewer): Promise<readonly Comment[]>;
  /** @returns those that exist and whose post exists, with what matters of the post */
  findPlaced(ids: readonly string[]): Promise<readonly PlacedComment[]>;
  /** A list for each page asked for, the newest first, in one statement. Of a post that is gone it is empty. */
  listByPosts(
    pages: readonly PostPage[],
    viewer: Viewer,
  ): Promise<readonly OfPost<{ readonly comments: readonly Comment[] }>[]>;
  /** @returns for each post the number of its comments, in the order asked for; of one that is gone 0 */
  countByPosts(
    postIds: readonly string[],
    viewer: Viewer,
  ): Promise<readonly OfPost<{ readonly count: number }>[]>;
  /** All comments in the order of their ids: for other services. */
  scan(after: string | null, limit: number): Promise<readonly Comment[]>;
  /** Fills an empty table; leaves any other as it is. */
  seed(comments: readonly Comment[]): Promise<void>;
}

/** Greater than any id: where a list begins. */
const BEGINNING = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const sql = defineStatements(statements, 'comment-store', {
  findByIds: `
  SELECT ${COMMENT_COLUMNS} FROM comment JOIN known_post ON known_post.id = comment.post_id
  WHERE comment.id = ANY($1::uuid[]) AND ${VISIBLE}`,

  findPlaced: `
  SELECT comment.id, post_id AS "postId", comment.author_id AS "authorId", body, edited,
    known_post.author_id AS "postAuthorId", published
  FROM comment JOIN known_post ON known_post.id = comment.post_id
  WHERE comment.id = ANY($1::uuid[]) AND NOT known_post.deleted`,

  // One descent into the index for each page, whatever their number and however different their limits.
  listByPosts: {
    notNull: ['position', 'isShown', 'id', 'postId', 'authorId', 'body', 'edited'],
    text: `
  SELECT page.position::int - 1 AS position, coalesce(${VISIBLE}, false) AS "isShown", newest.*
  FROM unnest($1::uuid[], $4::uuid[], $5::int[]) WITH ORDINALITY AS page (post_id, after, size, position)
  LEFT JOIN known_post ON known_post.id = page.post_id
  CROSS JOIN LATERAL (
    SELECT ${COMMENT_COLUMNS} FROM comment
    WHERE post_id = page.post_id AND id < page.after
    ORDER BY id DESC LIMIT page.size
  ) AS newest
  WHERE known_post.deleted IS NOT TRUE
  ORDER BY position, newest.id DESC`,
  },

  countByPosts: {
    notNull: ['postId', 'count', 'isShown'],
    text: `
  SELECT "postId", count, coalesce(${VISIBLE}, false) AS "isShown"
  FROM (
    SELECT post_id AS "postId", count(*)::int AS count
    FROM comment WHERE post_id = ANY($1::uuid[]) GROUP BY post_id
  ) AS counted
  LEFT JOIN known_post ON known_post.id = "postId"
  WHERE known_post.deleted IS NOT TRUE`,
  },

  scan: `SELECT ${COMMENT_COLUMNS} FROM comment WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`,

  seed: `
  INSERT INTO comment (id, post_id, author_id, body, edited)
  SELECT id, "postId", "authorId", body, edited
  FROM jsonb_to_recordset($1) AS seed (id uuid, "postId" uuid, "authorId" uuid, body text, edited boolean)
  WHERE NOT EXISTS (SELECT FROM comment)
  ON CONFLICT (id) DO NOTHING`,
});

/** There is nothing to be hidden. */
const NO_COMMENTS = { count: 0, isShown: true };

/** Keeps comments in the table `comment`. */
export function createCommentStore(pool: Pool): CommentStore {
  return {
    findByIds: (ids, { isEditor, userId }) => queryRows(pool, sql.findByIds, [ids, isEditor, userId]),
    findPlaced: async (ids) =>
      (await queryRows(pool, sql.findPlaced, [ids])).map(({ postAuthorId, published, ...comment }) => ({
        comment,
        post: { id: comment.postId, authorId: postAuthorId, published },
      })),
    listByPosts: async (pages, { isEditor, userId }) => {
      const rows = await queryRows(pool, sql.listByPosts, [
        pages.map(({ postId }) => postId),
        isEditor,
        userId,
        pages.map(({ after }) => after ?? BEGINNING),
        pages.map(({ limit }) => limit),
      ]);
      const lists = groupByPosition(pages.length, rows, ({ position }) => position);
      return lists.map((comments) => ({ comments, isShown: comments[0]?.isShown ?? true }));
    },
    countByPosts: async (postIds, { isEditor, userId }) => {
      const rows = await queryRows(pool, sql.countByPosts, [postIds, isEditor, userId]);
      const counts = new Map(rows.map((count) => [count.postId, count]));
      return postIds.map((id) => counts.get(id) ?? NO_COMMENTS);
    },
    scan: (after, limit) => queryRows(pool, sql.scan, [after, limit]),
    seed: async (comments) => {
      await execute(pool, sql.seed, [JSON.stringify(comments)]);
    },
  };
}
