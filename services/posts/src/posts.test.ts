import { queryChecked } from '@trellis/postgres';
import { createDemoContent, demoAccounts } from '@trellis/demo-data';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostStore } from './post-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().posts;
const newestFirst = demo.toReversed();
const [ada, ed, vi] = demoAccounts.map(({ id }) => id) as [string, string, string];
const MISSING = '01941f29-7c00-7a00-8000-00000000ffff';

const user = (id: string, role: Role): UserContext => ({
  user: { id, roles: [role], tokenIssuedAt: 1 },
  scopes: ['read:data'],
});
const anonymous: UserContext = { scopes: ['read:data'] };
const viewer = user(vi, 'VIEWER');
const administrator = user(ada, 'ADMIN');
const editor = user(ed, 'EDITOR');
/** Wrote posts as an editor and is one no more. */
const author = user(ed, 'VIEWER');

const isVisible = (as: UserContext) => (post: (typeof demo)[number]) =>
  post.published || [administrator, editor].includes(as) || post.authorId === as.user?.id;
const visibleTo = (as: UserContext) => newestFirst.filter(isVisible(as)).map(({ id }) => id);
const draftOfEd = newestFirst.find(
  (post) => !post.published && post.authorId === ed,
) as (typeof demo)[number];
const draftOfOthers = newestFirst.find(
  (post) => !post.published && post.authorId !== ed,
) as (typeof demo)[number];

let posts: TestSubgraph;
beforeAll(async () => {
  posts = await startTestSubgraph({
    service: 'posts',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
  await createPostStore(posts.pool).seed(demo);
});
beforeEach(() => void posts.takeStatements());
afterAll(() => posts.close());

interface Listed {
  readonly posts: readonly { readonly id: string }[];
}

async function listIds(args: string, as: UserContext = anonymous): Promise<readonly string[]> {
  const { data } = await posts.ask<Listed>({ query: `{ posts${args} { id } }`, as });
  return data.posts.map(({ id }) => id);
}

async function walk(page: (after: string) => Promise<readonly string[]>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let next = await page(''); next.length > 0; next = await page(`, after: "${ids.at(-1)}"`))
    ids.push(...next);
  return ids;
}

describe('Query.posts', () => {
  it('lists the newest first, twenty by default', async () => {
    expect(await listIds('')).toEqual(visibleTo(anonymous).slice(0, 20));
    expect(await listIds('(first: null, after: null)')).toHaveLength(20);
    expect(await listIds('(first: 0)')).toEqual([]);
  });

  it('answers a page in one statement', async () => {
    await posts.ask({ query: '{ posts(first: 100) { id title author { id } tags } }', as: viewer });
    expect(posts.takeStatements()).toHaveLength(1);
  });

  it('stays stable under inserts: a page goes on where the one before ended', async () => {
    const first = await listIds('(first: 3)');
    await posts.pool.query(
      "INSERT INTO post (id, author_id, title, body, published, updated_at) VALUES ('0197d9a1-2b3c-7d4e-8f50-112233445566', $1, 'New', 'New', true, now())",
      [ed],
    );
    expect(await listIds(`(first: 3, after: "${first.at(-1)}")`)).toEqual(visibleTo(anonymous).slice(3, 6));
    await posts.pool.query('DELETE FROM post WHERE title = $1', ['New']);
  });

  it('goes on from a post that is gone', async () => {
    const remove = 'DELETE FROM post WHERE id = $1 RETURNING id, to_jsonb(post) AS row';
    const [gone] = await queryChecked(posts.pool, { id: 'uuid', row: 'jsonb' }, remove, [
      visibleTo(anonymous)[5],
    ]);
    expect(await listIds(`(first: 2, after: "${gone?.id}")`)).toEqual(visibleTo(anonymous).slice(6, 8));
    await createPostStoreRow(gone?.row);
  });

  it('shows every field of a post', async () => {
    const post = newestFirst.find(
      ({ metadata, published }) => metadata && published,
    ) as (typeof demo)[number];
    const query = `query ($id: ID!) { post(id: $id)
      { id title body published tags metadata createdAt updatedAt author { id } ... on Node { __typename } } }`;
    const { data } = await posts.ask({ query, variables: { id: post.id } });
    const { authorId, createdAt, updatedAt, ...rest } = post;
    expect(data).toEqual({
      post: {
        ...rest,
        __typename: 'Post',
        author: { id: authorId },
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      },
    });
  });
});

async function createPostStoreRow(row: unknown): Promise<void> {
  await posts.pool.query('INSERT INTO post SELECT * FROM jsonb_populate_record(null::post, $1)', [
    JSON.stringify(row),
  ]);
}

describe('arguments of lists', () => {
  it.each([
    ['{ posts(first: -1) { id } }', 'first', -1],
    ['{ posts(first: 101) { id } }', 'first', 101],
    ['{ posts(after: "x") { id } }', 'after', 'x'],
    ['{ posts(after: "") { id } }', 'after', ''],
    [`{ posts(after: "${MISSING}' OR true --") { id } }`, 'after', `${MISSING}' OR true --`],
    [
      '{ posts(after: "3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31") { id } }',
      'after',
      '3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31',
    ],
  ])('S-099 %s is BAD_USER_INPUT', async (query, field, invalidValue) => {
    const { data, errors } = await posts.ask({ query });
    expect(data).toBeNull();
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      expect.objectContaining({ code: 'BAD_USER_INPUT', field, invalidValue }),
    ]);
    expect(posts.takeStatements()).toEqual([]);
  });

  it.each(['first: -1', 'first: 101', 'after: "nonsense"'])('so is User.posts(%s)', async (args) => {
    const { errors } = await posts.ask({
      query: `query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { posts(${args}) { id } } } }`,
      variables: { r: [{ __typename: 'User', id: ed }] },
    });
    expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });
});

