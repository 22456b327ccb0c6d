import { inTransaction, queryChecked } from '@trellis/postgres';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type ResponseError, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishDuePosts } from './post-writer.ts';
import { buildServer } from './server.ts';

const user = (role: Role, id = createId()): UserContext => ({
  user: { id, roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const idOf = (context: UserContext): string => context.user?.id ?? '';
const editor = user('EDITOR');
const otherEditor = user('EDITOR');
const administrator = user('ADMIN');
const viewer = user('VIEWER');
/** Wrote as an editor, and is one no more. */
const formerEditor = user('VIEWER', idOf(editor));
const client: UserContext = { clientId: 'robot', scopes: ['write:data'] };

let posts: TestSubgraph;
beforeAll(async () => {
  posts = await startTestSubgraph({
    service: 'posts',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
});
beforeEach(() => posts.pool.query('TRUNCATE post, outbox, idempotent_answer'));
afterAll(() => posts.close());

const POST = 'id title body tags metadata published createdAt updatedAt author { id }';
interface Post {
  readonly id: string;
  readonly title: string;
  readonly published: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}
interface Created {
  readonly post: Post;
  readonly success: boolean;
  readonly errors: readonly object[];
}
interface Retry {
  readonly idempotencyKey?: string;
}

async function create(input: object, as = editor, retry: Retry = {}) {
  const { data, errors } = await posts.ask<{ createPost: Created } | null>({
    query: `mutation ($input: CreatePostInput!) { createPost(input: $input)
      { success errors { field message code } post { ${POST} } } }`,
    variables: { input },
    as,
    ...retry,
  });
  return { result: data?.createPost, errors };
}

async function createdPost(input: object = {}, as = editor): Promise<Post> {
  const { result, errors } = await create({ title: `T ${createId()}`, body: 'B', ...input }, as);
  expect(errors).toEqual([]);
  return result?.post as Post;
}

async function update(id: string, input: object, as = editor, retry: Retry = {}) {
  const { data, errors } = await posts.ask<{ updatePost: Post | null }>({
    query: `mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { ${POST} } }`,
    variables: { id, input },
    as,
    ...retry,
  });
  return { post: data?.updatePost, errors };
}

async function remove(id: string, as = editor, retry: Retry = {}) {
  const query = 'mutation ($id: ID!) { deletePost(id: $id) }';
  const { data, errors } = await posts.ask<{ deletePost: boolean } | null>({
    query,
    variables: { id },
    as,
    ...retry,
  });
  return { deleted: data?.deletePost, errors };
}

const codes = (errors: readonly ResponseError[]) => errors.map(({ extensions }) => extensions['code']);
const countPosts = async () => (await posts.pool.query('SELECT FROM post')).rowCount;
const events = async () => {
  const columns = { type: 'text', subject: 'uuid', payload: 'json' } as const;
  const list = 'SELECT type, subject, payload FROM outbox ORDER BY position';
  const rows = await queryChecked(posts.pool, columns, list);
  return rows.map((row) => ({ ...row, payload: row.payload as Record<string, unknown> })); // of our own events
};
const stored = async (id: string) =>
  (await posts.pool.query('SELECT * FROM post WHERE id = $1', [id])).rows[0] as
    Record<string, unknown> | undefined;

it('L7: a context that may only read writes nothing, past the gateway as well', async () => {
  const { errors } = await create({ title: 'T', body: 'B' }, { ...editor, scopes: ['read:data'] });
  expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['FORBIDDEN']);
  expect((await posts.pool.query('SELECT FROM post')).rowCount).toBe(0);
});

describe('Mutation.createPost', () => {
  it('makes a post that is published at once', async () => {
    const before = Date.now();
    const metadata = { series: 'x', parts: [1, null, { deep: true }] };
    const { result, errors } = await create({
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
    const post = await createdPost({ publishedAt: new Date(Date.now() + offsetMs).toISOString() });
    expect(post.published).toBe(true);
  });

  it('keeps a post with a publishedAt in the future a draft until then', async () => {
    const post = await createdPost({ publishedAt: new Date(Date.now() + 60_000).toISOString() });
    expect(post.published).toBe(false);
    expect(await inTransaction(posts.pool, (transaction) => publishDuePosts(transaction, 10))).toBe(0);
    await posts.pool.query("UPDATE post SET publish_at = now() - interval '1 second'");
    const racing = [1, 2, 3].map(() =>
      inTransaction(posts.pool, (transaction) => publishDuePosts(transaction, 10)),
    );
    expect((await Promise.all(racing)).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    expect(await stored(post.id)).toMatchObject({ published: true, publish_at: null });
    expect((await events()).map(({ type, payload }) => [type, payload['announced']])).toEqual([
      ['post.saved', false],
      ['post.saved', true],
    ]);
  });

  it('takes null for absent where it may be absent', async () => {
    expect(await createdPost({ tags: null, publishedAt: null, metadata: null })).toMatchObject({
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
    const { result, errors } = await create({ title: 'T', body: 'B', ...wrong });
    expect(result).toBeUndefined();
    expect(
      errors.map(({ extensions }) => [extensions['code'], extensions['field'], 'invalidValue' in extensions]),
    ).toEqual([['BAD_USER_INPUT', `input.${field}`, true]]);
    expect([await countPosts(), await events()]).toEqual([0, []]);
  });

  it.each(['authorId', 'id', 'createdAt', 'published', 'role', '__proto__'])(
    'S-098 has no field %s to be set by',
    async (name) => {
      const input = JSON.parse(`{"title":"T","body":"B","${name}":"x"}`) as object;
      expect(codes((await create(input)).errors)).toEqual(['BAD_USER_INPUT']);
      expect(await countPosts()).toBe(0);
    },
  );

  it('S-099 stores what looks like SQL as it is', async () => {
    const title = `'); DROP TABLE post; -- $1 \\ %s`;
    expect(await createdPost({ title })).toMatchObject({ title });
  });

  it.each([
    ['a viewer', viewer, 'FORBIDDEN'],
    ['a client that acts for itself', client, 'FORBIDDEN'],
    ['an anonymous caller', { scopes: [] }, 'UNAUTHENTICATED'],
    ['another issuer’s subject', user('EDITOR', 'auth0|1'), 'FORBIDDEN'],
  ])('is not for %s', async (_name, as, code) => {
    expect(codes((await create({ title: 'T', body: 'B' }, as)).errors)).toEqual([code]);
    expect(await countPosts()).toBe(0);
  });

  it('S-098 takes the author from the token alone', async () => {
    const post = await createdPost({}, administrator);
    expect(await stored(post.id)).toMatchObject({ author_id: idOf(administrator) });
  });

  it('shows the post there is when the same author submits the same words again', async () => {
    const words = { title: 'Same', body: 'Words' };
    const first = await create(words);
    const second = await create({ ...words, tags: ['other'] });
    expect(second.result).toMatchObject({
      success: false,
      errors: [{ code: 'DUPLICATE_POST', field: 'input' }],
    });
    expect(second.result?.post).toEqual(first.result?.post);
    expect([await countPosts(), (await events()).length]).toEqual([1, 1]);
  });

  it('lets others use the same words, and the author too once the post is gone or says something else', async () => {
    const words = { title: 'Same', body: 'Words' };
    const first = await createdPost(words);
    expect((await create(words, otherEditor)).result?.success).toBe(true);
    await update(first.id, { title: 'Other' });
    const second = await create(words);
    expect(second.result?.success).toBe(true);
    await remove(second.result?.post.id ?? '');
    expect((await create(words)).result?.success).toBe(true);
  });

  it('makes one post of the same words sent twenty times at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => create({ title: 'Same', body: 'Words' })),
    );
    expect(results.filter(({ result }) => result?.success)).toHaveLength(1);
    expect(new Set(results.map(({ result }) => result?.post.id)).size).toBe(1);
    expect(await countPosts()).toBe(1);
  });

  it('publishes in the same transaction, or does nothing at all', async () => {
    await posts.pool.query('ALTER TABLE outbox ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    expect(codes((await create({ title: 'T', body: 'B' })).errors)).toEqual(['INTERNAL_SERVER_ERROR']);
    await posts.pool.query('ALTER TABLE outbox DROP CONSTRAINT full_disk');
    expect(await countPosts()).toBe(0);
    const post = await createdPost({ title: 'T', tags: ['a'] });
    expect(await events()).toEqual([
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

describe('Mutation.updatePost', () => {
  it('changes what is given and leaves the rest', async () => {
    const before = await createdPost({ tags: ['a'], metadata: { x: 1 } });
    const { post } = await update(before.id, { title: 'New' });
    expect(post).toEqual({ ...before, title: 'New', updatedAt: post?.updatedAt });
    expect(Date.parse(post?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before.updatedAt));
  });

  it('replaces tags, and removes metadata with null', async () => {
    const before = await createdPost({ tags: ['a'], metadata: { x: 1 } });
    expect((await update(before.id, { tags: [], metadata: null })).post).toMatchObject({
      tags: [],
      metadata: null,
    });
  });

  it('leaves updatedAt alone and publishes nothing when nothing changes', async () => {
    const before = await createdPost({ metadata: { b: 1, a: [2] } });
    expect((await update(before.id, { title: before.title, metadata: { a: [2], b: 1 } })).post).toEqual(
      before,
    );
    expect((await update(before.id, {})).post).toEqual(before);
    expect(await events()).toHaveLength(1);
  });

  it.each(['title', 'body', 'tags', 'published', 'expectedUpdatedAt'])(
    'rejects null for %s',
    async (field) => {
      const before = await createdPost();
      const { post, errors } = await update(before.id, { [field]: null });
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
      const before = await createdPost();
      expect(codes((await update(before.id, input)).errors)).toEqual(['BAD_USER_INPUT']);
      expect(await stored(before.id)).toMatchObject({ title: before.title });
    },
  );

  it('publishes and unpublishes, and announces the former each time', async () => {
    const { id } = await createdPost();
    expect((await update(id, { published: false })).post?.published).toBe(false);
    expect((await update(id, { published: true })).post?.published).toBe(true);
    await update(id, { title: 'Still published' });
    expect((await events()).map(({ payload }) => payload['announced'])).toEqual([true, false, true, false]);
  });

  it('calls a planned publication off by either value, and by nothing else', async () => {
    const planned = { publishedAt: new Date(Date.now() + 60_000).toISOString() };
    const { id } = await createdPost(planned);
    await update(id, { title: 'Changed' });
    expect(await stored(id)).toMatchObject({ publish_at: expect.any(Date) as unknown });
    await update(id, { published: false });
    expect(await stored(id)).toMatchObject({ published: false, publish_at: null });
    const other = await createdPost(planned);
    await update(other.id, { published: true });
    expect(await stored(other.id)).toMatchObject({ published: true, publish_at: null });
  });

  describe('optimistic concurrency', () => {
    it('rejects a stale version and does nothing', async () => {
      const before = await createdPost();
      await update(before.id, { title: 'First' });
      const { post, errors } = await update(before.id, {
        title: 'Second',
        expectedUpdatedAt: before.updatedAt,
      });
      expect(post).toBeNull();
      expect(errors[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.expectedUpdatedAt',
        invalidValue: before.updatedAt,
      });
      expect(await stored(before.id)).toMatchObject({ title: 'First' });
    });

    it('loses no update of 16 concurrent editors', async () => {
      const { id } = await createdPost({ body: '0' });
      const addOne = async (): Promise<void> => {
        const { data } = await posts.ask<{ post: { body: string; updatedAt: string } }>({
          query: `{ post(id: "${id}") { body updatedAt } }`,
        });
        const input = { body: String(Number(data.post.body) + 1), expectedUpdatedAt: data.post.updatedAt };
        const { errors } = await update(id, input, otherEditor);
        if (errors.length > 0) await addOne();
      };
      await Promise.all(Array.from({ length: 16 }, addOne));
      expect(await stored(id)).toMatchObject({ body: '16' });
    });

    it('lets updatedAt rise with every change, however fast', async () => {
      const { id, updatedAt } = await createdPost();
      await posts.pool.query("UPDATE post SET updated_at = now() + interval '1 hour' WHERE id = $1", [id]);
      const times = [updatedAt];
      for (let round = 0; round < 5; round += 1)
        times.push((await update(id, { title: `T${round}` })).post?.updatedAt ?? '');
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
      const { id, title } = await createdPost({ title: 'Before' });
      await update(id, { published: isPublished });
      const { post, errors } = await update(id, { title: 'After' }, as);
      const expected = { done: ['After'], absent: [undefined] }[outcome] ?? [undefined, outcome];
      expect([post?.title, ...codes(errors)]).toEqual(expected);
      expect(await stored(id)).toMatchObject({ title: outcome === 'done' ? 'After' : title });
    });

    it(`deletePost: ${outcome}`, async () => {
      const { id } = await createdPost();
      await update(id, { published: isPublished });
      const { deleted, errors } = await remove(id, as);
      const expected = { done: [true], absent: [false] }[outcome] ?? [undefined, outcome];
      expect([deleted, ...codes(errors)]).toEqual(expected);
      expect((await stored(id)) === undefined).toBe(outcome === 'done');
    });
  });
});

describe('unknown and malformed ids', () => {
  it.each([createId(), 'nonsense', '', "' OR true --", '\u0000'])('%j is no post', async (id) => {
    await createdPost();
    expect(await update(id, { title: 'X' })).toEqual({ post: null, errors: [] });
    expect(await remove(id)).toEqual({ deleted: false, errors: [] });
    expect([await countPosts(), (await events()).length]).toEqual([1, 1]);
  });
});

describe('Mutation.deletePost', () => {
  it('deletes once, and publishes it', async () => {
    const { id } = await createdPost();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => remove(id, otherEditor)));
    expect(outcomes.filter(({ deleted }) => deleted)).toHaveLength(1);
    expect((await events()).at(-1)).toEqual({ type: 'post.deleted', subject: id, payload: { id } });
    expect(await events()).toHaveLength(2);
  });
});

describe('updatePost and deletePost at the same time', () => {
  it('happen one after the other, and nothing is half done', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await createdPost();
      const [updated, removed] = await Promise.all([update(id, { title: 'Changed' }), remove(id)]);
      expect(removed.deleted).toBe(true);
      const published = (await events()).filter(({ subject }) => subject === id);
      expect(published.map(({ type }) => type)).toEqual([
        'post.saved',
        ...(updated.post ? ['post.saved'] : []),
        'post.deleted',
      ]);
      expect(await stored(id)).toBeUndefined();
    }
  });

  it.each(["'); DROP TABLE post --", '$1', '{"$gt": ""}', '${process.env}'])(
    'S-099 an update stores %j as it is',
    async (text) => {
      const { id } = await createdPost();
      const { post } = await update(id, {
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
    const { id } = await createdPost({ title: 'First', body: 'Other words' });
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
    const { id } = await createdPost();
    const { data, errors } = await posts.ask({
      query: `mutation { a: updatePost(id: "${id}", input: { title: "" }) { id } b: updatePost(id: "${id}", input: { title: "B" }) { title } }`,
      as: editor,
    });
    expect(data).toEqual({ a: null, b: { title: 'B' } });
    expect(errors.map(({ path }) => path)).toEqual([['a']]);
  });
});

describe('idempotency keys', () => {
  const input = { title: 'Once', body: 'Only' };
  const key = { idempotencyKey: 'k-1' };

  it('give the same response again, without doing it again', async () => {
    const first = await create(input, editor, key);
    expect(await create(input, editor, key)).toEqual(first);
    expect(first.result?.success).toBe(true);
    expect(await events()).toHaveLength(1);
  });

  it('hold for every mutation, and for responses of every kind', async () => {
    const { id } = await createdPost();
    const once = { idempotencyKey: 'k-2' };
    const updated = await update(id, { title: 'U' }, editor, once);
    await update(id, { title: 'V' });
    expect(await update(id, { title: 'U' }, editor, once)).toEqual(updated);
    expect(await stored(id)).toMatchObject({ title: 'V' });
    const gone = { idempotencyKey: 'k-3' };
    expect(await remove(id, editor, gone)).toEqual(await remove(id, editor, gone));
    expect(await update(id, {}, editor, { idempotencyKey: 'k-4' })).toEqual(
      await update(id, {}, editor, { idempotencyKey: 'k-4' }),
    );
  });

  it('let one of fifty concurrent retries work, and all of them see its response', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => create(input, editor, key)));
    expect(new Set(responses.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(responses[0]?.result?.success).toBe(true);
    expect(await events()).toHaveLength(1);
  });

  it('are BAD_USER_INPUT with other arguments', async () => {
    await create(input, editor, key);
    const { errors } = await create({ ...input, title: 'Other' }, editor, key);
    expect(errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'Idempotency-Key',
      invalidValue: 'k-1',
    });
    expect(await countPosts()).toBe(1);
  });

  it('of different users have nothing to do with one another', async () => {
    await create(input, editor, key);
    expect((await create(input, otherEditor, key)).result?.success).toBe(true);
  });

  it('count each field of a request for itself', async () => {
    const query = `mutation { a: createPost(input: { title: "A", body: "x" }) { post { title } }
      b: createPost(input: { title: "B", body: "x" }) { post { title } } }`;
    const first = await posts.ask({ query, as: editor, ...key });
    expect(await posts.ask({ query, as: editor, ...key })).toEqual(first);
    expect(await countPosts()).toBe(2);
  });

  it('are free again after a failure', async () => {
    expect(codes((await create({ ...input, title: '' }, editor, key)).errors)).toEqual(['BAD_USER_INPUT']);
    expect(codes((await update(createId(), { published: true }, client, key)).errors)).toEqual(['FORBIDDEN']);
    expect((await create(input, editor, key)).result?.success).toBe(true);
  });

  it('are stored for a day', async () => {
    await create(input, editor, key);
    await posts.pool.query("UPDATE idempotent_answer SET created_at = now() - interval '25 hours'");
    expect((await create({ ...input, title: 'Next day' }, editor, key)).result?.success).toBe(true);
  });

  it.each(['', 'a b', 'x'.repeat(256)])('reject %j', async (idempotencyKey) => {
    const { errors } = await create(input, editor, { idempotencyKey });
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'Idempotency-Key' });
  });
});
