import { inTransaction } from '@trellis/postgres';
import {
  type Role,
  ServiceCallFailed,
  type ServiceClient,
  type UserContext,
} from '@trellis/subgraph-protocol';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type ResponseError, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKnownPostStore, type PostFacts } from './known-post-store.ts';
import { createPostEventsHandler } from './post-events-handler.ts';
import { buildServer } from './server.ts';

const user = (role: Role, id = createId()): UserContext => ({
  user: { id, roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const idOf = (context: UserContext): string => context.user?.id ?? '';
const [author, postAuthor, viewer, editor] = [user('VIEWER'), user('VIEWER'), user('VIEWER'), user('EDITOR')];
const robot: UserContext = { clientId: 'robot', scopes: ['write:data'] };
const anonymous: UserContext = { scopes: ['write:data'] };

/** What the posts service would say; filled by each test. */
const atOwner = new Map<string, PostFacts>();
let ownerIsUnavailable = false;
const owner: ServiceClient = {
  get: () => Promise.reject(new Error('not asked for here')),
  post: (_path, body) => {
    if (ownerIsUnavailable) return Promise.reject(new ServiceCallFailed('posts could not be reached.'));
    const { ids } = body as { ids: string[] };
    return Promise.resolve({ posts: ids.flatMap((id) => atOwner.get(id) ?? []) });
  },
};

let comments: TestSubgraph;
beforeAll(async () => {
  comments = await startTestSubgraph({
    service: 'comments',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, posts: owner }),
  });
});
beforeEach(async () => {
  atOwner.clear();
  ownerIsUnavailable = false;
  await comments.pool.query('TRUNCATE comment, known_post, outbox, idempotent_answer');
});
afterAll(() => comments.close());

const hear = (type: string, payload: object) => {
  const handler = createPostEventsHandler(createKnownPostStore(comments.pool));
  const event = { seq: 1, id: createId(), type, subject: createId(), payload, occurredAt: new Date() };
  return inTransaction(comments.pool, (transaction) => handler.apply(transaction, event));
};
const facts = (published = true): PostFacts => ({ id: createId(), authorId: idOf(postAuthor), published });
const hearOf = (post: PostFacts) =>
  hear('post.saved', { ...post, title: 'T', body: 'B', tags: [], announced: true });
async function knownPost(published = true): Promise<PostFacts> {
  const post = facts(published);
  atOwner.set(post.id, post);
  await hearOf(post);
  return post;
}

const COMMENT = 'id body createdAt author { id } post { id } ... on TextComment { edited }';
interface Comment {
  readonly id: string;
  readonly body: string;
  readonly edited: boolean;
}

async function add(postId: string, body = 'Words', as = author, idempotencyKey?: string) {
  const { data, errors } = await comments.ask<{ addComment: Comment } | null>({
    query: `mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { ${COMMENT} } }`,
    variables: { postId, body },
    as,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { comment: data?.addComment, errors };
}

async function addedComment(published = true): Promise<Comment & { readonly post: PostFacts }> {
  const post = await knownPost(true);
  const { comment } = await add(post.id);
  if (!published) await hearOf({ ...post, published });
  return { ...(comment as Comment), post };
}

async function edit(id: string, body = 'Other words', as = author) {
  const { data, errors } = await comments.ask<{ editComment: Comment | null }>({
    query: `mutation ($id: ID!, $body: String!) { editComment(id: $id, body: $body) { ${COMMENT} } }`,
    variables: { id, body },
    as,
  });
  return { comment: data?.editComment, errors };
}

async function remove(id: string, as = author) {
  const query = 'mutation ($id: ID!) { deleteComment(id: $id) }';
  const { data, errors } = await comments.ask<{ deleteComment: boolean } | null>({
    query,
    variables: { id },
    as,
  });
  return { deleted: data?.deleteComment, errors };
}

async function resolveReference(id: string, as: UserContext) {
  const { data } = await comments.ask<{ _entities: (Comment | null)[] }>({
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on TextComment { id body } } }',
    variables: { r: [{ __typename: 'TextComment', id }] },
    as,
  });
  return data._entities[0]?.body;
}

const codes = (errors: readonly ResponseError[]) => errors.map(({ extensions }) => extensions['code']);
const count = async () => (await comments.pool.query('SELECT FROM comment')).rowCount;
const events = async () =>
  (await comments.pool.query('SELECT type, subject, payload FROM outbox ORDER BY position')).rows;
const NO_POST = [
  expect.objectContaining({
    message: 'There is no such post.',
    extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'postId' }) as unknown,
  }),
];

