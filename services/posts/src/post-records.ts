import type { Transaction } from '@trellis/postgres';
import { timeOfId } from '@trellis/subgraph-kit';
import { POST_COLUMNS } from './post-columns.ts';
import type { PostContent } from './post-input.ts';
import type { Post, Viewer } from './post.ts';

/** A post that no one else can change until the transaction ends. */
export interface LockedPost extends Post {
  /** When it publishes itself. */
  readonly publishAt: Date | null;
}

/** A post to be inserted. */
export interface PostRecord extends PostContent {
  /** Carries the time of creation. */
  readonly id: string;
  readonly authorId: string;
  readonly published: boolean;
  readonly publishAt: Date | null;
}

/** What may change of a post. */
export type PostState = Pick<LockedPost, 'title' | 'body' | 'tags' | 'metadata' | 'published' | 'publishAt'>;

/** The SQL that changes posts, for use in a transaction. */
export interface PostRecords {
  /** Lets no one else make a post with this content until the transaction ends, and finds the one there is. */
  findSameContent(authorId: string, content: PostContent): Promise<Post | undefined>;
  insert(record: PostRecord): Promise<Post>;
  /** Undefined when there is none that the viewer may see. */
  lock(id: string, viewer: Viewer): Promise<LockedPost | undefined>;
  /** `updatedAt` rises by at least a millisecond. */
  update(id: string, state: PostState): Promise<Post>;
  remove(id: string): Promise<void>;
  /** Publishes drafts whose time has come, the first ones first, and leaves out what someone else is changing. */
  publishDue(limit: number): Promise<readonly Post[]>;
}

const RISING_TIME = `greatest(clock_timestamp()::timestamptz(3), updated_at + interval '1 millisecond')`;

const LOCK_CONTENT = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

const FIND_SAME_CONTENT = `
  SELECT ${POST_COLUMNS} FROM post
  WHERE author_id = $1 AND hashtextextended(title || E'\\n' || body, 0) = hashtextextended($2::text || E'\\n' || $3::text, 0)
    AND title = $2 AND body = $3
  ORDER BY id LIMIT 1`;

// The time of creation is in the id, and a new post was last changed when it was made.
const INSERT = `
  INSERT INTO post (id, author_id, title, body, tags, metadata, published, publish_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  RETURNING ${POST_COLUMNS}`;

const LOCK = `
  SELECT ${POST_COLUMNS}, publish_at AS "publishAt" FROM post
  WHERE id = $1 AND (published OR $2::boolean OR author_id = $3::uuid)
  FOR UPDATE`;

const UPDATE = `
  UPDATE post SET title = $2, body = $3, tags = $4, metadata = $5, published = $6, publish_at = $7,
    updated_at = ${RISING_TIME}
  WHERE id = $1
  RETURNING ${POST_COLUMNS}`;

const PUBLISH_DUE = `
  UPDATE post SET published = true, publish_at = NULL, updated_at = ${RISING_TIME}
  WHERE id IN (
    SELECT id FROM post WHERE publish_at <= now() ORDER BY publish_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING ${POST_COLUMNS}`;

/** The posts of a transaction. */
export function postRecords(transaction: Transaction): PostRecords {
  const one = async <Row extends Post>(sql: string, values: unknown[]): Promise<Row | undefined> =>
    (await transaction.query<Row>(sql, values)).rows[0];
  return {
    findSameContent: async (authorId, { title, body }) => {
      await transaction.query(LOCK_CONTENT, [`${authorId}\n${title}\n${body}`]);
      return one(FIND_SAME_CONTENT, [authorId, title, body]);
    },
    insert: async ({ id, authorId, publishAt, published, ...content }) =>
      (await one(INSERT, [
        id,
        authorId,
        ...contentValues(content),
        published,
        publishAt,
        timeOfId(id),
      ])) as Post, // one row in, one row out
    lock: (id, { seesAllDrafts, userId }) => one(LOCK, [id, seesAllDrafts, userId]),
    update: async (id, { published, publishAt, ...content }) =>
      (await one(UPDATE, [id, ...contentValues(content), published, publishAt])) as Post, // locked, so it exists
    remove: async (id) => {
      await transaction.query('DELETE FROM post WHERE id = $1', [id]);
    },
    publishDue: async (limit) => (await transaction.query<Post>(PUBLISH_DUE, [limit])).rows,
  };
}

/** JSON's null is no metadata: the column's null. */
function contentValues({ title, body, tags, metadata }: PostContent): readonly unknown[] {
  return [title, body, tags, metadata === null ? null : JSON.stringify(metadata)];
}
