import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { groupByPosition, readsOfPrimary, type Page, type StaleReads } from '@trellis/subgraph-kit';
import { COMMENT_COLUMNS } from './comment-columns.ts';
import type { Comment, PlacedComment } from './comment.ts';
import { statements } from './generated/statements.ts';
import { VISIBLE } from './known-post-store.ts';
import type { Viewer } from './viewer.ts';

/** A page of one post's comments: the newest first, or, when it goes backward, the oldest. */
export interface PostPage extends Page {
  readonly postId: string;
}

/** A page of what one user has said, in the order of {@link PostPage}. */
export interface AuthorPage extends Page {
  readonly authorId: string;
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
  /** A list for each page asked for, in one statement. Of a post that is gone it is empty. All of them go the same way. */
  listByPosts(
    pages: readonly PostPage[],
    viewer: Viewer,
  ): Promise<readonly OfPost<{ readonly comments: readonly Comment[] }>[]>;
  /** A list for each page asked for, of comments whose post the viewer may see, in one statement. All of them go the same way. */
  listByAuthors(pages: readonly AuthorPage[], viewer: Viewer): Promise<readonly (readonly Comment[])[]>;
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
/** Less than any id: where a list ends. */
const END = '00000000-0000-0000-0000-000000000000';

/** The newest first, or, for pages that go backward, the oldest. */
type Direction = 'DESC' | 'ASC';

/** One descent into the index for each page, whatever their number and however different their limits. */
function listByPosts(direction: Direction): string {
  return `
  SELECT page.position::int - 1 AS position, coalesce(${VISIBLE}, false) AS "isShown", found.*
  FROM unnest($1::uuid[], $4::uuid[], $5::int[], $6::uuid[])
    WITH ORDINALITY AS page (post_id, after, count, before, position)
  LEFT JOIN known_post ON known_post.id = page.post_id
  CROSS JOIN LATERAL (
    SELECT ${COMMENT_COLUMNS} FROM comment
    WHERE post_id = page.post_id AND id < page.after AND id > page.before
    ORDER BY id ${direction} LIMIT page.count
  ) AS found
  WHERE known_post.deleted IS NOT TRUE
  ORDER BY position, found.id ${direction}`;
}

/** As above. What is said on drafts is read past: only those who see a draft can have said something on it. */
function listByAuthors(direction: Direction): string {
  return `
  SELECT page.position::int - 1 AS position, found.*
  FROM unnest($1::uuid[], $4::uuid[], $5::int[], $6::uuid[])
    WITH ORDINALITY AS page (author_id, after, count, before, position)
  CROSS JOIN LATERAL (
    SELECT ${COMMENT_COLUMNS} FROM comment JOIN known_post ON known_post.id = comment.post_id
    WHERE comment.author_id = page.author_id AND comment.id < page.after AND comment.id > page.before AND ${VISIBLE}
    ORDER BY comment.id ${direction} LIMIT page.count
  ) AS found
  ORDER BY position, found.id ${direction}`;
}

const LISTED_COLUMNS = ['position', 'id', 'postId', 'authorId', 'body', 'edited'] as const;

const sql = defineStatements(statements, 'comment-store', {
  findByIds: `
  SELECT ${COMMENT_COLUMNS} FROM comment JOIN known_post ON known_post.id = comment.post_id
  WHERE comment.id = ANY($1::uuid[]) AND ${VISIBLE}`,

  findPlaced: `
  SELECT comment.id, post_id AS "postId", comment.author_id AS "authorId", body, edited,
    known_post.author_id AS "postAuthorId", published
  FROM comment JOIN known_post ON known_post.id = comment.post_id
  WHERE comment.id = ANY($1::uuid[]) AND NOT known_post.deleted`,

  listByPosts: { notNull: ['isShown', ...LISTED_COLUMNS], text: listByPosts('DESC') },
  listByPostsBackward: { notNull: ['isShown', ...LISTED_COLUMNS], text: listByPosts('ASC') },

  listByAuthors: { notNull: ['position'], text: listByAuthors('DESC') },
  listByAuthorsBackward: { notNull: ['position'], text: listByAuthors('ASC') },

  // Counted for each post by itself: a join with all counts reads every known post where one has thousands of comments.
  countByPosts: {
    notNull: ['postId', 'count', 'isShown'],
    text: `
  SELECT asked.post_id AS "postId", count, coalesce(${VISIBLE}, false) AS "isShown"
  FROM unnest($1::uuid[]) AS asked (post_id)
  LEFT JOIN known_post ON known_post.id = asked.post_id
  CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM comment WHERE post_id = asked.post_id) AS counted
  WHERE known_post.deleted IS NOT TRUE AND count > 0`,
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

/**
 * Keeps comments in the table `comment`.
 *
 * @param reads where the lists of authors are read; by default where everything is. Those of posts are not: who sees them is decided
 *   by what has just been heard of the post.
 */
export function createCommentStore(
  pool: Pool,
  { readStale }: StaleReads = readsOfPrimary(pool),
): CommentStore {
  return {
    findByIds: (ids, { isEditor, userId }) => queryRows(pool, sql.findByIds, [ids, isEditor, userId]),
    findPlaced: async (ids) =>
      (await queryRows(pool, sql.findPlaced, [ids])).map(({ postAuthorId, published, ...comment }) => ({
        comment,
        post: { id: comment.postId, authorId: postAuthorId, published },
      })),
    listByPosts: async (pages, viewer) => {
      const statement = pages[0]?.backward ? sql.listByPostsBackward : sql.listByPosts;
      const postIds = pages.map(({ postId }) => postId);
      const rows = await queryRows(pool, statement, listParameters(postIds, pages, viewer));
      const lists = groupByPosition(pages.length, rows, ({ position }) => position);
      return lists.map((comments) => ({ comments, isShown: comments[0]?.isShown ?? true }));
    },
    listByAuthors: async (pages, viewer) => {
      const statement = pages[0]?.backward ? sql.listByAuthorsBackward : sql.listByAuthors;
      const authorIds = pages.map(({ authorId }) => authorId);
      const rows = await readStale(viewer.userId, (database) =>
        queryRows(database, statement, listParameters(authorIds, pages, viewer)),
      );
      return groupByPosition(pages.length, rows, ({ position }) => position);
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

type ListParameters = [string[], boolean, string | null, string[], number[], string[]];

function listParameters(ids: string[], pages: readonly Page[], { isEditor, userId }: Viewer): ListParameters {
  return [
    ids,
    isEditor,
    userId,
    pages.map(({ after }) => after ?? BEGINNING),
    pages.map(({ count }) => count),
    pages.map(({ before }) => before ?? END),
  ];
}