describe('Mutation.addComment', () => {
  it('writes a comment, and publishes it', async () => {
    const post = await knownPost();
    const { comment, errors } = await add(post.id, 'One.\nTwo.');
    expect(errors).toEqual([]);
    expect(comment).toMatchObject({
      body: 'One.\nTwo.',
      edited: false,
      author: { id: idOf(author) },
      post: { id: post.id },
    });
    const payload = {
      id: comment?.id,
      postId: post.id,
      authorId: idOf(author),
      body: 'One.\nTwo.',
      edited: false,
      announced: true,
    };
    expect(await events()).toEqual([{ type: 'comment.saved', subject: comment?.id, payload }]);
  });

  it.each([
    ['', 'body'],
    [' \n', 'body'],
    ['x'.repeat(10_001), 'body'],
    ['zero\u0000', 'body'],
  ])('rejects the words %#', async (body, field) => {
    const { errors } = await add((await knownPost()).id, body);
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      expect.objectContaining({ code: 'BAD_USER_INPUT', field, invalidValue: body }),
    ]);
    expect([await count(), await events()]).toEqual([0, []]);
  });

  it.each([createId(), '12345678-1234-0234-0234-123456789012', 'nonsense', '', "' OR true --"])(
    'rejects a post %j that does not exist',
    async (id) => {
      expect((await add(id)).errors).toEqual(NO_POST);
      expect(await count()).toBe(0);
    },
  );

  it('S-093 rejects a draft of others in the same words, and takes comments on it from those who see it', async () => {
    const draft = await knownPost(false);
    expect((await add(draft.id)).errors).toEqual(NO_POST);
    expect((await add(draft.id, 'Mine', postAuthor)).errors).toEqual([]);
    expect((await add(draft.id, 'Any', editor)).errors).toEqual([]);
  });

  it('asks the posts service about a post that it has not heard of yet', async () => {
    const post = facts();
    atOwner.set(post.id, post);
    const { comment } = await add(post.id);
    expect(comment?.body).toBe('Words');
    expect((await edit(comment?.id ?? '')).comment?.edited).toBe(true);
  });

  it('asks it about a draft that may have been published a moment ago', async () => {
    const draft = await knownPost(false);
    atOwner.set(draft.id, { ...draft, published: true });
    expect((await add(draft.id)).errors).toEqual([]);
  });

  it('asks it about a post that may have been hidden or deleted a moment ago', async () => {
    const [hidden, deleted] = [await knownPost(), await knownPost()];
    atOwner.set(hidden.id, { ...hidden, published: false });
    atOwner.delete(deleted.id);
    expect((await add(hidden.id)).errors).toEqual(NO_POST);
    expect((await add(deleted.id)).errors).toEqual(NO_POST);
    expect(await count()).toBe(0);
  });

  it('does not need it for posts that it knows, and says so when it needs it and can’t reach it', async () => {
    ownerIsUnavailable = true;
    expect((await add((await knownPost()).id)).errors).toEqual([]);
    expect(codes((await add(createId())).errors)).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(await count()).toBe(1);
  });

  it('leaves no comment behind on a post that goes while the comment is written', async () => {
    const post = await knownPost();
    await hear('post.deleted', { id: post.id });
    expect((await add(post.id)).errors).toEqual(NO_POST);
    expect(await count()).toBe(0);
    for (let round = 0; round < 5; round += 1) {
      const racing = await knownPost();
      await Promise.all([add(racing.id), hear('post.deleted', { id: racing.id }), add(racing.id)]);
      expect(
        (await comments.pool.query('SELECT FROM comment WHERE post_id = $1', [racing.id])).rowCount,
      ).toBe(0);
    }
  });

  it.each([
    ['a client that acts for itself', robot, 'FORBIDDEN'],
    ['an anonymous caller', anonymous, 'UNAUTHENTICATED'],
  ])('is not for %s', async (_name, as, code) => {
    expect(codes((await add((await knownPost()).id, 'W', as)).errors)).toEqual([code]);
    expect(await count()).toBe(0);
  });

  it('writes one comment however often it is retried with a key, and answers also when the post is gone', async () => {
    const post = await knownPost();
    const responses = await Promise.all(Array.from({ length: 20 }, () => add(post.id, 'Once', author, 'k')));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await count()).toBe(1);
    await hear('post.deleted', { id: post.id });
    expect(await add(post.id, 'Once', author, 'k')).toEqual(responses[0]);
  });
});

