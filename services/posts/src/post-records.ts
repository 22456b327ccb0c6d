import { defineStatements, execute, onlyRow, queryRows, type Transaction } from '@trellis/postgres';
import { timeOfId } from '@trellis/subgraph-kit';
import { statements } from './generated/statements.ts';
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

const sql = defineStatements(statements, 'post-records', {
  lockContent: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',

  findSameContent: `
  SELECT ${POST_COLUMNS} FROM post
  WHERE author_id = $1 AND hashtextextended(title || E'\\n' || body, 0) = hashtextextended($2::text || E'\\n' || $3::text, 0)
    AND title = $2 AND body = $3
  ORDER BY id LIMIT 1`,

  // The time of creation is in the id, and a new post was last changed when it was made.
  insert: `
  INSERT INTO post (id, author_id, title, body, tags, metadata, published, publish_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  RETURNING ${POST_COLUMNS}`,

  lock: `
  SELECT ${POST_COLUMNS}, publish_at AS "publishAt" FROM post
  WHERE id = $1 AND (published OR $2::boolean OR author_id = $3::uuid)
  FOR UPDATE`,

  update: `
  UPDATE post SET title = $2, body = $3, tags = $4, metadata = $5, published = $6, publish_at = $7,
    updated_at = ${RISING_TIME}
  WHERE id = $1
  RETURNING ${POST_COLUMNS}`,

  publishDue: `
  UPDATE post SET published = true, publish_at = NULL, updated_at = ${RISING_TIME}
  WHERE id IN (
    SELECT id FROM post WHERE publish_at <= now() ORDER BY publish_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING ${POST_COLUMNS}`,

  remove: 'DELETE FROM post WHERE id = $1',
});

/** The posts of a transaction. */
export function postRecords(transaction: Transaction): PostRecords {
  return {
    findSameContent: async (authorId, { title, body }) => {
      await execute(transaction, sql.lockContent, [`${authorId}\n${title}\n${body}`]);
      return (await queryRows(transaction, sql.findSameContent, [authorId, title, body]))[0];
    },
    insert: async ({ id, authorId, publishAt, published, ...content }) =>
      onlyRow(
        await queryRows(transaction, sql.insert, [
          id,
          authorId,
          ...contentValues(content),
          published,
          publishAt,
          timeOfId(id),
        ]),
      ),
    lock: async (id, { seesAllDrafts, userId }) =>
      (await queryRows(transaction, sql.lock, [id, seesAllDrafts, userId]))[0],
    update: async (id, { published, publishAt, ...content }) =>
      onlyRow(
        await queryRows(transaction, sql.update, [id, ...contentValues(content), published, publishAt]),
      ), // locked, so it exists
    remove: async (id) => {
      await execute(transaction, sql.remove, [id]);
    },
    publishDue: (limit) => queryRows(transaction, sql.publishDue, [limit]),
  };
}

/** JSON's null is no metadata: the column's null. */
function contentValues({
  title,
  body,
  tags,
  metadata,
}: PostContent): readonly [string, string, readonly string[], string | null] {
  return [title, body, tags, metadata === null ? null : JSON.stringify(metadata)];
}
