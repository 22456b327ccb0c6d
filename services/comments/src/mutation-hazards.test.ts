import type { Role, ServiceClient, UserContext } from '@trellis/subgraph-protocol';
import { createId } from '@trellis/subgraph-kit';
import {
  casesOf,
  meetHazard,
  mutationsOf,
  startTestSubgraph,
  type HazardCase,
  type HazardTable,
  type Question,
  type TestSubgraph,
} from '@trellis/subgraph-kit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer } from './server.ts';

const user = (role: Role): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [author, viewer, editor, postAuthor] = [user('VIEWER'), user('VIEWER'), user('EDITOR'), user('EDITOR')];
const robot: UserContext = { clientId: 'robot', scopes: ['write:data'] };
const anonymous: UserContext = { scopes: ['write:data'] };

const [published, draft] = [createId(), createId()];
const POSTS = [
  { id: published, authorId: postAuthor.user?.id, published: true },
  { id: draft, authorId: postAuthor.user?.id, published: false },
];
/** What the posts service would say. */
const owner: ServiceClient = {
  get: () => Promise.reject(new Error('not asked for here')),
  post: (_path, body) => {
    const { ids } = body as { ids: string[] };
    return Promise.resolve({ posts: POSTS.filter(({ id }) => ids.includes(id)) });
  },
};

let comments: TestSubgraph;
/** Comments of the author on either post. */
let [open, hidden] = ['', ''];
beforeAll(async () => {
  comments = await startTestSubgraph({
    service: 'comments',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer: (dependencies) => buildServer({ ...dependencies, posts: owner }),
  });
});
beforeEach(async () => {
  const { pool } = comments;
  await pool.query(
    'DELETE FROM comment; DELETE FROM known_post; DELETE FROM outbox; DELETE FROM idempotent_answer',
  );
  for (const { id, authorId, published: isPublished } of POSTS)
    await pool.query('INSERT INTO known_post (id, author_id, published) VALUES ($1, $2, $3)', [
      id,
      authorId,
      isPublished,
    ]);
  [open, hidden] = [createId(), createId()];
  await pool.query(
    "INSERT INTO comment (id, post_id, author_id, body) VALUES ($1, $3, $5, 'B'), ($2, $4, $5, 'B')",
    [open, hidden, published, draft, author.user?.id],
  );
});
afterAll(() => comments.close());

const add = (postId: string, body = 'Words', as = author): Question => ({
  query: 'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { body } }',
  variables: { postId, body },
  as,
});
const edit = (id: string, body = 'Other words', as = author): Question => ({
  query: 'mutation ($id: ID!, $body: String!) { editComment(id: $id, body: $body) { body } }',
  variables: { id, body },
  as,
});
const remove = (id: string, as = author): Question => ({
  query: 'mutation ($id: ID!) { deleteComment(id: $id) }',
  variables: { id },
  as,
});
const sixteen = (question: (index: number) => Question) =>
  Array.from({ length: 16 }, (_, index) => question(index));

const CODE = ["'); DROP TABLE comment --", '$1 \\ %s', '{"$ne": null}', '<script>alert(1)</script>'];
const UNKNOWN = [createId(), '12345678-1234-0234-0234-123456789012', 'nonsense', '', '0', '\u0000'];
const BLANK_OR_BROKEN = ['', ' \n', '\u200b', 'a\0b', '\ud800'];
const badInput = (field: string) => ({ rejected: 'BAD_USER_INPUT', field });

function wrongRoles(question: (as: UserContext) => Question): readonly HazardCase[] {
  return [
    { name: 'client for itself', send: () => [question(robot)], outcome: { rejected: 'FORBIDDEN' } },
    { name: 'anonymous caller', send: () => [question(anonymous)], outcome: { rejected: 'UNAUTHENTICATED' } },
  ];
}

function ids(sent: readonly string[], outcome: HazardCase['outcome'], question: (id: string) => Question) {
  return sent.map((id) => ({ name: JSON.stringify(id.slice(0, 40)), send: () => [question(id)], outcome }));
}

