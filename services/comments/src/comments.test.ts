import { createDemoContent } from '@trellis/demo-data';
import { inTransaction } from '@trellis/postgres';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { UserContext } from '@trellis/subgraph-protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCommentLoader } from './comment-loader.ts';
import { createCommentStore } from './comment-store.ts';
import { createKnownPostStore, type PostFacts } from './known-post-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().comments;
const byPost = new Map<string, typeof demo>();
for (const comment of demo.toReversed())
  byPost.set(comment.postId, [...(byPost.get(comment.postId) ?? []), comment]);
const [[hot, hotComments]] = [...byPost].toSorted(([, a], [, b]) => b.length - a.length) as [
  [string, typeof demo],
];
const MISSING = '01941f29-7c00-7a00-8000-00000000ffff';
const AUTHOR = '01941f29-7c00-7a00-8000-00000000aaaa';

/** Saves facts of posts, as their events do. */
async function savePosts(ids: readonly string[], facts: Omit<PostFacts, 'id'>): Promise<void> {
  const posts = ids.map((id) => ({ id, ...facts }));
  await inTransaction(comments.pool, (transaction) =>
    createKnownPostStore(comments.pool).save(transaction, posts),
  );
}

let comments: TestSubgraph;
beforeAll(async () => {
  comments = await startTestSubgraph({
    service: 'comments',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, posts: undefined }),
  });
  await createCommentStore(comments.pool).seed(demo);
  await savePosts([...byPost.keys()], { published: true, authorId: AUTHOR });
});
beforeEach(() => void comments.takeStatements());
afterAll(() => comments.close());

interface Post {
  readonly comments: readonly { readonly id: string }[];
}

/** Asks as the gateway does once posts has resolved the posts for the caller. */
const ask = (
  fields: string,
  ids: readonly string[],
  reference: object = { published: true },
  context?: UserContext,
) =>
  comments.ask<{ _entities: (Post | null)[] }>({
    query: `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Post { ${fields} } } }`,
    variables: { r: ids.map((id) => ({ __typename: 'Post', id, ...reference })) },
    ...(context && { as: context }),
  });

async function listIds(args: string, postId = hot): Promise<readonly string[] | undefined> {
  const { data } = await ask(`comments${args} { id }`, [postId]);
  return data._entities[0]?.comments.map(({ id }) => id);
}

describe('Post.comments', () => {
  it('lists the newest first, ten by default', async () => {
    expect(await listIds('')).toEqual(hotComments.slice(0, 10).map(({ id }) => id));
    expect(await listIds('(limit: null)')).toHaveLength(10);
  });

  it('goes on where the page before ended', async () => {
    const [last] = hotComments.slice(6, 7);
    expect(await listIds(`(limit: 4, after: "${last?.id}")`)).toEqual(
      hotComments.slice(7, 11).map(({ id }) => id),
    );
  });

  it('shows every field of a comment, by interface and by type', async () => {
    const [newest] = hotComments;
    const { data } = await ask(
      'comments(limit: 1) { __typename id body createdAt ... on TextComment { edited author { id } post { id } } }',
      [hot],
    );
    expect(data._entities[0]?.comments).toEqual([
      {
        __typename: 'TextComment',
        id: newest?.id,
        body: newest?.body,
        createdAt: newest?.createdAt.toISOString(),
        edited: newest?.edited,
        author: { id: newest?.authorId },
        post: { id: hot },
      },
    ]);
  });

  it.each([
    ['limit: -1', 'limit', -1],
    ['limit: 101', 'limit', 101],
    ['after: "1; DROP TABLE comment"', 'after', '1; DROP TABLE comment'],
  ])('S-099 rejects (%s) as BAD_USER_INPUT and names it', async (args, field, invalidValue) => {
    const { data, errors } = await ask(`comments(${args}) { id }`, [hot]);
    expect(data._entities).toEqual([null]);
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field, invalidValue });
  });
});

describe('Post.commentCount', () => {
  it('counts, also to zero', async () => {
    const { data } = await ask('commentCount', [hot, MISSING, 'nonsense']);
    expect(data._entities).toEqual([
      { commentCount: hotComments.length },
      { commentCount: 0 },
      { commentCount: 0 },
    ]);
  });
});

