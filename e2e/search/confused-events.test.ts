import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createId } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHostedServices, type HostedServices } from '../harness/hosted-services.ts';

const SOURCES = ['users', 'posts', 'comments'] as const;
const WAIT = { timeout: 30_000, interval: 50 };

const administrator: UserContext = {
  user: { id: createId(), roles: ['ADMIN'], tokenIssuedAt: 1, name: 'Ada' },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
};

let services: HostedServices;
let database: Pool;
let redis: RedisConnection;
beforeAll(async () => {
  services = await startHostedServices();
  database = createPool({ connectionString: services.databaseUrl, schema: 'public' });
  redis = connectRedis({ url: services.redisUrl, name: 'confused', onError: () => {} });
});
afterAll(async () => {
  redis.disconnect();
  await database.end();
  await services.close();
});

/** The id of what a mutation has made or changed. */
async function write(service: (typeof SOURCES)[number], mutation: string): Promise<string> {
  const { data } = await services.ask<object>(service, administrator, `mutation { ${mutation} }`);
  return /"id":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? '';
}

const streamOf = (source: string): string => `trellis:{events:${source}}:stream`;

// In one script: the sources go on publishing meanwhile.
const REPEAT_THE_OLDEST = `
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  return redis.call('XADD', KEYS[1], string.match(newest[1], '^%d+') .. '-*', unpack(oldest[2]))`;

/** Appends the oldest events again: old, a second time, and in no order. */
async function repeatTheOldest(source: string): Promise<void> {
  await redis.eval(REPEAT_THE_OLDEST, 1, streamOf(source));
}

/** Publishes an event that no consumer can read. */
async function poison(source: (typeof SOURCES)[number]): Promise<void> {
  await database.query(
    `INSERT INTO ${source}.outbox (id, type, subject, payload) VALUES ($1, $2, $1, '{"id": "unknown"}')`,
    [createId(), { users: 'user.saved', posts: 'post.saved', comments: 'comment.saved' }[source]],
  );
}

const deadLetters = async () => {
  const rows = await queryChecked(
    database,
    { consumer: 'text', source: 'text' },
    `
    SELECT 'comments' AS consumer, source FROM comments.dead_letter
    UNION ALL SELECT 'search', source FROM search.dead_letter ORDER BY 1, 2`,
  );
  return rows.map(({ consumer, source }) => `${consumer} of ${source}`);
};

// What the consumers hold and the owners don't, or the other way round, or not with the same words.
const DIFFERENCES = `
  SELECT (
    (SELECT count(*) FROM posts.post FULL JOIN (SELECT * FROM comments.known_post WHERE NOT deleted) AS known USING (id)
      WHERE post.author_id IS DISTINCT FROM known.author_id OR post.published IS DISTINCT FROM known.published)
    + (SELECT count(*) FROM posts.post FULL JOIN (SELECT * FROM search.post_document WHERE NOT deleted) AS document USING (id)
      WHERE document.words IS DISTINCT FROM setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'D'))
    + (SELECT count(*) FROM comments.comment FULL JOIN search.comment_document AS document USING (id)
      WHERE document.words IS DISTINCT FROM setweight(to_tsvector('english', body), 'C'))
    + (SELECT count(*) FROM users.profile FULL JOIN search.user_document AS document USING (id)
      WHERE document.words IS DISTINCT FROM setweight(to_tsvector('simple', coalesce(name, '')), 'A'))
  )::int AS count`;
const countOf = async (sql: string) => (await queryChecked(database, { count: 'int4' }, sql))[0]?.count;
const differences = () => countOf(DIFFERENCES);
// Every event has its number, and every cursor is at the last one.
const BEHIND = `
  SELECT (
    ${SOURCES.map((source) => `(SELECT count(*) FROM ${source}.outbox WHERE seq IS NULL)`).join(' + ')}
    + ${SOURCES.map((source) => behind('search', source)).join(' + ')} + ${behind('comments', 'posts')}
  )::int AS count`;
const isApplied = async () => (await countOf(BEHIND)) === 0;

function behind(consumer: string, source: string): string {
  return `(SELECT count(*) FROM ${source}.outbox_head AS head
    WHERE NOT EXISTS (SELECT FROM ${consumer}.event_cursor WHERE source = '${source}' AND event_cursor.seq = head.seq))`;
}

describe('F-24 The index, and what comments knows of posts', () => {
  it('are as their sources are, whatever comes twice, late, out of order, is missing, or makes no sense', async () => {
    const updated = await write(
      'posts',
      'createPost(input: { title: "First words", body: "B" }) { post { id } }',
    );
    const deleted = await write(
      'posts',
      'createPost(input: { title: "Not for long", body: "B" }) { post { id } }',
    );
    const said = await write('comments', `addComment(postId: "${updated}", body: "First words") { id }`);
    await write('users', 'createUser(input: { name: "Zoë" }) { id }');
    await expect.poll(isApplied, WAIT).toBe(true);

    await Promise.all(SOURCES.map(repeatTheOldest));
    await Promise.all(SOURCES.map(poison));
    await write('posts', `updatePost(id: "${updated}", input: { title: "Last words" }) { id }`);
    await write('posts', `deletePost(id: "${deleted}")`);
    await write('comments', `editComment(id: "${said}", body: "Last words") { id }`);
    await write('users', 'createUser(input: { name: "Yan" }) { id }');
    await Promise.all(SOURCES.map(repeatTheOldest));
    await expect.poll(isApplied, WAIT).toBe(true);
    await Promise.all(SOURCES.map((source) => redis.xtrim(streamOf(source), 'MAXLEN', 1)));
    await write('posts', `updatePost(id: "${updated}", input: { body: "Very last words" }) { id }`);
    await expect.poll(isApplied, WAIT).toBe(true);

    expect(await differences()).toBe(0);
    expect(await deadLetters()).toEqual([
      'comments of posts',
      'search of comments',
      'search of posts',
      'search of users',
    ]);
  });
});
