import {
  COMMENT_SAVED,
  POST_DELETED,
  POST_SAVED,
  type CommentSaved,
  type PostSaved,
} from '@trellis/content-events';
import type { SequencedEvent } from '@trellis/events';
import { createPool, inTransaction, type Pool } from '@trellis/postgres';
import { createId, migrateSubgraph } from '@trellis/subgraph-kit';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commentIndexer } from './comment-documents.ts';
import { postIndexer } from './post-documents.ts';

const WAITING = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`;

describe('A comment that is published while its post is deleted', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    const location = { connectionString: database.connectionString, schema: 'search' };
    await migrateSubgraph({ ...location, directory: new URL('../../migrations/', import.meta.url) });
    pool = createPool(location);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const event = (
    type: string,
    payload: PostSaved | CommentSaved | { readonly id: string },
  ): SequencedEvent => ({
    seq: 1,
    id: createId(),
    type,
    subject: payload.id,
    payload,
    occurredAt: new Date(),
  });
  const applyPost = (saved: SequencedEvent) =>
    inTransaction(pool, (transaction) => postIndexer.apply(transaction, saved));
  const isWaiting = () => expect.poll(async () => (await pool.query(WAITING)).rowCount).toBe(1);
  const left = async (id: string) =>
    (await pool.query('SELECT FROM comment_document WHERE id = $1', [id])).rowCount;

  async function publishedPost(): Promise<string> {
    const id = createId();
    const words = { title: 'Title', body: 'Words.', tags: [] };
    await applyPost(
      event(POST_SAVED, { id, authorId: createId(), ...words, published: true, announced: true }),
    );
    return id;
  }
  const commentOn = (postId: string): SequencedEvent =>
    event(COMMENT_SAVED, {
      id: createId(),
      postId,
      authorId: createId(),
      body: 'Words.',
      edited: false,
      announced: true,
    });

  it('is deleted with it when it was applied first', async () => {
    const postId = await publishedPost();
    const comment = commentOn(postId);
    let ending: Promise<void> | undefined;
    await inTransaction(pool, async (transaction) => {
      await commentIndexer.apply(transaction, comment);
      ending = applyPost(event(POST_DELETED, { id: postId }));
      await isWaiting();
    });
    await ending;
    expect(await left(comment.subject)).toBe(0);
  });

  it('is not written any more when it was applied last', async () => {
    const postId = await publishedPost();
    const comment = commentOn(postId);
    let writing: Promise<void> | undefined;
    await inTransaction(pool, async (transaction) => {
      await postIndexer.apply(transaction, event(POST_DELETED, { id: postId }));
      writing = inTransaction(pool, (other) => commentIndexer.apply(other, comment));
      await isWaiting();
    });
    await writing;
    expect(await left(comment.subject)).toBe(0);
  });
});