describe('Mutation.editComment', () => {
  it('replaces the words, marks the comment and publishes it', async () => {
    const { id, post } = await addedComment();
    const { comment } = await edit(id, 'New');
    expect(comment).toMatchObject({ id, body: 'New', edited: true });
    expect((await events()).at(-1)).toEqual({
      type: 'comment.saved',
      subject: id,
      payload: { id, postId: post.id, authorId: idOf(author), body: 'New', edited: true, announced: false },
    });
  });

  it.each([' ', '\u200b', 'x'.repeat(10_001), 'a\0b', '\ud800'])(
    'rejects words that addComment rejects (%#)',
    async (body) => {
      const { id } = await addedComment();
      expect(codes((await edit(id, body)).errors)).toEqual(['BAD_USER_INPUT']);
      expect(await resolveReference(id, author)).toBe('Words');
      expect(await events()).toHaveLength(1);
    },
  );

  it.each(["'); DROP TABLE comment --", '$1', '{"$ne": null}', '<script>alert(1)</script>'])(
    'S-099 stores %j as it is, as addComment does',
    async (body) => {
      const { post } = await addedComment();
      const { comment } = await add(post.id, body);
      expect(comment?.body).toBe(body);
      expect((await edit(comment?.id ?? '', `${body}!`)).comment?.body).toBe(`${body}!`);
    },
  );

  it('publishes each of sixteen concurrent edits, and the last one last', async () => {
    const { id } = await addedComment();
    const outcomes = await Promise.all(Array.from({ length: 16 }, (_, index) => edit(id, `Words ${index}`)));
    expect(outcomes.every(({ errors }) => errors.length === 0)).toBe(true);
    const published = (await events()) as { payload: { body: string } }[];
    expect(published).toHaveLength(17);
    expect(published.at(-1)?.payload.body).toBe(await resolveReference(id, author));
  });

  it('is done before a deletion that comes at the same time, or not at all', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await addedComment();
      const [edited, removed] = await Promise.all([edit(id), remove(id)]);
      expect(removed.deleted).toBe(true);
      const published = ((await events()) as { type: string; subject: string }[]).filter(
        ({ subject }) => subject === id,
      );
      expect(published.map(({ type }) => type)).toEqual([
        'comment.saved',
        ...(edited.comment ? ['comment.saved'] : []),
        'comment.deleted',
      ]);
    }
  });
});

describe('Mutation.deleteComment', () => {
  it.each([createId(), 'nonsense', '', "' OR true --", '\u0000'])('%j is no comment', async (id) => {
    await addedComment();
    expect(await remove(id)).toEqual({ deleted: false, errors: [] });
    expect(await edit(id)).toEqual({ comment: null, errors: [] });
    expect([await count(), (await events()).length]).toEqual([1, 1]);
  });

  it('deletes once, and publishes it', async () => {
    const { id, post } = await addedComment();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => remove(id)));
    expect(outcomes.filter(({ deleted }) => deleted)).toHaveLength(1);
    expect((await events()).at(-1)).toEqual({
      type: 'comment.deleted',
      subject: id,
      payload: { id, postId: post.id },
    });
    expect(await events()).toHaveLength(2);
  });
});

