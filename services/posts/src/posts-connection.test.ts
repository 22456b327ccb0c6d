import { createDemoContent, demoAccounts } from '@trellis/demo-data';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostStore } from './post-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().posts;
const newestFirst = demo.toReversed();
const [ada, ed, vi] = demoAccounts.map(({ id }) => id) as [string, string, string];

const user = (id: string, role: Role): UserContext => ({
  user: { id, roles: [role], tokenIssuedAt: 1 },
  scopes: ['read:data'],
});
const viewer = user(vi, 'VIEWER');
const editor = user(ed, 'EDITOR');
/** Wrote posts as an editor and is one no more. */
const author = user(ed, 'VIEWER');

const visibleTo = (as: UserContext) =>
  newestFirst.filter((post) => post.published || as === editor || post.authorId === as.user?.id);
const idsOf = (items: readonly { readonly id: string }[]): readonly string[] => items.map(({ id }) => id);

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

interface PostConnection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}
const FIELDS =
  'edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

async function ofAll(args: string, as: UserContext = viewer): Promise<PostConnection> {
  const query = `{ postsConnection(${args}) { ${FIELDS} } }`;
  return (await posts.ask<{ postsConnection: PostConnection }>({ query, as })).data.postsConnection;
}

async function ofAuthor(id: string, args: string, as: UserContext = viewer): Promise<PostConnection> {
  const { data } = await posts.ask<{ _entities: { postsConnection: PostConnection }[] }>({
    query: `query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { postsConnection(${args}) { ${FIELDS} } } } }`,
    variables: { r: [{ __typename: 'User', id }] },
    as,
  });
  const [found] = data._entities;
  if (!found) throw new Error('The reference was not answered.');
  return found.postsConnection;
}

type Ask = (args: string) => Promise<PostConnection>;

async function walkForward(ask: Ask, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = '', more = true; more;) {
    const { nodes, pageInfo } = await ask(`first: ${count}${after}`);
    ids.push(...idsOf(nodes));
    [after, more] = [`, after: "${pageInfo.endCursor}"`, pageInfo.hasNextPage];
  }
  return ids;
}

async function walkBackward(ask: Ask, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let before = '', more = true; more;) {
    const { nodes, pageInfo } = await ask(`last: ${count}${before}`);
    ids.unshift(...idsOf(nodes));
    [before, more] = [`, before: "${pageInfo.startCursor}"`, pageInfo.hasPreviousPage];
  }
  return ids;
}

describe.each([
  ['a viewer', viewer],
  ['an author who is no editor any more', author],
  ['an editor', editor],
])('A4: posts page by page, seen by %s', (_who, as) => {
  const visible = visibleTo(as);

  it('are each met once, forward and backward, drafts as lists have them', async () => {
    expect(await walkForward((args) => ofAll(args, as), 70)).toEqual(idsOf(visible));
    expect(await walkBackward((args) => ofAll(args, as), 70)).toEqual(idsOf(visible));
  });

  it.each([ada, ed])('are those of their author', async (id) => {
    const expected = idsOf(visible.filter(({ authorId }) => authorId === id));
    expect(await walkForward((args) => ofAuthor(id, args, as), 7)).toEqual(expected);
    expect(await walkBackward((args) => ofAuthor(id, args, as), 7)).toEqual(expected);
  });
});

describe('A4: a page of posts', () => {
  const [first, second, third, fourth] = idsOf(visibleTo(viewer)) as [string, string, string, string];

  it('lies between its cursors, which are those of the list', async () => {
    expect(await ofAll(`last: 5, after: "${first}", before: "${fourth}"`)).toEqual({
      edges: [second, third].map((id) => ({ cursor: id, node: { id } })),
      nodes: [{ id: second }, { id: third }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: second, endCursor: third },
    });
  });

  it('has a default size, and can be empty', async () => {
    expect((await ofAll('after: null')).nodes).toHaveLength(20);
    expect((await ofAuthor(ed, 'after: null')).nodes).toHaveLength(10);
    const more = { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null };
    expect(await ofAll('first: 0')).toEqual({ edges: [], nodes: [], pageInfo: more });
  });

  it('is empty of an unknown author, and there is no more', async () => {
    for (const id of ['unknown', '01941f29-7c00-7a00-8000-00000000ffff'])
      expect((await ofAuthor(id, 'first: 3')).pageInfo).toMatchObject({
        hasNextPage: false,
        endCursor: null,
      });
  });

  it.each([
    ['first: -1', 'first', -1],
    ['first: 101', 'first', 101],
    ['last: 101', 'last', 101],
    ['first: 1, last: 1', 'last', 1],
    ['after: "x"', 'after', 'x'],
    ['before: "3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31"', 'before', '3f2b8c1e-9d4a-4b7e-8f10-2a6c5d9e7b31'],
  ])('S-099 (%s) is BAD_USER_INPUT', async (args, field, invalidValue) => {
    const { data, errors } = await posts.ask({
      query: `{ postsConnection(${args}) { nodes { id } } }`,
      as: viewer,
    });
    expect([data, errors.map(({ extensions }) => extensions)]).toEqual([
      null,
      [expect.objectContaining({ code: 'BAD_USER_INPUT', field, invalidValue })],
    ]);
    expect(posts.takeStatements()).toEqual([]);
  });

  it('is one statement, and so are those of many authors beside their lists', async () => {
    await ofAll('first: 100');
    expect(posts.takeStatements()).toHaveLength(1);
    const authors = [...new Set(demo.map(({ authorId }) => authorId))];
    const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on User {
      few: postsConnection(first: 2) { ${FIELDS} } more: postsConnection(first: 5) { ${FIELDS} } posts { id } } } }`;
    const { errors } = await posts.ask({
      query,
      variables: { r: authors.map((id) => ({ __typename: 'User', id })) },
      as: viewer,
    });
    expect([errors, posts.takeStatements().length]).toEqual([[], 1]);
  });
});
