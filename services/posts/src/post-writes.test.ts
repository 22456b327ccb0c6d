import { createId } from '@trellis/subgraph-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  administrator,
  client,
  codes,
  editor,
  formerEditor,
  otherEditor,
  TestPosts,
  viewer,
} from './testing/test-posts.ts';

let posts: TestPosts;

beforeAll(async () => {
  posts = await TestPosts.start();
});
beforeEach(() => posts.empty());
afterAll(() => posts.close());

describe('Mutation.updatePost', () => {
  it('changes what is given and leaves the rest', async () => {
    const before = await posts.createdPost({ tags: ['a'], metadata: { x: 1 } });
    const { post } = await posts.update(before.id, { title: 'New' });
    expect(post).toEqual({ ...before, title: 'New', updatedAt: post?.updatedAt });
    expect(Date.parse(post?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before.updatedAt));
  });

  it('replaces tags, and removes metadata with null', async () => {
    const before = await posts.createdPost({ tags: ['a'], metadata: { x: 1 } });
    expect((await posts.update(before.id, { tags: [], metadata: null })).post).toMatchObject({
      tags: [],
      metadata: null,
    });
  });

  it('leaves updatedAt alone and publishes nothing when nothing changes', async () => {
    const before = await posts.createdPost({ metadata: { b: 1, a: [2] } });
    expect((await posts.update(before.id, { title: before.title, metadata: { a: [2], b: 1 } })).post).toEqual(
      before,
    );
    expect((await posts.update(before.id, {})).post).toEqual(before);
    expect(await posts.events()).toHaveLength(1);
  });

  it.each(['title', 'body', 'tags', 'published', 'expectedUpdatedAt'])(
    'rejects null for %s',
    async (field) => {
      const before = await posts.createdPost();
      const { post, errors } = await posts.update(before.id, { [field]: null });
      expect(post).toBeNull();
      expect(errors[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: `input.${field}`,
        invalidValue: null,
      });
    },
  );

  it.each([{ title: '' }, { body: ' ' }, { tags: [''] }, { metadata: 'x'.repeat(16_384) }])(
    'rejects what createPost rejects (%#)',
    async (input) => {
      const before = await posts.createdPost();
      expect(codes((await posts.update(before.id, input)).errors)).toEqual(['BAD_USER_INPUT']);
      expect(await posts.stored(before.id)).toMatchObject({ title: before.title });
    },
  );

  it('publishes and unpublishes, and announces the former each time', async () => {
    const { id } = await posts.createdPost();
    expect((await posts.update(id, { published: false })).post?.published).toBe(false);
    expect((await posts.update(id, { published: true })).post?.published).toBe(true);
    await posts.update(id, { title: 'Still published' });
    expect((await posts.events()).map(({ payload }) => payload['announced'])).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('calls a planned publication off by either value, and by nothing else', async () => {
    const planned = { publishedAt: new Date(Date.now() + 60_000).toISOString() };
    const { id } = await posts.createdPost(planned);
    await posts.update(id, { title: 'Changed' });
    expect(await posts.stored(id)).toMatchObject({ publish_at: expect.any(Date) as unknown });
    await posts.update(id, { published: false });
    expect(await posts.stored(id)).toMatchObject({ published: false, publish_at: null });
    const other = await posts.createdPost(planned);
    await posts.update(other.id, { published: true });
    expect(await posts.stored(other.id)).toMatchObject({ published: true, publish_at: null });
  });

  describe('optimistic concurrency', () => {
    it('rejects a stale version and does nothing', async () => {
      const before = await posts.createdPost();
      await posts.update(before.id, { title: 'First' });
      const { post, errors } = await posts.update(before.id, {
        title: 'Second',
        expectedUpdatedAt: before.updatedAt,
      });
      expect(post).toBeNull();
      expect(errors[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.expectedUpdatedAt',
        invalidValue: before.updatedAt,
      });
      expect(await posts.stored(before.id)).toMatchObject({ title: 'First' });
    });

    it('loses no update of 16 concurrent editors', async () => {
      const { id } = await posts.createdPost({ body: '0' });
      const addOne = async (): Promise<void> => {
        const { data } = await posts.ask<{ post: { body: string; updatedAt: string } }>({
          query: `{ post(id: "${id}") { body updatedAt } }`,
        });
        const input = { body: String(Number(data.post.body) + 1), expectedUpdatedAt: data.post.updatedAt };
        const { errors } = await posts.update(id, input, otherEditor);
        if (errors.length > 0) await addOne();
      };
      await Promise.all(Array.from({ length: 16 }, addOne));
      expect(await posts.stored(id)).toMatchObject({ body: '16' });
    });

    it('lets updatedAt rise with every change, however fast', async () => {
      const { id, updatedAt } = await posts.createdPost();
      await posts.pool.query("UPDATE post SET updated_at = now() + interval '1 hour' WHERE id = $1", [id]);
      const times = [updatedAt];
      for (let round = 0; round < 5; round += 1)
        times.push((await posts.update(id, { title: `T${round}` })).post?.updatedAt ?? '');
      expect(times.toSorted()).toEqual(times);
      expect(new Set(times).size).toBe(times.length);
    });
  });
});

describe.each([
  ['its author', editor, 'done', 'done'],
  ['its author, who is no editor any more', formerEditor, 'done', 'done'],
  ['another editor', otherEditor, 'done', 'done'],
  ['an administrator', administrator, 'done', 'done'],
  ['a viewer', viewer, 'FORBIDDEN', 'absent'],
  ['a client that acts for itself', client, 'FORBIDDEN', 'FORBIDDEN'],
  ['an anonymous caller', { scopes: ['write:data'] }, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
])('S-097 a post and %s', (_name, as, published, draft) => {
  describe.each([
    ['published', true, published],
    ['draft', false, draft],
  ])('%s', (_state, isPublished, outcome) => {
    it(`updatePost: ${outcome}`, async () => {
      const { id, title } = await posts.createdPost({ title: 'Before' });
      await posts.update(id, { published: isPublished });
      const { post, errors } = await posts.update(id, { title: 'After' }, as);
      const expected = { done: ['After'], absent: [undefined] }[outcome] ?? [undefined, outcome];
      expect([post?.title, ...codes(errors)]).toEqual(expected);
      expect(await posts.stored(id)).toMatchObject({ title: outcome === 'done' ? 'After' : title });
    });

    it(`deletePost: ${outcome}`, async () => {
      const { id } = await posts.createdPost();
      await posts.update(id, { published: isPublished });
      const { deleted, errors } = await posts.remove(id, as);
      const expected = { done: [true], absent: [false] }[outcome] ?? [undefined, outcome];
      expect([deleted, ...codes(errors)]).toEqual(expected);
      expect((await posts.stored(id)) === undefined).toBe(outcome === 'done');
    });
  });
});

describe('unknown and malformed ids', () => {
  it.each([createId(), 'nonsense', '', "' OR true --", '\u0000'])('%j is no post', async (id) => {
    await posts.createdPost();
    expect(await posts.update(id, { title: 'X' })).toEqual({ post: null, errors: [] });
    expect(await posts.remove(id)).toEqual({ deleted: false, errors: [] });
    expect([await posts.countPosts(), (await posts.events()).length]).toEqual([1, 1]);
  });
});

describe('Mutation.deletePost', () => {
  it('deletes once, and publishes it', async () => {
    const { id } = await posts.createdPost();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => posts.remove(id, otherEditor)));
    expect(outcomes.filter(({ deleted }) => deleted)).toHaveLength(1);
    expect((await posts.events()).at(-1)).toEqual({ type: 'post.deleted', subject: id, payload: { id } });
    expect(await posts.events()).toHaveLength(2);
  });
});

describe('updatePost and deletePost at the same time', () => {
  it('happen one after the other, and nothing is half done', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await posts.createdPost();
      const [updated, removed] = await Promise.all([
        posts.update(id, { title: 'Changed' }),
        posts.remove(id),
      ]);
      expect(removed.deleted).toBe(true);
      const published = (await posts.events()).filter(({ subject }) => subject === id);
      expect(published.map(({ type }) => type)).toEqual([
        'post.saved',
        ...(updated.post ? ['post.saved'] : []),
        'post.deleted',
      ]);
      expect(await posts.stored(id)).toBeUndefined();
    }
  });

  it.each(["'); DROP TABLE post --", '$1', '{"$gt": ""}', '${process.env}'])(
    'S-099 an update stores %j as it is',
    async (text) => {
      const { id } = await posts.createdPost();
      const { post } = await posts.update(id, {
        title: text,
        body: text,
        tags: [text],
        metadata: { [text]: text },
      });
      expect(post).toMatchObject({ title: text, body: text, tags: [text], metadata: { [text]: text } });
    },
  );
});

describe('mutations of one request', () => {
  it('run in order, and each sees what the one before did', async () => {
    const { id } = await posts.createdPost({ title: 'First', body: 'Other words' });
    const { data } = await posts.ask({
      query: `mutation { a: updatePost(id: "${id}", input: { title: "Second" }) { title author { posts { title } } }
        b: updatePost(id: "${id}", input: { title: "Third" }) { title author { posts { title } } }
        c: deletePost(id: "${id}") d: updatePost(id: "${id}", input: {}) { title } }`,
      as: editor,
    });
    expect(data).toEqual({
      a: { title: 'Second', author: { posts: [{ title: 'Second' }] } },
      b: { title: 'Third', author: { posts: [{ title: 'Third' }] } },
      c: true,
      d: null,
    });
  });

  it('fail each for itself', async () => {
    const { id } = await posts.createdPost();
    const { data, errors } = await posts.ask({
      query: `mutation { a: updatePost(id: "${id}", input: { title: "" }) { id } b: updatePost(id: "${id}", input: { title: "B" }) { title } }`,
      as: editor,
    });
    expect(data).toEqual({ a: null, b: { title: 'B' } });
    expect(errors.map(({ path }) => path)).toEqual([['a']]);
  });
});