describe.each([
  ['its author', author, 'done', 'absent'],
  ['an editor', editor, 'done', 'done'],
  ['an administrator', user('ADMIN'), 'done', 'done'],
  ['another viewer', viewer, 'FORBIDDEN', 'absent'],
  ['the author of the post', postAuthor, 'FORBIDDEN', 'FORBIDDEN'],
  ['a client that acts for itself', robot, 'FORBIDDEN', 'FORBIDDEN'],
  ['an anonymous caller', anonymous, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
])('S-097 a comment and %s', (_name, as, onPublished, onDraft) => {
  it.each([
    ['a published post', true, onPublished],
    ['a draft', false, onDraft],
  ])('on %s', async (_post, published, outcome) => {
    const { id } = await addedComment(published);
    const edited = await edit(id, 'After', as);
    const expectedEdit = { done: ['After'], absent: [undefined] }[outcome] ?? [undefined, outcome];
    expect([edited.comment?.body, ...codes(edited.errors)]).toEqual(expectedEdit);
    const { deleted, errors } = await remove(id, as);
    const expectedRemoval = { done: [true], absent: [false] }[outcome] ?? [undefined, outcome];
    expect([deleted, ...codes(errors)]).toEqual(expectedRemoval);
    expect(await count()).toBe(outcome === 'done' ? 0 : 1);
  });
});

describe('references to comments', () => {
  it('S-091 show a comment on a draft to those alone who see the draft', async () => {
    const { id } = await addedComment(false);
    const seen = await Promise.all(
      [author, viewer, anonymous, postAuthor, editor].map((as) => resolveReference(id, as)),
    );
    expect(seen).toEqual([undefined, undefined, undefined, 'Words', 'Words']);
  });

  it('are null for what does not exist, and are resolved in one statement', async () => {
    const { id } = await addedComment();
    comments.takeStatements();
    const { data } = await comments.ask({
      query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on TextComment { id } } }',
      variables: {
        r: [createId(), id, 'nonsense', id].map((each) => ({ __typename: 'TextComment', id: each })),
      },
    });
    expect(data).toEqual({ _entities: [null, { id }, null, { id }] });
    expect(comments.takeStatements()).toHaveLength(1);
  });
});

describe('what is heard of posts', () => {
  it('deletes the comments with their post', async () => {
    const { id, post } = await addedComment();
    await hear('post.deleted', { id: post.id });
    expect([await count(), await resolveReference(id, editor)]).toEqual([0, undefined]);
  });

  it('F-24 can’t be misread: an event that makes no sense changes nothing', async () => {
    await expect(hear('post.saved', { id: 'x' })).rejects.toThrow('invalid');
    await hear('post.renamed', { id: createId() });
    expect((await comments.pool.query('SELECT FROM known_post')).rowCount).toBe(0);
  });

  it('a snapshot adds what was missed and removes what is gone', async () => {
    const handler = createPostEventsHandler(createKnownPostStore(comments.pool));
    const gone = await addedComment();
    const [known, missed] = [await knownPost(), facts()];
    const items = [known, missed].map((post) => ({
      type: 'post.saved',
      subject: post.id,
      payload: { ...post, title: 'T', body: 'B', tags: [], announced: false },
    }));
    const { pool } = comments;
    await inTransaction(pool, (transaction) => handler.beginSnapshot(transaction));
    await inTransaction(pool, (transaction) => handler.restore(transaction, items));
    await inTransaction(pool, (transaction) => handler.endSnapshot(transaction));
    const { rows } = await pool.query('SELECT id, deleted FROM known_post');
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: known.id, deleted: false },
        { id: missed.id, deleted: false },
        { id: gone.post.id, deleted: true },
      ]),
    );
    expect([rows.length, await count()]).toEqual([3, 0]);
  });
});
