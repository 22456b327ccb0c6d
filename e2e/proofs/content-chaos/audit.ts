import type { Pool } from '@trellis/postgres';
import { eventually } from '../../harness/deadline.ts';
import { differences, missing, readCount, readMap } from './compare.ts';
import type { Ledger } from './ledger.ts';
import { isSettled } from './settled.ts';
import type { Databases } from './with-services.ts';

/** What was found when everything had settled. All are counts, and all must be 0. */
export interface AuditFindings {
  /** Events that the sources should have published, by the ledger, and did not; or published too often. */
  readonly eventsMissing: number;
  readonly eventsTooMany: number;
  /** Events whose number is missing or not unique. */
  readonly eventsMisnumbered: number;
  /** Events that the consumer has not applied, or has applied more than once. */
  readonly eventsLost: number;
  readonly eventsAppliedTwice: number;
  readonly deadLetters: number;
  /** Users, posts and comments that differ from what their writers' mutations returned. */
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

const APPLIED = 'SELECT subject AS id, count(*)::int AS count FROM audit.applied GROUP BY subject';

const published = (service: string, type: string): string => `
  SELECT subject AS id, count(*)::int AS count FROM ${service}.outbox WHERE type LIKE '${type}.%' GROUP BY subject`;

const misnumbered = (service: string): string => `
  SELECT ((SELECT count(*) FROM ${service}.outbox WHERE seq IS NULL) + coalesce(
    (SELECT abs(count(*) - max(seq)) + count(*) - count(DISTINCT seq) FROM ${service}.outbox), 0))::int AS count`;

// Writers have profiles without a name, made when their token was seen: no event was published for them.
const USERS = 'SELECT id, name AS state FROM users.profile WHERE name IS NOT NULL';
const NAMED_USERS_PUBLISHED = `
  SELECT subject AS id, count(*)::int AS count FROM users.outbox WHERE payload ->> 'name' IS NOT NULL GROUP BY subject`;
const POSTS = "SELECT id, concat_ws('|', author_id, title, published) AS state FROM posts.post";
const COMMENTS = "SELECT id, concat_ws('|', post_id, body) AS state FROM comments.comment";

const VISIBILITY = "SELECT id, concat_ws('|', author_id, published) AS state FROM posts.post";
const KNOWN =
  "SELECT id, concat_ws('|', author_id, published) AS state FROM comments.known_post WHERE NOT deleted";

// Every text is made of words that occur nowhere else.
const indexDifferences = (documents: string, language: string): string => `
  SELECT count(*)::int AS count
  FROM (SELECT * FROM jsonb_to_recordset($1) AS source (id uuid, text text)) AS source
  FULL JOIN (SELECT * FROM search.${documents}) AS document USING (id)
  WHERE source.id IS NULL OR document.id IS NULL OR NOT document.words @@ phraseto_tsquery('${language}', source.text)`;

/** Begins to note what the consumer applies. The services must have made their tables, and nothing must have been published yet. */
export async function installAudit(databases: Databases): Promise<void> {
  await eventually(() => isSettled(databases), Boolean, 30_000); // the consumers have taken their first snapshots
  await databases.comments.query(INSTALL);
}

/** Compares what mutations returned to the writers, what the services hold, and what the consumers have made of the events. */
export async function audit(databases: Databases, ledger: Ledger): Promise<AuditFindings> {
  const { users, posts, comments, search } = databases;
  const usersPublished = await readMap<number>(users, NAMED_USERS_PUBLISHED, 'count');
  const postsPublished = await readMap<number>(posts, published('posts', 'post'), 'count');
  const commentsPublished = sum(
    (await readMap<number>(comments, published('comments', 'comment'), 'count')).values(),
  );
  const applied = await readMap<number>(comments, APPLIED, 'count');
  return {
    eventsMissing:
      missing(ledger.userEvents, usersPublished) +
      missing(ledger.postEvents, postsPublished) +
      Math.max(0, ledger.commentEvents - commentsPublished),
    eventsTooMany:
      missing(usersPublished, ledger.userEvents) +
      missing(postsPublished, ledger.postEvents) +
      Math.max(0, commentsPublished - ledger.commentEvents),
    eventsMisnumbered: await countMisnumbered(databases),
    eventsLost: missing(postsPublished, applied),
    eventsAppliedTwice: missing(applied, postsPublished),
    deadLetters: (await countDeadLetters(comments, 'comments')) + (await countDeadLetters(search, 'search')),
    contentDifferences: (await countContentDifferences(databases, ledger)) + wronglyMissed(ledger),
    projectionDifferences: await countProjectionDifferences(databases),
    indexDifferences: await countIndexDifferences(databases),
  };
}

/** Posts that the comments service knows otherwise than the posts service does. */
export async function countProjectionDifferences({ posts, comments }: Databases): Promise<number> {
  return differences(await readMap(posts, VISIBILITY, 'state'), await readMap(comments, KNOWN, 'state'));
}

async function countMisnumbered({ users, posts, comments }: Databases): Promise<number> {
  const counts = [
    readCount(users, misnumbered('users')),
    readCount(posts, misnumbered('posts')),
    readCount(comments, misnumbered('comments')),
  ];
  return sum(await Promise.all(counts));
}

function countDeadLetters(pool: Pool, service: string): Promise<number> {
  return readCount(pool, `SELECT count(*)::int AS count FROM ${service}.dead_letter`);
}

async function countContentDifferences(
  { users, posts, comments }: Databases,
  ledger: Ledger,
): Promise<number> {
  const expectedPosts = [...ledger.posts].map(
    ([id, { authorId, title, published }]) => [id, `${authorId}|${title}|${published ? 't' : 'f'}`] as const,
  );
  const expectedComments = [...ledger.remainingComments()].map(
    ([id, { postId, body }]) => [id, `${postId}|${body}`] as const,
  );
  return (
    differences(ledger.users, await readMap(users, USERS, 'state')) +
    differences(new Map(expectedPosts), await readMap(posts, POSTS, 'state')) +
    differences(new Map(expectedComments), await readMap(comments, COMMENTS, 'state'))
  );
}

async function countIndexDifferences({ users, posts, comments, search }: Databases): Promise<number> {
  const compare = async (
    source: Pool,
    texts: string,
    documents: string,
    language: string,
  ): Promise<number> => {
    const { rows } = await source.query(texts);
    return readCount(search, indexDifferences(documents, language), [JSON.stringify(rows)]);
  };
  const published = 'SELECT id, title AS text FROM posts.post WHERE published';
  return (
    (await compare(users, 'SELECT id, name AS text FROM users.profile', 'user_document', 'simple')) +
    (await compare(posts, published, 'post_document WHERE published', 'english')) +
    (await compare(comments, 'SELECT id, body AS text FROM comments.comment', 'comment_document', 'english'))
  );
}

function wronglyMissed({ missedPosts, posts }: Ledger): number {
  return [...missedPosts].filter((id) => posts.has(id)).length;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
