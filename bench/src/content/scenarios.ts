import type { Pool } from '@trellis/postgres';
import { LIST_MS, type Scenario } from './scenario.ts';

type Pools = Readonly<Record<'users' | 'posts' | 'comments', Pool>>;

type List = Omit<Scenario, 'promisedMs'>;

interface PostKey {
  readonly id: string;
  readonly published: boolean;
}

const AUTHORS_POSTS = `query ($r: [_Any!]!, $first: Int, $after: ID) { _entities(representations: $r) {
  ... on User { posts(first: $first, after: $after) { id title author { id } } } } }`;
const POSTS_COMMENTS = `query ($r: [_Any!]!, $limit: Int, $after: ID) { _entities(representations: $r) {
  ... on Post { comments(limit: $limit, after: $after) { id body ... on TextComment { edited } } } } }`;
const POSTS_COUNTS = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Post { commentCount } } }`;
const FEED =
  'query ($after: ID) { posts(first: 20, after: $after) { id title tags author { id } createdAt } }';

const NEWEST_COMMENTED = `
  SELECT post_id AS id, true AS published FROM comment ORDER BY id DESC LIMIT 20`;
const HOTTEST_POST = `
  SELECT post_id AS id FROM (SELECT post_id FROM comment TABLESAMPLE SYSTEM (20)) AS sampled
  GROUP BY post_id ORDER BY count(*) DESC LIMIT 1`;
const HOTTEST_AUTHOR = `
  SELECT author_id AS id FROM (SELECT author_id FROM post TABLESAMPLE SYSTEM (20)) AS sampled
  GROUP BY author_id ORDER BY count(*) DESC LIMIT 1`;
const AT_DEPTH = 'SELECT id FROM post WHERE published ORDER BY id DESC OFFSET $1 LIMIT 1';
const PUBLISHED = 'SELECT count(*)::int AS count FROM post WHERE published';
const MIDDLE_OF_HOT_AUTHOR = `
  SELECT id FROM post WHERE author_id = $1 ORDER BY id DESC
  OFFSET (SELECT count(*) / 2 FROM post WHERE author_id = $1) LIMIT 1`;

/** Chooses requests from existing content: the hottest author and post, pages at several depths, and the first query's requests. */
export async function chooseScenarios(pools: Pools): Promise<readonly Scenario[]> {
  const lists = [...(await firstQuery(pools)), ...(await feed(pools)), ...(await hotSpots(pools))];
  return lists.map((list) => ({ ...list, promisedMs: LIST_MS }));
}

/** What the gateway asks for `users(limit: 3) { name posts(first: 2) { title comments(limit: 2) { body } author { name } } }`. */
async function firstQuery(pools: Pools): Promise<readonly List[]> {
  const users = await idsOf(pools.users, 'SELECT id FROM profile ORDER BY created_at, id LIMIT 3');
  const authors = users.map((id) => ({ __typename: 'User', id }));
  const posts = await idsOf(
    pools.posts,
    `SELECT newest.id FROM unnest($1::uuid[]) AS author CROSS JOIN LATERAL (
       SELECT id FROM post WHERE published AND author_id = author ORDER BY id DESC LIMIT 2) AS newest`,
    [users],
  );
  const names = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { name } } }';
  return [
    {
      name: 'first query: users',
      service: 'users',
      question: { query: '{ users(limit: 3) { __typename id name } }' },
    },
    {
      name: 'first query: their posts',
      service: 'posts',
      question: { query: AUTHORS_POSTS, variables: { r: authors, first: 2 } },
    },
    {
      name: 'first query: comments of these',
      service: 'comments',
      question: { query: POSTS_COMMENTS, variables: { r: posts.map(visiblePost), limit: 2 } },
    },
    {
      name: 'first query: names of the authors',
      service: 'users',
      question: { query: names, variables: { r: authors } },
    },
  ];
}

async function feed({ posts }: Pools): Promise<readonly List[]> {
  const published = (await posts.query<{ count: number }>(PUBLISHED)).rows[0]?.count ?? 0;
  const depths = [0, 0.1, 0.5, 0.99].map((share) => Math.floor(published * share));
  return Promise.all(
    depths.map(async (depth): Promise<List> => {
      const [after = null] = depth === 0 ? [] : await idsOf(posts, AT_DEPTH, [depth]);
      const name = `feed, 20 posts after ${depth.toLocaleString('en')}`;
      return { name, service: 'posts', question: { query: FEED, variables: { after } } };
    }),
  );
}

async function hotSpots({ posts, comments }: Pools): Promise<readonly List[]> {
  const [author = ''] = await idsOf(posts, HOTTEST_AUTHOR);
  const [middle = null] = await idsOf(posts, MIDDLE_OF_HOT_AUTHOR, [author]);
  const [post = ''] = await idsOf(comments, HOTTEST_POST);
  const recent = (await comments.query<PostKey>(NEWEST_COMMENTED)).rows.map(({ id }) => visiblePost(id));
  const ofAuthor = { r: [{ __typename: 'User', id: author }], first: 20 };
  const ofPost = { r: [visiblePost(post)], limit: 20 };
  return [
    {
      name: 'the hottest author’s 20 newest posts',
      service: 'posts',
      question: { query: AUTHORS_POSTS, variables: ofAuthor },
    },
    {
      name: 'the same, from the middle on',
      service: 'posts',
      question: { query: AUTHORS_POSTS, variables: { ...ofAuthor, after: middle } },
    },
    {
      name: 'the hottest post’s 20 newest comments',
      service: 'comments',
      question: { query: POSTS_COMMENTS, variables: ofPost },
    },
    {
      name: 'the hottest post’s number of comments',
      service: 'comments',
      question: { query: POSTS_COUNTS, variables: { r: ofPost.r } },
    },
    {
      name: '10 comments of each of 20 posts',
      service: 'comments',
      question: { query: POSTS_COMMENTS, variables: { r: recent, limit: 10 } },
    },
    {
      name: 'numbers of comments of 20 posts',
      service: 'comments',
      question: { query: POSTS_COUNTS, variables: { r: recent } },
    },
  ];
}

function visiblePost(id: string): object {
  return { __typename: 'Post', id, published: true };
}

async function idsOf(pool: Pool, sql: string, values: unknown[] = []): Promise<readonly string[]> {
  return (await pool.query<{ id: string }>(sql, values)).rows.map(({ id }) => id);
}
