import { createDemoContent } from '@trellis/demo-data';
import { inTransaction } from '@trellis/postgres';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCommentStore } from './comment-store.ts';
import { createKnownPostStore } from './known-post-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().comments;
const newestFirst = demo.toReversed();
const mostFrequent = (ids: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
};
const hot = mostFrequent(demo.map(({ postId }) => postId));
const talker = mostFrequent(demo.map(({ authorId }) => authorId));
const POST_AUTHOR = '01941f29-7c00-7a00-8000-00000000aaaa';
/** A post that the talker has commented on, and that has been hidden since. */
const hidden = newestFirst.find(({ authorId }) => authorId === talker)?.postId ?? '';

const someone: UserContext = { scopes: ['read:data'] };
const authorOfPosts: UserContext = {
  user: { id: POST_AUTHOR, roles: ['VIEWER'], tokenIssuedAt: 1 },
  scopes: ['read:data'],
};

let comments: TestSubgraph;
beforeAll(async () => {
  comments = await startTestSubgraph({
    service: 'comments',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, posts: undefined }),
  });
  await createCommentStore(comments.pool).seed(demo);
  const posts = [...new Set(demo.map(({ postId }) => postId))].map((id) => ({
    id,
    authorId: POST_AUTHOR,
    published: id !== hidden,
  }));
  await inTransaction(comments.pool, (transaction) =>
    createKnownPostStore(comments.pool).save(transaction, posts),
  );
});
beforeEach(() => void comments.takeStatements());
afterAll(() => comments.close());

interface CommentConnection {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}
const FIELDS = 'nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

const askFor = (type: 'Post' | 'User', ids: readonly string[], fields: string, as: UserContext) =>
  comments.ask<{ _entities: ({ commentsConnection: CommentConnection } | null)[] }>({
    query: `query ($r: [_Any!]!) { _entities(representations: $r) { ... on ${type} { ${fields} } } }`,
    variables: {
      r: ids.map((id) => ({ __typename: type, id, ...(type === 'Post' && { published: true }) })),
    },
    as,
  });

async function page(
  type: 'Post' | 'User',
  id: string,
  args: string,
  as = someone,
): Promise<CommentConnection> {
  const { data } = await askFor(type, [id], `commentsConnection(${args}) { ${FIELDS} }`, as);
  return data._entities[0]?.commentsConnection as CommentConnection;
}

type Ask = (args: string) => Promise<CommentConnection>;

async function walk(ask: Ask, count: number, backward: boolean): Promise<readonly string[]> {
  const pages: string[][] = [];
  for (let cursor = '', more = true; more;) {
    const { nodes, pageInfo } = await ask(`${backward ? 'last' : 'first'}: ${count}${cursor}`);
    pages.push(nodes.map(({ id }) => id));
    cursor = backward ? `, before: "${pageInfo.startCursor}"` : `, after: "${pageInfo.endCursor}"`;
    more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
  }
  return (backward ? pages.toReversed() : pages).flat();
}

describe.each([
  ['forward', false],
  ['backward', true],
])('A4: comments page by page, %s', (_way, backward) => {
  it('of a post are each met once', async () => {
    const expected = newestFirst.filter(({ postId }) => postId === hot).map(({ id }) => id);
    expect(await walk((args) => page('Post', hot, args), 4, backward)).toEqual(expected);
  });

  it.each([
    ['anybody', someone],
    ['those who may see the hidden post', authorOfPosts],
  ])(
    'of a user are each met once by %s, those on hidden posts only by those who see these',
    async (_who, as) => {
      const expected = newestFirst
        .filter(({ authorId, postId }) => authorId === talker && (postId !== hidden || as === authorOfPosts))
        .map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(3);
      expect(await walk((args) => page('User', talker, args, as), 3, backward)).toEqual(expected);
    },
  );
});

describe('A4: a page of comments', () => {
  it('is one statement for many posts, and one for many users', async () => {
    const posts = [...new Set(demo.map(({ postId }) => postId))].filter((id) => id !== hidden);
    const fields = `few: commentsConnection(first: 2) { ${FIELDS} } comments(limit: 5) { id }`;
    expect((await askFor('Post', posts, fields, someone)).errors).toEqual([]);
    expect(comments.takeStatements()).toHaveLength(1);
    const users = [...new Set(demo.map(({ authorId }) => authorId))];
    expect(
      (await askFor('User', users, `commentsConnection(last: 2) { ${FIELDS} }`, someone)).errors,
    ).toEqual([]);
    expect(comments.takeStatements()).toHaveLength(1);
  });

  it.each(['first: 101', 'last: -1', 'after: "x"', 'before: "x"', 'first: 1, last: 1'])(
    'S-099 (%s) is BAD_USER_INPUT',
    async (args) => {
      const codes = await Promise.all(
        (['Post', 'User'] as const).map(async (type) => {
          const { errors } = await askFor(
            type,
            [hot],
            `commentsConnection(${args}) { nodes { id } }`,
            someone,
          );
          return errors.map(({ extensions }) => extensions['code']);
        }),
      );
      expect(codes).toEqual([['BAD_USER_INPUT'], ['BAD_USER_INPUT']]);
    },
  );

  it('is not for references that the posts subgraph has not shown', async () => {
    const { errors } = await comments.ask({
      query:
        'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Post { commentsConnection { nodes { id } } } } }',
      variables: { r: [{ __typename: 'Post', id: hot }] },
    });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['INTERNAL_SERVER_ERROR']);
    expect((await page('Post', hidden, 'first: 3')).nodes).toEqual([]);
  });

  it('is empty of an unknown user', async () => {
    for (const id of ['unknown', '01941f29-7c00-7a00-8000-00000000ffff'])
      expect((await page('User', id, 'first: 3')).nodes).toEqual([]);
  });
});
