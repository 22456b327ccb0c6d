import type { Pool } from '@trellis/postgres';
import { eventually } from '../../harness/deadline.ts';
import type { Ledger } from './ledger.ts';

/** What was found when everything had settled. All are counts, and all must be 0. */
export interface AuditFindings {
  /** Events that the source should have told, by the ledger, and did not; or that it told too often. */
  readonly eventsMissing: number;
  readonly eventsTooMany: number;
  /** Events whose number is missing or not unique. */
  readonly eventsMisnumbered: number;
  /** Events that the consumer has not applied, or has applied more than once. */
  readonly eventsLost: number;
  readonly eventsAppliedTwice: number;
  readonly deadLetters: number;
  /** Posts and comments that are not as their writers were told. */
  readonly contentDifferences: number;
  /** Posts that the consumer knows otherwise than the source. */
  readonly projectionDifferences: number;
  /** Documents of the search index that should not be there, are missing, or have other words than their source. */
  readonly indexDifferences: number;
}

// Every event of posts makes the consumer write one row of known_post, in the transaction that moves its cursor. Requests write
// there as well, by connections of another name.
const INSTALL = `
  CREATE SCHEMA audit;
  CREATE TABLE audit.applied (subject uuid NOT NULL);
  CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('application_name') = 'trellis-comments-background' THEN
        INSERT INTO audit.applied VALUES (NEW.id);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER note AFTER INSERT OR UPDATE ON comments.known_post FOR EACH ROW EXECUTE FUNCTION audit.note();`;

const TOLD = `
  SELECT subject AS id, count(*)::int AS count FROM posts.outbox
  WHERE type LIKE 'post.%' GROUP BY subject`;

const APPLIED = 'SELECT subject AS id, count(*)::int AS count FROM audit.applied GROUP BY subject';

const MISNUMBERED = `
  SELECT ((SELECT count(*) FROM posts.outbox WHERE seq IS NULL)
    + (SELECT abs(count(*) - max(seq)) + count(*) - count(DISTINCT seq) FROM posts.outbox HAVING count(*) > 0)
    + (SELECT count(*) FROM comments.outbox WHERE seq IS NULL)
    + (SELECT abs(count(*) - max(seq)) + count(*) - count(DISTINCT seq) FROM comments.outbox HAVING count(*) > 0))::int
    AS count`;

const COMMENT_EVENTS = "SELECT count(*)::int AS count FROM comments.outbox WHERE type LIKE 'comment.%'";
const DEAD_LETTERS = `
  SELECT ((SELECT count(*) FROM comments.dead_letter) + (SELECT count(*) FROM search.dead_letter))::int AS count`;

const POSTS = "SELECT id, concat_ws('|', author_id, title, published) AS state FROM posts.post";
const COMMENTS = "SELECT id, concat_ws('|', post_id, body) AS state FROM comments.comment";

const PROJECTION = `
  SELECT count(*)::int AS count FROM posts.post
  FULL JOIN (SELECT * FROM comments.known_post WHERE NOT deleted) AS known USING (id)
  WHERE post.id IS NULL OR known.id IS NULL
    OR post.author_id <> known.author_id OR post.published <> known.published`;

// Every text is made of words that occur nowhere else.
const INDEX = `
  SELECT (
    (SELECT count(*) FROM (SELECT * FROM posts.post WHERE published) AS post
      FULL JOIN (SELECT * FROM search.post_document WHERE published) AS document USING (id)
      WHERE post.id IS NULL OR document.id IS NULL OR NOT document.words @@ phraseto_tsquery('english', post.title))
    + (SELECT count(*) FROM comments.comment FULL JOIN search.comment_document AS document USING (id)
      WHERE comment.id IS NULL OR document.id IS NULL OR NOT document.words @@ phraseto_tsquery('english', comment.body))
  )::int AS count`;