describe.each([
  ['an anonymous caller', anonymous],
  ['a viewer', viewer],
  ['an author who is no editor any more', author],
  ['an editor', editor],
  ['an administrator', administrator],
])('drafts, seen by %s', (_who, as) => {
  it('are in lists, page by page', async () => {
    expect(await walk((after) => listIds(`(first: 50${after})`, as))).toEqual(visibleTo(as));
  });

  it.each([draftOfEd, draftOfOthers])('are found by id', async (draft) => {
    const { data } = await posts.ask({ query: `{ post(id: "${draft.id}") { id } }`, as });
    expect(data).toEqual({ post: isVisible(as)(draft) ? { id: draft.id } : null });
  });

  it('are resolved by reference', async () => {
    const { data } = await posts.ask({
      query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Post { id published } } }',
      variables: { r: [draftOfEd, draftOfOthers].map(({ id }) => ({ __typename: 'Post', id })) },
      as,
    });
    expect(data['_entities']).toEqual(
      [draftOfEd, draftOfOthers].map((draft) =>
        isVisible(as)(draft) ? { id: draft.id, published: false } : null,
      ),
    );
  });

  it.each([ada, ed])('are among the posts of their author', async (id) => {
    const byAuthor = async (after: string) => {
      const { data } = await posts.ask<{ _entities: Listed[] }>({
        query: `query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { posts(first: 7${after}) { id } } } }`,
        variables: { r: [{ __typename: 'User', id }] },
        as,
      });
      return data._entities[0]?.posts.map((post) => post.id) ?? [];
    };
    const expected = newestFirst.filter(isVisible(as)).filter(({ authorId }) => authorId === id);
    expect(await walk(byAuthor)).toEqual(expected.map((post) => post.id));
  });

  it('S-093 reveal nothing as cursors', async () => {
    for (const draft of [draftOfEd, draftOfOthers]) {
      const following = newestFirst.filter((post) => isVisible(as)(post) && post.id < draft.id).slice(0, 3);
      expect(await listIds(`(first: 3, after: "${draft.id}")`, as)).toEqual(following.map(({ id }) => id));
    }
  });
});

describe('statements', () => {
  it('are one for the posts of many authors, with different arguments, and one for all references', async () => {
    const authors = [...new Set(demo.map(({ authorId }) => authorId))];
    const query = `query ($r: [_Any!]!) { _entities(representations: $r)
      { ... on User { few: posts(first: 2) { id } more: posts(first: 5) { id } } ... on Post { title } } }`;
    const r = [
      ...authors.map((id) => ({ __typename: 'User', id })),
      ...demo.slice(0, 50).map(({ id }) => ({ __typename: 'Post', id })),
    ];
    const { data, errors } = await posts.ask<{ _entities: { few?: object[]; more?: object[] }[] }>({
      query,
      variables: { r },
    });
    expect(errors).toEqual([]);
    expect(posts.takeStatements()).toHaveLength(2);
    expect(data._entities[0]?.few).toHaveLength(2);
    expect(data._entities[0]?.more).toHaveLength(5);
  });

  it('are none for ids that can’t exist', async () => {
    const { data } = await posts.ask({
      query:
        'query ($r: [_Any!]!) { post(id: "unknown") { id } _entities(representations: $r) { ... on User { posts { id } } } }',
      variables: { r: [{ __typename: 'User', id: 'unknown' }] },
    });
    expect(data).toEqual({ post: null, _entities: [{ posts: [] }] });
    expect(posts.takeStatements()).toEqual([]);
  });
});

describe('demo data', () => {
  it('fills an empty table alone', async () => {
    await createPostStore(posts.pool).seed(demo.map((post) => ({ ...post, title: 'again' })));
    expect((await posts.pool.query('SELECT FROM post WHERE title = $1', ['again'])).rowCount).toBe(0);
    expect((await posts.pool.query('SELECT FROM post')).rowCount).toBe(demo.length);
  });
});
