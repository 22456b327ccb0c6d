import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { groupByPosition, readsOfPrimary, type Page, type StaleReads } from '@trellis/subgraph-kit';
import { statements } from './generated/statements.ts';
import { NOT_NULL_POST_COLUMNS, POST_COLUMNS } from './post-columns.ts';
import { seesDraftsOf, type Post, type Viewer } from './post.ts';

/** A page of one author's posts. */
export interface AuthorPage extends Page {
  readonly authorId: string;
}

/** All that the database knows about posts. What a viewer is denied does not exist for them. */
export interface PostStore {
  /** @returns those that exist, in no order */
  findByIds(ids: readonly string[], viewer: Viewer): Promise<readonly Post[]>;
  /** The newest first; of a page that goes backward, the oldest first. */
  list(page: Page, viewer: Viewer): Promise<readonly Post[]>;
  /** A list for each page asked for, each as {@link list} has it, in one statement. All of them go the same way. */
  listByAuthors(pages: readonly AuthorPage[], viewer: Viewer): Promise<readonly (readonly Post[])[]>;
  /** All posts, drafts included, in the order of their ids: for other services. */
  scan(after: string | null, limit: number): Promise<readonly Post[]>;
  /** Fills an empty table; leaves any other as it is. */
  seed(posts: readonly Post[]): Promise<void>;
}

/** Greater than any id: where a list begins. */
const BEGINNING = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Less than any id: where a list ends. */
const END = '00000000-0000-0000-0000-000000000000';

/** The newest first, or, for pages that go backward, the oldest. */
type Direction = 'DESC' | 'ASC';

function listAll(direction: Direction): string {
  return `SELECT ${POST_COLUMNS} FROM post WHERE id < $1 AND id > $3 ORDER BY id ${direction} LIMIT $2`;
}

/** What everybody sees and what the viewer alone sees, each from its own index, at most a page of either. */
function listVisible(direction: Direction): string {
  const page = `id < $1 AND id > $4 ORDER BY id ${direction} LIMIT $2`;
  return `
  SELECT * FROM (
    (SELECT ${POST_COLUMNS} FROM post WHERE published AND ${page})
    UNION ALL
    (SELECT ${POST_COLUMNS} FROM post WHERE NOT published AND author_id = $3 AND ${page})
  ) AS visible
  ORDER BY id ${direction} LIMIT $2`;
}

/** One descent into each index for each page, whatever their number and however different their limits. */
function listByAuthors(direction: Direction): string {
  const ofAuthor = `author_id = page.author_id AND id < page.after AND id > page.before
        ORDER BY id ${direction} LIMIT page.count`;
  return `
  SELECT page.position::int - 1 AS position, visible.*
  FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::boolean[], $5::uuid[])
    WITH ORDINALITY AS page (author_id, after, count, drafts, before, position)
  CROSS JOIN LATERAL (
    SELECT * FROM (
      (SELECT ${POST_COLUMNS} FROM post WHERE published AND ${ofAuthor})
      UNION ALL
      (SELECT ${POST_COLUMNS} FROM post WHERE page.drafts AND NOT published AND ${ofAuthor})
    ) AS either
    ORDER BY id ${direction} LIMIT page.count
  ) AS visible
  ORDER BY position, visible.id ${direction}`;
}

const sql = defineStatements(statements, 'post-store', {
  findByIds: `
  SELECT ${POST_COLUMNS} FROM post
  WHERE id = ANY($1::uuid[]) AND (published OR $2::boolean OR author_id = $3::uuid)`,

  listAll: listAll('DESC'),
  listAllBackward: listAll('ASC'),

  listVisible: { notNull: NOT_NULL_POST_COLUMNS, text: listVisible('DESC') },
  listVisibleBackward: { notNull: NOT_NULL_POST_COLUMNS, text: listVisible('ASC') },

  listByAuthors: { notNull: ['position', ...NOT_NULL_POST_COLUMNS], text: listByAuthors('DESC') },
  listByAuthorsBackward: { notNull: ['position', ...NOT_NULL_POST_COLUMNS], text: listByAuthors('ASC') },

  scan: `SELECT ${POST_COLUMNS} FROM post WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`,

  seed: `
  INSERT INTO post (id, author_id, title, body, tags, metadata, published, updated_at)
  SELECT id, "authorId", title, body, tags, nullif(metadata, 'null'), published, "updatedAt"
  FROM jsonb_to_recordset($1) AS seed (id uuid, "authorId" uuid, title text, body text, tags text[], metadata jsonb,
    published boolean, "updatedAt" timestamptz)
  WHERE NOT EXISTS (SELECT FROM post)
  ON CONFLICT (id) DO NOTHING`,
});

/**
 * Keeps posts in the table `post`.
 *
 * @param reads where lists are read; by default where everything is
 */
export function createPostStore(pool: Pool, { readStale }: StaleReads = readsOfPrimary(pool)): PostStore {
  return {
    findByIds: (ids, { seesAllDrafts, userId }) =>
      queryRows(pool, sql.findByIds, [ids, seesAllDrafts, userId]),
    list: ({ count, backward, after = BEGINNING, before = END }, { seesAllDrafts, userId }) =>
      readStale(userId, (database) =>
        seesAllDrafts
          ? queryRows(database, backward ? sql.listAllBackward : sql.listAll, [after, count, before])
          : queryRows(database, backward ? sql.listVisibleBackward : sql.listVisible, [
              after,
              count,
              userId,
              before,
            ]),
      ),
    listByAuthors: async (pages, viewer) => {
      const statement = pages[0]?.backward ? sql.listByAuthorsBackward : sql.listByAuthors;
      const rows = await readStale(viewer.userId, (database) =>
        queryRows(database, statement, [
          pages.map(({ authorId }) => authorId),
          pages.map(({ after }) => after ?? BEGINNING),
          pages.map(({ count }) => count),
          pages.map(({ authorId }) => seesDraftsOf(viewer, authorId)),
          pages.map(({ before }) => before ?? END),
        ]),
      );
      return groupByPosition(pages.length, rows, ({ position }) => position);
    },
    scan: (after, limit) => queryRows(pool, sql.scan, [after, limit]),
    seed: async (posts) => {
      await execute(pool, sql.seed, [JSON.stringify(posts)]);
    },
  };
}