describe('drafts', () => {
  it.each(['comments { id }', 'commentCount'])(
    'have no %s for anybody whom the posts subgraph has not shown the post',
    async (field) => {
      const { data, errors } = await ask(field, [hot], {});
      expect(JSON.stringify(data)).not.toMatch(/"id"|\d/);
      expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['INTERNAL_SERVER_ERROR']);
      expect(comments.takeStatements()).toEqual([]);
    },
  );

  it('take more than any value under that name', async () => {
    for (const published of [null, 'true', 1]) {
      expect((await ask('commentCount', [hot], { published })).errors).toHaveLength(1);
    }
  });

  describe('L7: that references call published', () => {
    const fields = 'comments(limit: 1) { id } commentCount';
    const nothing = { comments: [], commentCount: 0 };
    const [newest] = hotComments;
    const everything = { comments: [{ id: newest?.id }], commentCount: hotComments.length };
    const as = (id: string, ...roles: string[]): UserContext => ({
      user: { id, roles, tokenIssuedAt: 1 },
      scopes: ['read:data'],
    });
    beforeEach(() => savePosts([hot], { published: false, authorId: AUTHOR }));
    afterEach(() => savePosts([hot], { published: true, authorId: AUTHOR }));

    it.each<[string, UserContext | undefined, object]>([
      ['an anonymous caller', undefined, nothing],
      ['a user', as(MISSING), nothing],
      ['their author', as(AUTHOR), everything],
      ['an editor', as(MISSING, 'EDITOR'), everything],
    ])('show their comments to those alone who may see them: %s', async (_who, context, expected) => {
      for (const published of [true, false])
        expect((await ask(fields, [hot], { published }, context)).data._entities).toEqual([expected]);
    });

    it('show none when they are deleted, to any caller', async () => {
      await comments.pool.query('UPDATE known_post SET deleted = true WHERE id = $1', [hot]);
      expect((await ask(fields, [hot], { published: true }, as(AUTHOR, 'ADMIN'))).data._entities).toEqual([
        nothing,
      ]);
    });

    it('show their comments as soon as the owner says so, before its event arrives', async () => {
      const facts = { id: hot, authorId: AUTHOR, published: true };
      const asked: string[] = [];
      const find = (id: string): Promise<PostFacts | undefined> => {
        asked.push(id);
        return Promise.resolve(id === hot ? facts : undefined);
      };
      const store = createCommentStore(comments.pool);
      const loader = createCommentLoader({ store, postFinder: { find } }, { userId: null, isEditor: false });
      const page = { count: 2, backward: false, after: undefined, before: undefined };
      expect(await loader.countByPost(hot)).toBe(hotComments.length);
      expect(await loader.listByPost(hot, page)).toHaveLength(2);
      const other = [...byPost.keys()].find((id) => id !== hot) ?? '';
      expect(await loader.countByPost(other)).toBeGreaterThan(0);
      expect(asked).toEqual([hot, hot]); // of the others this service knows itself
    });

    it('show none of an unknown post while the owner can’t be asked', async () => {
      await comments.pool.query('DELETE FROM known_post WHERE id = $1', [hot]);
      expect((await ask(fields, [hot])).data._entities).toEqual([nothing]);
    });
  });
});

describe('statements', () => {
  it('are one for the comments and one for the counts of many posts, whatever their arguments', async () => {
    const ids = [...byPost.keys()];
    const { data, errors } = await ask(
      'few: comments(limit: 1) { id } more: comments(limit: 3) { id } commentCount',
      ids,
    );
    expect(errors).toEqual([]);
    expect(comments.takeStatements()).toHaveLength(2);
    expect(data._entities).toEqual(
      ids.map((id) => ({
        few: byPost
          .get(id)
          ?.slice(0, 1)
          .map((comment) => ({ id: comment.id })),
        more: byPost
          .get(id)
          ?.slice(0, 3)
          .map((comment) => ({ id: comment.id })),
        commentCount: byPost.get(id)?.length,
      })),
    );
  });
});
