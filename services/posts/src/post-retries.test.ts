import { createId } from '@trellis/subgraph-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { client, codes, editor, otherEditor, TestPosts } from './testing/test-posts.ts';

let posts: TestPosts;

beforeAll(async () => {
  posts = await TestPosts.start();
});
beforeEach(() => posts.empty());
afterAll(() => posts.close());

describe('idempotency keys', () => {
  const input = { title: 'Once', body: 'Only' };
  const key = { idempotencyKey: 'k-1' };

  it('give the same response again, without doing it again', async () => {
    const first = await posts.create(input, editor, key);
    expect(await posts.create(input, editor, key)).toEqual(first);
    expect(first.result?.success).toBe(true);
    expect(await posts.events()).toHaveLength(1);
  });

  it('hold for every mutation, and for responses of every kind', async () => {
    const { id } = await posts.createdPost();
    const once = { idempotencyKey: 'k-2' };
    const updated = await posts.update(id, { title: 'U' }, editor, once);
    await posts.update(id, { title: 'V' });
    expect(await posts.update(id, { title: 'U' }, editor, once)).toEqual(updated);
    expect(await posts.stored(id)).toMatchObject({ title: 'V' });
    const gone = { idempotencyKey: 'k-3' };
    expect(await posts.remove(id, editor, gone)).toEqual(await posts.remove(id, editor, gone));
    expect(await posts.update(id, {}, editor, { idempotencyKey: 'k-4' })).toEqual(
      await posts.update(id, {}, editor, { idempotencyKey: 'k-4' }),
    );
  });

  it('let one of fifty concurrent retries work, and all of them see its response', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => posts.create(input, editor, key)));
    expect(new Set(responses.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(responses[0]?.result?.success).toBe(true);
    expect(await posts.events()).toHaveLength(1);
  });

  it('are BAD_USER_INPUT with other arguments', async () => {
    await posts.create(input, editor, key);
    const { errors } = await posts.create({ ...input, title: 'Other' }, editor, key);
    expect(errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'Idempotency-Key',
      invalidValue: 'k-1',
    });
    expect(await posts.countPosts()).toBe(1);
  });

  it('of different users have nothing to do with one another', async () => {
    await posts.create(input, editor, key);
    expect((await posts.create(input, otherEditor, key)).result?.success).toBe(true);
  });

  it('count each field of a request for itself', async () => {
    const query = `mutation { a: createPost(input: { title: "A", body: "x" }) { post { title } }
      b: createPost(input: { title: "B", body: "x" }) { post { title } } }`;
    const first = await posts.ask({ query, as: editor, ...key });
    expect(await posts.ask({ query, as: editor, ...key })).toEqual(first);
    expect(await posts.countPosts()).toBe(2);
  });

  it('are free again after a failure', async () => {
    expect(codes((await posts.create({ ...input, title: '' }, editor, key)).errors)).toEqual([
      'BAD_USER_INPUT',
    ]);
    expect(codes((await posts.update(createId(), { published: true }, client, key)).errors)).toEqual([
      'FORBIDDEN',
    ]);
    expect((await posts.create(input, editor, key)).result?.success).toBe(true);
  });

  it('are stored for a day', async () => {
    await posts.create(input, editor, key);
    await posts.pool.query("UPDATE idempotent_answer SET created_at = now() - interval '25 hours'");
    expect((await posts.create({ ...input, title: 'Next day' }, editor, key)).result?.success).toBe(true);
  });

  it.each(['', 'a b', 'x'.repeat(256)])('reject %j', async (idempotencyKey) => {
    const { errors } = await posts.create(input, editor, { idempotencyKey });
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'Idempotency-Key' });
  });
});
