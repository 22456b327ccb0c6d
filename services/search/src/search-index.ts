import { clientError } from '@trellis/subgraph-protocol';
import { defineStatements, queryRows, type Pool, type StatementRow } from '@trellis/postgres';
import { readsOfPrimary, type Page, type StaleReads } from '@trellis/subgraph-kit';
import { createAgeBounds, NEWEST_SHARES } from './age-bounds.ts';
import { statements } from './generated/statements.ts';
import type { HitPlace } from './hit-cursor.ts';
import type { Hit, HitKind } from './hit.ts';

/** Finds things by their words. */
export interface SearchIndex {
  /**
   * The best matches first; of equal ones the newest. Of a page that goes backward, the last ones first.
   *
   * @param text what to look for, as users write it for a web search
   * @throws GraphQLError INTERNAL_SERVER_ERROR when the database ended the search after its time
   */
  find(text: string, page: Page<HitPlace>): Promise<readonly Hit[]>;
}

/** Matches of a kind that are ranked. To rank all of a frequent word's would take seconds. */
const RANKED = 500;

/** Divides a rank by one plus the logarithm of the document's length. */
const BY_LENGTH = 1;

/** Documents of one kind. */
interface Kind {
  readonly table: string;
  readonly columns: string;
  readonly matches: string;
  /** The number of the statement's parameter that holds the first of the table's bounds. */
  readonly bounds: number;
}

const posts: Kind = {
  table: 'post_document',
  columns: 'id, words',
  matches: "published AND words @@ websearch_to_tsquery('english', $1)",
  bounds: 3,
};

const comments: Kind = {
  table: 'comment_document',
  columns: 'id, post_id, words',
  matches: `words @@ websearch_to_tsquery('english', $1)
    AND EXISTS (SELECT FROM post_document WHERE post_document.id = post_id AND published)`,
  bounds: posts.bounds + NEWEST_SHARES.length,
};

/**
 * SQL for the newest matches of a kind. It looks among the newest documents first and goes on to older ones only while there are
 * too few: to sort all matches of a word would mean to read all of them.
 */
function newest({ table, columns, matches, bounds }: Kind): string {
  const parameters = NEWEST_SHARES.map((_, index) => `$${bounds + index}::uuid`);
  const [last] = parameters.slice(-1);
  const ages = [
    ...parameters.map((bound, index) =>
      index === 0 ? `id > ${bound}` : `id > ${bound} AND id <= ${parameters[index - 1]}`,
    ),
    `(id <= ${last}) IS TRUE`, // a condition that no index helps with: most documents fulfil it
  ];
  const parts = ages.map(
    (age) => `(SELECT ${columns} FROM ${table} WHERE ${matches} AND ${age} ORDER BY id DESC LIMIT ${RANKED})`,
  );
  return `(SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts LIMIT ${RANKED})`;
}

/** Before any hit, and after any. */
const BEGINNING: HitPlace = { rank: 'Infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const END: HitPlace = { rank: '-Infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Each branch ends at its newest matches, by whichever index gets there first, before anything is ranked. Names are looked up as
 * they are written, everything else by the stems of English words.
 */
function find(direction: 'DESC' | 'ASC'): string {
  return `
  SELECT kind, id, "postId", hit.rank::text AS rank FROM (
    (SELECT 'User' AS kind, id, NULL::uuid AS "postId",
        ts_rank_cd(words, websearch_to_tsquery('simple', $1), ${BY_LENGTH}) AS rank
      FROM (
        SELECT id, words FROM user_document
        WHERE words @@ websearch_to_tsquery('simple', $1)
        ORDER BY id DESC LIMIT ${RANKED}
      ) AS newest)
    UNION ALL
    (SELECT 'Post', id, NULL, ts_rank_cd(words, websearch_to_tsquery('english', $1), ${BY_LENGTH})
      FROM ${newest(posts)} AS newest)
    UNION ALL
    (SELECT 'TextComment', id, post_id, ts_rank_cd(words, websearch_to_tsquery('english', $1), ${BY_LENGTH})
      FROM ${newest(comments)} AS newest)
  ) AS hit
  WHERE (hit.rank, id) < ($9::text::real, $10::uuid) AND (hit.rank, id) > ($11::text::real, $12::uuid)
  ORDER BY hit.rank ${direction}, id ${direction} LIMIT $2`;
}

const NOT_NULL = ['kind', 'id', 'rank'] as const;

const sql = defineStatements(statements, 'search-index', {
  find: { notNull: NOT_NULL, text: find('DESC') },
  findBackward: { notNull: NOT_NULL, text: find('ASC') },
});

/** What PostgreSQL says of a statement that it has ended. */
const QUERY_CANCELED = '57014';

/**
 * Searches the tables `user_document`, `post_document` and `comment_document`.
 *
 * @param reads where they are searched; by default where everything is read. What someone has just written is not in the index yet
 */
export function createSearchIndex(pool: Pool, { readStale }: StaleReads = readsOfPrimary(pool)): SearchIndex {
  const bounds = [posts, comments].map(({ table }) => createAgeBounds(pool, table));
  return {
    find: async (text, { count, backward, after = BEGINNING, before = END }) => {
      const places = [after.rank, after.id, before.rank, before.id] as const;
      try {
        const ids = await Promise.all(bounds.map((of) => of.read()));
        const statement = backward ? sql.findBackward : sql.find;
        const rows = await readStale(null, (database) =>
          queryRows(database, statement, [text, count, ...toBounds(ids.flat()), ...places]),
        );
        return rows.map(toHit);
      } catch (error) {
        if (!isCanceled(error)) throw error;
        throw clientError(
          'INTERNAL_SERVER_ERROR',
          'The search took too long. Look for more, or rarer, words.',
        );
      }
    },
  };
}

function toHit({ kind, id, postId, rank }: StatementRow<typeof sql.find>): Hit {
  return { kind: kind as HitKind, id, postId, rank }; // the statement writes no other
}

/** A bound of either kind for each of {@link NEWEST_SHARES}: the statement is written for as many. */
type Bounds = readonly [string, string, string, string, string, string];

function toBounds(ids: readonly string[]): Bounds {
  return ids as unknown as Bounds; // two times three
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