// Every cursor has arrived at the end of what its source has told, and nothing waits for its number.
const SETTLED = `
  SELECT coalesce((SELECT seq FROM comments.event_cursor WHERE source = 'posts'), -1) = (SELECT seq FROM posts.outbox_head)
    AND coalesce((SELECT seq FROM search.event_cursor WHERE source = 'posts'), -1) = (SELECT seq FROM posts.outbox_head)
    AND coalesce((SELECT seq FROM search.event_cursor WHERE source = 'comments'), -1) = (SELECT seq FROM comments.outbox_head)
    AND NOT EXISTS (SELECT FROM posts.outbox WHERE seq IS NULL)
    AND NOT EXISTS (SELECT FROM comments.outbox WHERE seq IS NULL) AS settled`;

/** Begins to note what the consumer applies. The services must have made their tables, and nothing must have been told yet. */
export async function installAudit(pool: Pool): Promise<void> {
  await eventually(() => isSettled(pool), Boolean, 30_000); // the consumer has taken its first snapshot
  await pool.query(INSTALL);
}

/** Whether everything that was told has been applied. */
export async function isSettled(pool: Pool): Promise<boolean> {
  return (await pool.query<{ settled: boolean }>(SETTLED)).rows[0]?.settled ?? false;
}

/** Compares what the writers were told, what the services hold, and what the consumers have made of the events. */
export async function audit(pool: Pool, ledger: Ledger): Promise<AuditFindings> {
  const told = await readMap(pool, TOLD, 'count');
  const applied = await readMap(pool, APPLIED, 'count');
  const commentEvents = await readCount(pool, COMMENT_EVENTS);
  return {
    eventsMissing: missing(ledger.postEvents, told) + Math.max(0, ledger.commentEvents - commentEvents),
    eventsTooMany: missing(told, ledger.postEvents) + Math.max(0, commentEvents - ledger.commentEvents),
    eventsMisnumbered: await readCount(pool, MISNUMBERED),
    eventsLost: missing(told, applied),
    eventsAppliedTwice: missing(applied, told),
    deadLetters: await readCount(pool, DEAD_LETTERS),
    contentDifferences: (await contentDifferences(pool, ledger)) + wronglyMissed(ledger),
    projectionDifferences: await countProjectionDifferences(pool),
    indexDifferences: await readCount(pool, INDEX),
  };
}

/** Posts that the comments service knows otherwise than the posts service does. */
export function countProjectionDifferences(pool: Pool): Promise<number> {
  return readCount(pool, PROJECTION);
}

/** How much of the first is not in the second. */
function missing(expected: ReadonlyMap<string, number>, actual: ReadonlyMap<string, number>): number {
  return [...expected].reduce((sum, [id, count]) => sum + Math.max(0, count - (actual.get(id) ?? 0)), 0);
}

async function contentDifferences(pool: Pool, ledger: Ledger): Promise<number> {
  const posts = [...ledger.posts].map(
    ([id, { authorId, title, published }]) => [id, `${authorId}|${title}|${published ? 't' : 'f'}`] as const,
  );
  const comments = [...ledger.remainingComments()].map(
    ([id, { postId, body }]) => [id, `${postId}|${body}`] as const,
  );
  return (
    differences(new Map(posts), await readMap(pool, POSTS, 'state')) +
    differences(new Map(comments), await readMap(pool, COMMENTS, 'state'))
  );
}

function differences(expected: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): number {
  const ids = new Set([...expected.keys(), ...actual.keys()]);
  return [...ids].filter((id) => expected.get(id) !== actual.get(id)).length;
}

function wronglyMissed({ missedPosts, posts }: Ledger): number {
  return [...missedPosts].filter((id) => posts.has(id)).length;
}

async function readCount(pool: Pool, sql: string): Promise<number> {
  return (await pool.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
}

async function readMap<Column extends 'count' | 'state'>(
  pool: Pool,
  sql: string,
  column: Column,
): Promise<Map<string, Column extends 'count' ? number : string>> {
  type Value = Column extends 'count' ? number : string;
  const { rows } = await pool.query<{ id: string } & Record<Column, Value>>(sql);
  return new Map(rows.map((row) => [row.id, row[column]]));
}
