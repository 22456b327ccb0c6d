import { createId } from '@trellis/subgraph-kit';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHostedServices, type HostedServices } from '../harness/hosted-services.ts';
import { isOfBackground, tapPostgres, type PostgresTap } from '../harness/postgres-tap.ts';

const user = (role: Role, name: string): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1, name },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [editor, author, viewer] = [user('EDITOR', 'Edith'), user('EDITOR', 'Aurora'), user('VIEWER', 'Viola')];
/** Wrote drafts as an editor and is one no more. */
const demoted: UserContext = {
  ...author,
  user: { id: author.user?.id ?? '', roles: ['VIEWER'], tokenIssuedAt: 2 },
};
const viewerId = viewer.user?.id ?? '';

let services: HostedServices;
let postgres: PostgresTap;
/** One of each kind that everybody may see, then a draft and a comment on it. */
let [post, comment, draft, hidden] = ['', '', '', ''];
beforeAll(async () => {
  services = await startHostedServices(async (url) => {
    postgres = await tapPostgres(url);
    return postgres.connectionString;
  });
  await services.ask('users', viewer, '{ me { id } }');
  post = await makePost({ title: 'Seen', body: 'By all.' });
  comment = await say(post, viewer);
  draft = await makePost({ title: 'Not yet', body: 'For few.', publishedAt: '2999-01-01T00:00:00.000Z' });
  hidden = await say(draft, author);
});
afterAll(async () => {
  await services.close();
  await postgres.close();
});

async function makePost(input: Readonly<Record<string, unknown>>): Promise<string> {
  const { data } = await services.ask<{ createPost: { post: { id: string } } }>(
    'posts',
    author,
    'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }',
    { input },
  );
  return data.createPost.post.id;
}

async function say(postId: string, as: UserContext): Promise<string> {
  const { data } = await services.ask<{ addComment: { id: string } }>(
    'comments',
    as,
    'mutation ($postId: ID!) { addComment(postId: $postId, body: "Indeed.") { id } }',
    { postId },
  );
  return data.addComment.id;
}

interface Node {
  readonly __typename: string;
  readonly id: string;
}

const nodes = (ids: readonly string[], as = viewer) =>
  services.ask<{ nodes: (Node | null)[] } | null>(
    'search',
    as,
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }',
    { ids },
  );

/** What was asked of PostgreSQL meanwhile, by service. What services ask at times of their own does not count. */
async function statementsDuring(act: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  postgres.forget();
  await act();
  const asked = postgres.statements.filter(({ text }) => !isOfBackground(text) && !WRITE.test(text));
  return Object.fromEntries(
    ['users', 'posts', 'comments', 'search'].map((service) => [
      service,
      asked.filter(({ application }) => application === `trellis-${service}`).length,
    ]),
  );
}
/** Consumers of events write what they have read. */
const WRITE = /INSERT|UPDATE|DELETE|^(?:BEGIN|COMMIT|ROLLBACK|SET)/;

/** Shown where a count is not the expected one. */
const textsAsked = (): string =>
  postgres.statements.map(({ application, text }) => `${application}: ${text}`).join('\n');