function bodies(sent: readonly string[], question: (body: string) => Question): readonly HazardCase[] {
  return sent.map((body) => ({
    name: JSON.stringify(body.slice(0, 20)),
    send: () => [question(body)],
    outcome: badInput('body'),
  }));
}

const table: HazardTable = {
  addComment: {
    injection: [
      ...CODE.map((body) => ({
        name: body,
        send: () => [add(published, body)],
        outcome: { done: [1], response: { addComment: { body } } },
      })),
      ...ids(["' OR true --"], badInput('postId'), add),
    ],
    overLong: [
      ...bodies(['x'.repeat(10_001)], (body) => add(published, body)),
      ...ids(['x'.repeat(100_000)], badInput('postId'), add),
    ],
    outOfRange: bodies(BLANK_OR_BROKEN, (body) => add(published, body)),
    wrongRole: wrongRoles((as) => add(published, 'Words', as)),
    foreignOwner: ids([draft], badInput('postId'), (id) => add(id, 'Words', viewer)),
    staleVersion: 'A new comment has no earlier version.',
    unknownId: ids(UNKNOWN, badInput('postId'), add),
    concurrent: [
      {
        name: 'sixteen of the same words',
        send: () => sixteen(() => add(published)),
        outcome: { done: [16] },
      },
    ],
  },
  editComment: {
    injection: [
      ...CODE.map((body) => ({
        name: body,
        send: () => [edit(open, body)],
        outcome: { done: [1], response: { editComment: { body } } },
      })),
      ...ids(["' OR true --"], { nothing: null }, edit),
    ],
    overLong: [
      ...bodies(['x'.repeat(10_001)], (body) => edit(open, body)),
      ...ids(['x'.repeat(100_000)], { nothing: null }, edit),
    ],
    outOfRange: bodies(BLANK_OR_BROKEN, (body) => edit(open, body)),
    wrongRole: wrongRoles((as) => edit(open, 'X', as)),
    foreignOwner: [
      {
        name: 'on a published post, by a viewer and by the author of the post',
        send: () => [edit(open, 'X', viewer), edit(open, 'X', { ...postAuthor, user: asViewer(postAuthor) })],
        outcome: { rejected: 'FORBIDDEN' },
      },
      { name: 'on a draft', send: () => [edit(hidden, 'X', viewer)], outcome: { nothing: null } },
    ],
    staleVersion: 'Comments have no version: the last words count.',
    unknownId: ids(UNKNOWN, { nothing: null }, edit),
    concurrent: [
      { name: 'sixteen', send: () => sixteen((index) => edit(open, `W ${index}`)), outcome: { done: [16] } },
      { name: 'with a deletion', send: () => [remove(open), edit(open)], outcome: { done: [1, 2] } },
    ],
  },
  deleteComment: {
    injection: ids(["' OR true --", ...CODE], { nothing: false }, remove),
    overLong: ids(['x'.repeat(100_000)], { nothing: false }, remove),
    outOfRange: 'An id is all it takes, and one that can’t be is unknown.',
    wrongRole: wrongRoles((as) => remove(open, as)),
    foreignOwner: [
      { name: 'on a published post', send: () => [remove(open, viewer)], outcome: { rejected: 'FORBIDDEN' } },
      { name: 'on a draft', send: () => [remove(hidden, viewer)], outcome: { nothing: false } },
    ],
    staleVersion: 'Comments have no version.',
    unknownId: ids(UNKNOWN, { nothing: false }, remove),
    concurrent: [
      {
        name: 'sixteen by the author and an editor',
        send: () => sixteen((index) => remove(open, index % 2 ? author : editor)),
        outcome: { done: [1] },
      },
    ],
  },
};

function asViewer({ user: writer }: UserContext): NonNullable<UserContext['user']> {
  return { id: writer?.id ?? '', roles: ['VIEWER'], tokenIssuedAt: 1 };
}

describe('Every mutation of comments meets every hazard', () => {
  it('has all mutations in its table', async () => {
    expect(Object.keys(table)).toEqual(await mutationsOf(comments));
  });

  it.each(casesOf(table))('%s', (_title, each) => meetHazard(comments, ['comment', 'known_post'], each));
});
