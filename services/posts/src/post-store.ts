import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { groupByPosition } from '@trellis/subgraph-kit';
import { statements } from './generated/statements.ts';
import { NOT_NULL_POST_COLUMNS, POST_COLUMNS } from './post-columns.ts';
import { seesDraftsOf, type Post, type Viewer } from './post.ts';

/** A page of a list that runs from the newest to the oldest. */
export interface Page {
  /** How many at most. */
  readonly first: number;
  /** The id after which the page begins; the newest without it. */
  readonly after?: string | undefined;
}

/** A page of one author's posts. */
export interface AuthorPage extends Page {
  readonly authorId: string;
}

/** All that the database knows about posts. What a viewer may not see does not exist for them. */
export interface PostStore {
  /** @returns those that exist, in no order */
  findByIds(ids: readonly string[], viewer: Viewer): Promise<readonly Post[]>;
  /** The newest first. */
  list(page: Page, viewer: Viewer): Promise<readonly Post[]>;
  /** A list for each page asked for, the newest first, in one statement. */
  listByAuthors(pages: readonly AuthorPage[], viewer: Viewer): Promise<readonly (readonly Post[])[]>;
  /** All posts, drafts included, in the order of their ids: for other services. */
  scan(after: string | null, limit: number): Promise<readonly Post[]>;
  /** Fills an empty table; leaves any other as it is. */
  seed(posts: readonly Post[]): Promise<void>;
}

/** Greater than any id: where a list begins. */
const BEGINNING = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const sql = defineStatements(statements, 'post-store', {
  findByIds: `
  SELECT ${POST_COLUMNS} FROM post
  WHERE id = ANY($1::uuid[]) AND (published OR $2::boolean OR author_id = $3::uuid)`,

  listAll: `SELECT ${POST_COLUMNS} FROM post WHERE id < $1 ORDER BY id DESC LIMIT $2`,

  // What everybody sees and what the viewer alone sees, each from its own index, at most a page of either.
  listVisible: {
    notNull: NOT_NULL_POST_COLUMNS,
    text: `
  SELECT * FROM (
    (SELECT ${POST_COLUMNS} FROM post WHERE published AND id < $1 ORDER BY id DESC LIMIT $2)
    UNION ALL
    (SELECT ${POST_COLUMNS} FROM post WHERE NOT published AND author_id = $3 AND id < $1 ORDER BY id DESC LIMIT $2)
  ) AS visible
  ORDER BY id DESC LIMIT $2`,
  },

  // One descent into each index for each page, whatever their number and however different their limits.
  listByAuthors: {
    notNull: ['position', ...NOT_NULL_POST_COLUMNS],
    text: `
  SELECT page.position::int - 1 AS position, visible.*
  FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::boolean[])
    WITH ORDINALITY AS page (author_id, after, first, drafts, position)
  CROSS JOIN LATERAL (
    SELECT * FROM (
      (SELECT ${POST_COLUMNS} FROM post
        WHERE published AND author_id = page.author_id AND id < page.after ORDER BY id DESC LIMIT page.first)
      UNION ALL
      (SELECT ${POST_COLUMNS} FROM post
        WHERE page.drafts AND NOT published AND author_id = page.author_id AND id < page.after
        ORDER BY id DESC LIMIT page.first)
    ) AS either
    ORDER BY id DESC LIMIT page.first
  ) AS visible
  ORDER BY position, visible.id DESC`,
  },

  scan: `SELECT ${POST_COLUMNS} FROM post WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`,

  seed: `
  INSERT INTO post (id, author_id, title, body, tags, metadata, published, updated_at)
  SELECT id, "authorId", title, body, tags, nullif(metadata, 'null'), published, "updatedAt"
  FROM jsonb_to_recordset($1) AS seed (id uuid, "authorId" uuid, title text, body text, tags text[], metadata jsonb,
    published boolean, "updatedAt" timestamptz)
  WHERE NOT EXISTS (SELECT FROM post)
  ON CONFLICT (id) DO NOTHING`,
});

/** Keeps posts in the table `post`. */
export function createPostStore(pool: Pool): PostStore {
  return {
    findByIds: (ids, { seesAllDrafts, userId }) =>
      queryRows(pool, sql.findByIds, [ids, seesAllDrafts, userId]),
    list: ({ first, after = BEGINNING }, { seesAllDrafts, userId }) =>
      seesAllDrafts
        ? queryRows(pool, sql.listAll, [after, first])
        : queryRows(pool, sql.listVisible, [after, first, userId]),
    listByAuthors: async (pages, viewer) => {
      const rows = await queryRows(pool, sql.listByAuthors, [
        pages.map(({ authorId }) => authorId),
        pages.map(({ after }) => after ?? BEGINNING),
        pages.map(({ first }) => first),
        pages.map(({ authorId }) => seesDraftsOf(viewer, authorId)),
      ]);
      return groupByPosition(pages.length, rows, ({ position }) => position);
    },
    scan: (after, limit) => queryRows(pool, sql.scan, [after, limit]),
    seed: async (posts) => {
      await execute(pool, sql.seed, [JSON.stringify(posts)]);
    },
  };
}
