import { createPool, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContentExists, loadContent, type LoadOptions } from './load-content.ts';

const size = { users: 50, posts: 400, comments: 3_000 };

const COUNTS = `
  SELECT (SELECT count(*) FROM users.profile)::int AS users, (SELECT count(*) FROM posts.post)::int AS posts,
    (SELECT count(*) FROM comments.comment)::int AS comments`;
const DIGEST = "SELECT md5(string_agg(post::text, '' ORDER BY id)) AS digest FROM posts.post";
const INDEXES = `
  SELECT schemaname, indexname FROM pg_indexes
  WHERE schemaname IN ('users', 'posts', 'comments') ORDER BY schemaname, indexname`;
const STRANGERS = `
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

  function load(options: Partial<LoadOptions> = {}): Promise<void> {
    const url = database.connectionString;
    return loadContent({
      databaseUrls: { users: url, posts: url, comments: url },
      size,
      tell: () => undefined,
      ...options,
    });
  }
  const one = async (sql: string): Promise<unknown> => (await pool.query<object>(sql)).rows[0];
  const digest = () => one(DIGEST);

  it('makes as much as was asked for, of which everything belongs together', async () => {
    expect(await one(COUNTS)).toEqual(size);
    expect(await one(STRANGERS)).toEqual({ count: '0' });
  });

  it('makes a few authors write much', async () => {
    const { share } = (await one(HOTTEST)) as { share: number };
    expect(share).toBeGreaterThan(5 / size.users);
  });

  it('leaves alone what is there, unless it is told to replace it', async () => {
    const before = await digest();
    await expect(load({ seed: 2 })).rejects.toThrow(ContentExists);
    expect([await digest(), await one(COUNTS)]).toEqual([before, size]);
    await load({ seed: 2, replace: true });
    expect(await digest()).not.toEqual(before);
    expect(await one(COUNTS)).toEqual(size);
    await load({ seed: 1, replace: true });
    expect(await digest()).toEqual(before);
  });

  it('leaves the indexes as the migrations made them', async () => {
    const loaded = (await pool.query(INDEXES)).rows;
    expect(loaded).toContainEqual({ schemaname: 'comments', indexname: 'comment_by_post' });
    await pool.query('DROP SCHEMA users, posts, comments CASCADE');
    await load({ size: { users: 1, posts: 1, comments: 1 } });
    expect((await pool.query(INDEXES)).rows).toEqual(loaded);
  });
});
