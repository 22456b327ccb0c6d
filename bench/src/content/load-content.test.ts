import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentExists, loadContent, type LoadedTable, type LoadOptions } from './load-content.ts';

const size = { users: 50, posts: 400, comments: 3_000 };

const COUNTS = `
  SELECT (SELECT count(*) FROM users.profile)::int AS users, (SELECT count(*) FROM posts.post)::int AS posts,
    (SELECT count(*) FROM comments.comment)::int AS comments`;
const DOCUMENTS = `
  SELECT (SELECT count(*) FROM search.user_document)::int AS users,
    (SELECT count(*) FROM search.post_document)::int AS posts,
    (SELECT count(*) FROM search.comment_document)::int AS comments`;
const UNFINDABLE = `
  SELECT (SELECT count(*) FROM comments.comment LEFT JOIN search.comment_document AS document USING (id, post_id)
      WHERE NOT document.words @@ plainto_tsquery('english', comment.body) IS TRUE)
    + (SELECT count(*) FROM posts.post LEFT JOIN search.post_document AS document USING (id, published)
      WHERE published IS DISTINCT FROM document.words @@ plainto_tsquery('english', post.title)) AS count`;
const CURSORS = `
  SELECT (SELECT count(*) FROM comments.event_cursor)::int AS comments,
    (SELECT count(*) FROM search.event_cursor)::int AS search`;
const DIGEST = "SELECT md5(string_agg(post::text, '' ORDER BY id)) AS digest FROM posts.post";
const INDEXES = `
  SELECT schemaname, indexname FROM pg_indexes
  WHERE schemaname IN ('users', 'posts', 'comments', 'search') ORDER BY schemaname, indexname`;
const UNKNOWN_AUTHORS = `
  SELECT (SELECT count(*) FROM posts.post WHERE author_id NOT IN (SELECT id FROM users.profile))
    + (SELECT count(*) FROM comments.comment WHERE post_id NOT IN (SELECT id FROM posts.post))
    + (SELECT count(*) FROM posts.post FULL JOIN comments.known_post USING (id, author_id, published)
       WHERE post.title IS NULL OR known_post.deleted IS NULL) AS count`;
const HOTTEST = `
  SELECT max(count)::float8 / sum(count)::float8 AS share
  FROM (SELECT count(*) FROM posts.post GROUP BY author_id) AS authors`;

describe('Loading content', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'public' });
    await load();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  function load(options: Partial<LoadOptions> = {}): Promise<readonly LoadedTable[]> {
    const url = database.connectionString;
    return loadContent({
      databaseUrls: { users: url, posts: url, comments: url, search: url },
      size,
      print: () => undefined,
      ...options,
    });
  }
  const one = async (sql: string): Promise<unknown> => (await pool.query<object>(sql)).rows[0];
  const digest = () => one(DIGEST);

  it('makes as much as was asked for, of which everything belongs together', async () => {
    expect(await one(COUNTS)).toEqual(size);
    expect(await one(UNKNOWN_AUTHORS)).toEqual({ count: '0' });
  });

  it('has the search index find all that is published, and consumers know that they have heard everything', async () => {
    expect(await one(DOCUMENTS)).toEqual(size);
    expect(await one(UNFINDABLE)).toEqual({ count: '0' });
    expect(await one(CURSORS)).toEqual({ comments: 1, search: 3 });
  });

  it('makes a few authors write much', async () => {
    const { share } = (await one(HOTTEST)) as { share: number };
    expect(share).toBeGreaterThan(5 / size.users);
  });

  it('leaves existing rows alone, unless it shall replace them', async () => {
    const before = await digest();
    await expect(load({ seed: 2 })).rejects.toThrow(ContentExists);
    expect([await digest(), await one(COUNTS)]).toEqual([before, size]);
    await load({ seed: 2, replace: true });
    expect(await digest()).not.toEqual(before);
    expect(await one(COUNTS)).toEqual(size);
    const loaded = await load({ seed: 1, replace: true });
    expect(loaded.map(({ table, rows }) => [table, rows])).toContainEqual(['post', size.posts]);
    expect(await digest()).toEqual(before);
  });

  it('leaves the indexes as the migrations made them', async () => {
    const loaded = (await pool.query(INDEXES)).rows;
    expect(loaded).toContainEqual({ schemaname: 'comments', indexname: 'comment_by_post' });
    expect(loaded).toContainEqual({ schemaname: 'search', indexname: 'comment_document_by_word' });
    await pool.query('DROP SCHEMA users, posts, comments, search CASCADE');
    await load({ size: { users: 1, posts: 1, comments: 1 } });
    expect((await pool.query(INDEXES)).rows).toEqual(loaded);
  });
});
