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
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer } from './server.ts';

const user = (role: Role): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1 },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [editor, otherEditor, viewer] = [user('EDITOR'), user('EDITOR'), user('VIEWER')];
const robot: UserContext = { clientId: 'robot', scopes: ['write:data'] };
const anonymous: UserContext = { scopes: ['write:data'] };

interface Made {
  readonly id: string;
  readonly updatedAt: string;
}

let posts: TestSubgraph;
/** Both are of the editor. */
let published: Made;
let draft: Made;
beforeAll(async () => {
  posts = await startTestSubgraph({
    service: 'posts',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
});
beforeEach(async () => {
  await posts.pool.query('DELETE FROM post; DELETE FROM outbox; DELETE FROM idempotent_answer');
  [published, draft] = [await make('Published'), await make('Draft', '2100-01-01T00:00:00Z')];
});
afterAll(() => posts.close());

async function make(title: string, publishedAt: string | null = null): Promise<Made> {
  const { data } = await posts.ask<{ createPost: { post: Made } }>({
    query: `mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id updatedAt } } }`,
    variables: { input: { title, body: 'B', publishedAt } },
    as: editor,
  });
  return data.createPost.post;
}

const create = (input: object, as = editor): Question => ({
  query:
    'mutation ($input: CreatePostInput!) { createPost(input: $input) { success post { title body tags metadata } } }',
  variables: { input: { title: 'T', body: 'B', ...input } },
  as,
});
const update = (id: string, input: object, as = editor): Question => ({
  query:
    'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { title body tags metadata } }',
  variables: { id, input },
  as,
});
const remove = (id: string, as = editor): Question => ({
  query: 'mutation ($id: ID!) { deletePost(id: $id) }',
  variables: { id },
  as,
});
const sixteen = (question: (index: number) => Question) =>
  Array.from({ length: 16 }, (_, index) => question(index));

const CODE = [
  "'); DROP TABLE post --",
  '$1 \\ %s',
  '{"$gt": ""}',
  '${process.env}',
  '<script>alert(1)</script>',
];
const UNKNOWN = [createId(), '12345678-1234-0234-0234-123456789012', 'nonsense', '', '0', '\u0000'];
const wordsOf = (text: string) => ({ title: text, body: text, tags: [text], metadata: { [text]: text } });

const tooLong: Readonly<Record<string, unknown>> = {
  title: 'x'.repeat(201),
  body: 'x'.repeat(100_001),
  tags: ['x'.repeat(51)],
  metadata: 'x'.repeat(16_384),
};
const outOfRange: readonly (readonly [field: string, value: unknown])[] = [
  ['title', ''],
  ['title', ' \n '],
  ['title', 'two\nlines'],
  ['title', 'zero\0'],
  ['body', ''],
  ['body', 'half \ud83d'],
  ['tags', ['ok', '']],
  ['tags', Array.from({ length: 21 }, (_, index) => `t${index}`)],
  ['metadata', JSON.parse('['.repeat(100) + ']'.repeat(100))],
  ['metadata', { a: '\0' }],
];
const badInput = (field: string) => ({ rejected: 'BAD_USER_INPUT', field: `input.${field}` });

/** Each field with a value that it can't have, sent by a question made of it. */
function rejections(
  values: readonly (readonly [field: string, value: unknown])[],
  question: (input: object) => Question,
): readonly HazardCase[] {
  return values.map(([field, value]) => ({
    name: `${field} ${JSON.stringify(value).slice(0, 30)}`,
    send: () => [question({ [field]: value })],
    outcome: badInput(field),
  }));
}

/** Callers that may not write at all, regardless of its author. */
function wrongRoles(question: (as: UserContext) => Question): readonly HazardCase[] {
  return [
    { name: 'client for itself', send: () => [question(robot)], outcome: { rejected: 'FORBIDDEN' } },
    { name: 'anonymous caller', send: () => [question(anonymous)], outcome: { rejected: 'UNAUTHENTICATED' } },
  ];
}

function unknownIds(ids: readonly string[], nothing: null | false, question: (id: string) => Question) {
  return ids.map((id) => ({
    name: JSON.stringify(id.slice(0, 40)),
    send: () => [question(id)],
    outcome: { nothing },
  }));
}

const table: HazardTable = {
  createPost: {
    injection: CODE.map((text) => ({
      name: text,
      send: () => [create(wordsOf(text))],
      outcome: { done: [1], response: { createPost: { success: true, post: wordsOf(text) } } },
    })),
    overLong: rejections(Object.entries(tooLong), create),
    outOfRange: rejections(
      [
        ...outOfRange,
        ['publishedAt', 'tomorrow'],
        ['publishedAt', '2025-02-30T00:00:00Z'],
        ['publishedAt', 1],
      ],
      create,
    ),
    wrongRole: [
      ...wrongRoles((as) => create({}, as)),
      { name: 'viewer', send: () => [create({}, viewer)], outcome: { rejected: 'FORBIDDEN' } },
    ],
    foreignOwner: [
      {
        name: 'in the name of another user',
        send: () => [create({ authorId: otherEditor.user?.id })],
        outcome: { rejected: 'BAD_USER_INPUT', field: 'input' },
      },
    ],
    staleVersion: 'A new post has no earlier version.',
    unknownId: 'It takes no id.',
    concurrent: [
      { name: 'sixteen of the same words', send: () => sixteen(() => create({})), outcome: { done: [1] } },
      {
        name: 'sixteen of different words',
        send: () => sixteen((index) => create({ title: `T ${index}` })),
        outcome: { done: [16] },
      },
    ],
  },
  updatePost: {
    injection: [
      ...CODE.map((text) => ({
        name: text,
        send: () => [update(published.id, wordsOf(text))],
        outcome: { done: [1], response: { updatePost: wordsOf(text) } },
      })),
      ...unknownIds(["' OR true --"], null, (id) => update(id, { title: 'X' })),
    ],
    overLong: [
      ...rejections(Object.entries(tooLong), (input) => update(published.id, input)),
      ...unknownIds(['x'.repeat(100_000)], null, (id) => update(id, { title: 'X' })),
    ],
    outOfRange: rejections(
      [
        ...outOfRange,
        ['title', null],
        ['body', null],
        ['tags', null],
        ['published', null],
        ['published', 'yes'],
        ['expectedUpdatedAt', null],
        ['expectedUpdatedAt', 'now'],
      ],
      (input) => update(published.id, input),
    ),
    wrongRole: wrongRoles((as) => update(published.id, { title: 'X' }, as)),
    foreignOwner: [
      {
        name: 'a published post',
        send: () => [update(published.id, { title: 'X' }, viewer)],
        outcome: { rejected: 'FORBIDDEN' },
      },
      { name: 'a draft', send: () => [update(draft.id, { title: 'X' }, viewer)], outcome: { nothing: null } },
    ],
    staleVersion: [
      {
        name: 'a millisecond too old',
        send: () => {
          const expectedUpdatedAt = new Date(Date.parse(published.updatedAt) - 1).toISOString();
          return [update(published.id, { title: 'X', expectedUpdatedAt })];
        },
        outcome: badInput('expectedUpdatedAt'),
      },
    ],
    unknownId: unknownIds(UNKNOWN, null, (id) => update(id, { title: 'X' })),
    concurrent: [
      {
        name: 'sixteen of one version',
        send: () =>
          sixteen((index) =>
            update(published.id, { title: `T ${index}`, expectedUpdatedAt: published.updatedAt }),
          ),
        outcome: { done: [1] },
      },
      {
        name: 'sixteen of any version',
        send: () => sixteen((index) => update(published.id, { title: `T ${index}` })),
        outcome: { done: [16] },
      },
      {
        name: 'with a deletion',
        send: () => [remove(published.id), update(published.id, { title: 'X' })],
        outcome: { done: [1, 2] },
      },
    ],
  },
  deletePost: {
    injection: unknownIds(["' OR true --", ...CODE], false, remove),
    overLong: unknownIds(['x'.repeat(100_000)], false, remove),
    outOfRange: 'An id is all it takes, and one that can’t be is unknown.',
    wrongRole: wrongRoles((as) => remove(published.id, as)),
    foreignOwner: [
      {
        name: 'a published post',
        send: () => [remove(published.id, viewer)],
        outcome: { rejected: 'FORBIDDEN' },
      },
      { name: 'a draft', send: () => [remove(draft.id, viewer)], outcome: { nothing: false } },
    ],
    staleVersion: 'It is for whatever the post says by now: it takes no version.',
    unknownId: unknownIds(UNKNOWN, false, remove),
    concurrent: [
      {
        name: 'sixteen by two editors',
        send: () => sixteen((index) => remove(published.id, index % 2 ? editor : otherEditor)),
        outcome: { done: [1] },
      },
    ],
  },
};

describe('Every mutation of posts meets every hazard', () => {
  it('has all mutations in its table', async () => {
    expect(Object.keys(table)).toEqual(await mutationsOf(posts));
  });

  it.each(casesOf(table))('%s', (_title, each) => meetHazard(posts, ['post'], each));
});
