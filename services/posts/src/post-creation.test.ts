import { inTransaction } from '@trellis/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishDuePosts } from './post-writer.ts';
import {
  administrator,
  client,
  codes,
  editor,
  idOf,
  otherEditor,
  TestPosts,
  callerWith,
  viewer,
} from './testing/test-posts.ts';

let posts: TestPosts;

beforeAll(async () => {
  posts = await TestPosts.start();
});
beforeEach(() => posts.empty());
afterAll(() => posts.close());

it('L7: a context that may only read writes nothing, past the gateway as well', async () => {
  const { errors } = await posts.create({ title: 'T', body: 'B' }, { ...editor, scopes: ['read:data'] });
  expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['FORBIDDEN']);
  expect((await posts.pool.query('SELECT FROM post')).rowCount).toBe(0);
});

describe('Mutation.createPost', () => {
  it('makes a post that is published at once', async () => {
    const before = Date.now();
    const metadata = { series: 'x', parts: [1, null, { deep: true }] };
    const { result, errors } = await posts.create({
      title: 'Title',
      body: 'One.\n\nTwo.',
      tags: ['b', 'a', 'b'],
      metadata,
    });
    expect(errors).toEqual([]);
    expect(result).toMatchObject({
      success: true,
      errors: [],
      post: {
        title: 'Title',
        body: 'One.\n\nTwo.',
        tags: ['b', 'a'],
        metadata,
        published: true,
        author: { id: idOf(editor) },
      },
    });
    expect(Date.parse(result?.post.createdAt ?? '')).toBeGreaterThanOrEqual(before);
    expect(result?.post.updatedAt).toBe(result?.post.createdAt);
  });

  it.each([
    ['past', -60_000],
    ['present', 0],
  ])('publishes at once with a publishedAt in the %s', async (_name, offsetMs) => {
    const post = await posts.createdPost({ publishedAt: new Date(Date.now() + offsetMs).toISOString() });
    expect(post.published).toBe(true);
  });

  it('keeps a post with a publishedAt in the future a draft until then', async () => {
    const post = await posts.createdPost({ publishedAt: new Date(Date.now() + 60_000).toISOString() });
    expect(post.published).toBe(false);
    expect(await inTransaction(posts.pool, (transaction) => publishDuePosts(transaction, 10))).toBe(0);
    await posts.pool.query("UPDATE post SET publish_at = now() - interval '1 second'");
    const racing = [1, 2, 3].map(() =>
      inTransaction(posts.pool, (transaction) => publishDuePosts(transaction, 10)),
    );
    expect((await Promise.all(racing)).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    expect(await posts.stored(post.id)).toMatchObject({ published: true, publish_at: null });
    expect((await posts.events()).map(({ type, payload }) => [type, payload['announced']])).toEqual([
      ['post.saved', false],
      ['post.saved', true],
    ]);
  });

  it('takes null for absent where it may be absent', async () => {
    expect(await posts.createdPost({ tags: null, publishedAt: null, metadata: null })).toMatchObject({
      tags: [],
      metadata: null,
      published: true,
    });
  });

  it.each([
    ['title', { title: '' }],
    ['title', { title: ' \n ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['title', { title: 'two\nlines' }],
    ['title', { title: 'zero\u0000' }],
    ['body', { body: '' }],
    ['body', { body: 'x'.repeat(100_001) }],
    ['body', { body: 'half \ud83d' }],
    ['tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ['tags', { tags: ['ok', ''] }],
    ['tags', { tags: ['x'.repeat(51)] }],
    ['metadata', { metadata: 'x'.repeat(16_384) }],
    ['metadata', { metadata: { a: '\u0000' } }],
    ['metadata', { metadata: JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown }],
    ['publishedAt', { publishedAt: 'tomorrow' }],
  ])('rejects a %s that is not acceptable as BAD_USER_INPUT and names it (%#)', async (field, wrong) => {
    const { result, errors } = await posts.create({ title: 'T', body: 'B', ...wrong });
    expect(result).toBeUndefined();
    expect(
      errors.map(({ extensions }) => [extensions['code'], extensions['field'], 'invalidValue' in extensions]),
    ).toEqual([['BAD_USER_INPUT', `input.${field}`, true]]);
    expect([await posts.countPosts(), await posts.events()]).toEqual([0, []]);
  });

  it.each(['authorId', 'id', 'createdAt', 'published', 'role', '__proto__'])(
    'S-098 has no field %s to be set by',
    async (name) => {
      const input = JSON.parse(`{"title":"T","body":"B","${name}":"x"}`) as object;
      expect(codes((await posts.create(input)).errors)).toEqual(['BAD_USER_INPUT']);
      expect(await posts.countPosts()).toBe(0);
    },
  );

  it('S-099 stores what looks like SQL as it is', async () => {
    const title = `'); DROP TABLE post; -- $1 \\ %s`;
    expect(await posts.createdPost({ title })).toMatchObject({ title });
  });

  it.each([
    ['a viewer', viewer, 'FORBIDDEN'],
    ['a client that acts for itself', client, 'FORBIDDEN'],
    ['an anonymous caller', { scopes: [] }, 'UNAUTHENTICATED'],
    ['another issuer’s subject', callerWith('EDITOR', 'auth0|1'), 'FORBIDDEN'],
  ])('is not for %s', async (_name, as, code) => {
    expect(codes((await posts.create({ title: 'T', body: 'B' }, as)).errors)).toEqual([code]);
    expect(await posts.countPosts()).toBe(0);
  });

  it('S-098 takes the author from the token alone', async () => {
    const post = await posts.createdPost({}, administrator);
    expect(await posts.stored(post.id)).toMatchObject({ author_id: idOf(administrator) });
  });

  it('shows the post there is when the same author submits the same words again', async () => {
    const words = { title: 'Same', body: 'Words' };
    const first = await posts.create(words);
    const second = await posts.create({ ...words, tags: ['other'] });
    expect(second.result).toMatchObject({
      success: false,
      errors: [{ code: 'DUPLICATE_POST', field: 'input' }],
    });
    expect(second.result?.post).toEqual(first.result?.post);
    expect([await posts.countPosts(), (await posts.events()).length]).toEqual([1, 1]);
  });

  it('lets others use the same words, and the author too once the post is gone or says something else', async () => {
    const words = { title: 'Same', body: 'Words' };
    const first = await posts.createdPost(words);
    expect((await posts.create(words, otherEditor)).result?.success).toBe(true);
    await posts.update(first.id, { title: 'Other' });
    const second = await posts.create(words);
    expect(second.result?.success).toBe(true);
    await posts.remove(second.result?.post.id ?? '');
    expect((await posts.create(words)).result?.success).toBe(true);
  });

  it('makes one post of the same words sent twenty times at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => posts.create({ title: 'Same', body: 'Words' })),
    );
    expect(results.filter(({ result }) => result?.success)).toHaveLength(1);
    expect(new Set(results.map(({ result }) => result?.post.id)).size).toBe(1);
    expect(await posts.countPosts()).toBe(1);
  });

  it('publishes in the same transaction, or does nothing at all', async () => {
    await posts.pool.query('ALTER TABLE outbox ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    expect(codes((await posts.create({ title: 'T', body: 'B' })).errors)).toEqual(['INTERNAL_SERVER_ERROR']);
    await posts.pool.query('ALTER TABLE outbox DROP CONSTRAINT full_disk');
    expect(await posts.countPosts()).toBe(0);
    const post = await posts.createdPost({ title: 'T', tags: ['a'] });
    expect(await posts.events()).toEqual([
      {
        type: 'post.saved',
        subject: post.id,
        payload: {
          id: post.id,
          authorId: idOf(editor),
          title: 'T',
          body: 'B',
          tags: ['a'],
          published: true,
          announced: true,
        },
      },
    ]);
  });
});