describe('A4: one statement of each owner', () => {
  const ONE_EACH = { users: 1, posts: 1, comments: 1, search: 0 };
  const hundred = (): readonly string[] =>
    Array.from({ length: 100 }, (_, index) => [post, comment, draft, viewerId, createId()][index % 5] ?? '');

  it('finds a hundred nodes', async () => {
    const ids = hundred();
    const found = await statementsDuring(async () =>
      expect((await nodes(ids)).data?.nodes).toHaveLength(100),
    );
    expect(found, textsAsked()).toEqual(ONE_EACH);
    const few = await statementsDuring(() => nodes([post, comment, viewerId]));
    expect(few, textsAsked()).toEqual(ONE_EACH);
  });

  it('finds each `node` of a query with aliases', async () => {
    const aliases = hundred().slice(0, 20);
    const query = `{ ${aliases.map((id, index) => `n${index}: node(id: "${id}") { __typename id }`).join(' ')} }`;
    const found = await statementsDuring(async () => {
      const { data, errors } = await services.ask<object>('search', viewer, query);
      expect([errors, Object.keys(data)]).toEqual([undefined, aliases.map((_, index) => `n${index}`)]);
    });
    expect(found, textsAsked()).toEqual(ONE_EACH);
  });

  it('verifies the hits of a searchConnection, however many, after one statement of the index', async () => {
    await expect.poll(async () => (await search(10)).data.searchConnection.edges.length).toBeGreaterThan(1);
    const counted = await statementsDuring(() => search(1));
    const more = await statementsDuring(() => search(10));
    expect(more, textsAsked()).toEqual(counted);
    for (const count of Object.values(counted)) expect(count).toBeLessThanOrEqual(1);
    expect(counted['search']).toBe(1);
  });

  const search = (first: number) =>
    services.ask<{ searchConnection: { edges: readonly unknown[] } }>(
      'search',
      viewer,
      `{ searchConnection(query: "seen or indeed", first: ${first}) { edges { cursor node { __typename } } pageInfo { hasNextPage endCursor } } }`,
    );
});

describe('A4: nodes', () => {
  it('are of the type that the id belongs to, in the order asked for, at once after they were made', async () => {
    const { data, errors } = await nodes([viewerId, comment, post, post.toUpperCase()]);
    expect(errors).toBeUndefined();
    expect(data?.nodes).toEqual([
      { __typename: 'User', id: viewerId },
      { __typename: 'TextComment', id: comment },
      { __typename: 'Post', id: post },
      { __typename: 'Post', id: post },
    ]);
  });

  it('S-099 are null for what is unknown or no id', async () => {
    const { data, errors } = await nodes([createId(), 'x', '', "' OR true --", post]);
    expect([errors, data?.nodes]).toEqual([
      undefined,
      [null, null, null, null, { __typename: 'Post', id: post }],
    ]);
  });

  it.each([
    ['a viewer', viewer, false],
    ['no one', { scopes: ['read:data'] }, false],
    ['the author', demoted, true],
    ['an editor', editor, true],
  ])(
    'S-050 are null for drafts and what is said on them, as if they did not exist: %s',
    async (_who, as, exists) => {
      const { data } = await nodes([draft, hidden], as);
      expect(data?.nodes).toEqual(
        exists
          ? [
              { __typename: 'Post', id: draft },
              { __typename: 'TextComment', id: hidden },
            ]
          : [null, null],
      );
    },
  );

  it('are one hundred at most', async () => {
    expect((await nodes(Array.from({ length: 100 }, () => post))).data?.nodes).toHaveLength(100);
    const { data, errors } = await nodes(Array.from({ length: 101 }, () => post));
    expect([data, errors?.[0]?.extensions]).toEqual([
      null,
      expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'ids' }),
    ]);
  });

  it('are found one by one as well, and not without the scope', async () => {
    const query = `{ a: node(id: "${post}") { id } b: node(id: "${viewerId}") { id } c: node(id: "${draft}") { id } }`;
    const { data } = await services.ask('search', viewer, query);
    expect(data).toEqual({ a: { id: post }, b: { id: viewerId }, c: null });
    const rejected = await services.ask('search', { ...viewer, scopes: [] }, query);
    expect(new Set(rejected.errors?.map(({ extensions }) => extensions['code']))).toEqual(
      new Set(['FORBIDDEN']),
    );
  });

  it('fail only where an owner that can’t be asked might have them', async () => {
    await services.stop('comments');
    const { data, errors } = await nodes([post, comment, viewerId]);
    expect(data?.nodes).toEqual([
      { __typename: 'Post', id: post },
      null,
      { __typename: 'User', id: viewerId },
    ]);
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['INTERNAL_SERVER_ERROR']);
    await services.start('comments');
    expect((await nodes([comment])).data?.nodes).toEqual([{ __typename: 'TextComment', id: comment }]);
  });
});
