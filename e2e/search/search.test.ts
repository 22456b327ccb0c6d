import { createPool, inTransaction, type Transaction } from '@trellis/postgres';
import { createId } from '@trellis/subgraph-kit';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { runSearchCommand } from 'trellis/programs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startHostedServices, type HostedServices } from '../harness/hosted-services.ts';

const user = (role: Role, name: string): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1, name },
  clientId: 'cli',
  scopes: ['read:data', 'write:data'],
});
const [editor, author, viewer] = [user('EDITOR', 'Edith'), user('EDITOR', 'Aurora'), user('VIEWER', 'Viola')];

let services: HostedServices;
beforeAll(async () => {
  services = await startHostedServices();
});
afterAll(() => services.close());

interface Found {
  readonly __typename: string;
  readonly id: string;
}

const SEARCH = `query ($query: String! = "", $text: String, $first: Int) {
  search(query: $query, text: $text, first: $first) { __typename ... on User { id } ... on Post { id } ... on TextComment { id } }
}`;

async function find(query: string, first = 20, as = viewer): Promise<readonly string[]> {
  const { data } = await services.ask<{ search: Found[] }>('search', as, SEARCH, { query, first });
  return data.search.map(({ id }) => id);
}

/** The index follows the owners within moments; twenty seconds are for a busy machine. */
const eventually = (assertion: () => Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 90_000, interval: 20 });

async function post(input: Readonly<Record<string, unknown>>, as = author): Promise<string> {
  const { data } = await services.ask<{ createPost: { post: { id: string } } }>(
    'posts',
    as,
    'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }',
    { input: { body: 'Nothing to see.', ...input } },
  );
  return data.createPost.post.id;
}

async function comment(postId: string, body: string): Promise<string> {
  const { data } = await services.ask<{ addComment: { id: string } }>(
    'comments',
    viewer,
    'mutation ($postId: ID!, $body: String!) { addComment(postId: $postId, body: $body) { id } }',
    { postId, body },
  );
  return data.addComment.id;
}

const updatePost = (id: string, input: object) =>
  services.ask(
    'posts',
    author,
    'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id } }',
    { id, input },
  );
const deletePost = (id: string) =>
  services.ask('posts', author, 'mutation ($id: ID!) { deletePost(id: $id) }', { id });

describe('search', () => {
  it('finds posts by title, tags and text, the better match first', async () => {
    const inText = await post({ title: 'A walk', body: 'We met a capybara.' });
    const inTags = await post({ title: 'Another walk', tags: ['capybara'] });
    const inTitle = await post({ title: 'The capybara' });
    await eventually(async () => expect(await find('capybaras')).toEqual([inTitle, inTags, inText]));
    expect(await find('capybara', 1)).toEqual([inTitle]);
    expect(await find('capybara', 0)).toEqual([]);
  });

  it('finds users by name and comments by their words', async () => {
    await services.ask('users', viewer, '{ me { id } }');
    const id = await post({ title: 'Orchards' });
    const said = await comment(id, 'Quinces are underrated.');
    await eventually(async () => expect(await find('quince')).toEqual([said]));
    await eventually(async () => expect(await find('viola')).toEqual([viewer.user?.id]));
  });

  it('reads what is written as people write it for a web search', async () => {
    const [both, one] = [
      await post({ title: 'Brass zither' }),
      await post({ title: 'Zither without brass' }),
    ];
    await eventually(async () =>
      expect((await find('zither brass')).toSorted()).toEqual([both, one].toSorted()),
    );
    expect(await find('"brass zither"')).toEqual([both]);
    expect(await find('zither -without')).toEqual([both]);
    expect(await find('zithers nonsense')).toEqual([]);
    expect((await find('zither or nonsense')).toSorted()).toEqual([both, one].toSorted());
  });

  it.each([
    "'",
    '"',
    "'; DROP TABLE post_document --",
    '!',
    '&|',
    '(',
    ':*',
    '\\',
    'a:',
    '<->',
    '\u{1F600}',
    'the',
  ])('S-090 takes %j for text, whatever it means elsewhere', async (query) => {
    const response = await services.ask<{ search: Found[] }>('search', viewer, SEARCH, { query });
    expect(response).toEqual({ data: { search: expect.any(Array) } });
  });

  it('follows a change of the words', async () => {
    const id = await post({ title: 'Marmalade' });
    await eventually(async () => expect(await find('marmalade')).toEqual([id]));
    await updatePost(id, { title: 'Jelly' });
    await eventually(async () => expect([await find('marmalade'), await find('jelly')]).toEqual([[], [id]]));
  });
});

describe('search(query:) and search(text:)', () => {
  it('are the same', async () => {
    const id = await post({ title: 'Hovercraft' });
    await eventually(async () => expect(await find('hovercraft')).toEqual([id]));
    const { data } = await services.ask('search', viewer, SEARCH, { text: 'hovercraft' });
    expect(data).toEqual({ search: [{ __typename: 'Post', id }] });
  });

  it.each([
    [{}, 'query', ''],
    [{ query: '' }, 'query', ''],
    [{ query: ' \t', text: ' ' }, 'query', ' \t'],
    [{ query: '', text: null }, 'query', ''],
    [{ query: 'a', text: 'b' }, 'text', 'b'],
    [{ query: 'x'.repeat(501) }, 'query', 'x'.repeat(501)],
    [{ text: 'a\0b' }, 'text', 'a\0b'],
    [{ text: '\uD800' }, 'text', '\uD800'],
    [{ query: 'a', first: -1 }, 'first', -1],
    [{ query: 'a', first: 101 }, 'first', 101],
  ])('answer %j with BAD_USER_INPUT for %s', async (variables, field, invalidValue) => {
    const { errors } = await services.ask('search', viewer, SEARCH, variables);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      expect.objectContaining({ code: 'BAD_USER_INPUT', field, invalidValue }),
    ]);
  });
});

describe('what not everybody may see', () => {
  it('is not found by anybody: a draft, its comments, and their words are not even in the index', async () => {
    const id = await post({ title: 'Secret samovar', publishedAt: '2100-01-01T00:00:00Z' });
    const { data } = await services.ask<{ addComment: { id: string } }>(
      'comments',
      author,
      `mutation { addComment(postId: "${id}", body: "A samovar indeed.") { id } }`,
    );
    const marker = await post({ title: 'Samovars for all' });
    await eventually(async () => expect(await find('samovar')).toEqual([marker]));
    await eventually(async () => expect(await indexed('comment_document', data.addComment.id)).toBe(true));
    for (const as of [viewer, author, editor]) expect(await find('samovar', 20, as)).toEqual([marker]);
    await updatePost(id, { published: true });
    await eventually(async () =>
      expect((await find('samovar')).toSorted()).toEqual([id, data.addComment.id, marker].toSorted()),
    );
  });

  it('is gone at once when it is hidden or deleted, however far behind the index is', async () => {
    const [hidden, deleted, stays] = await Promise.all([
      post({ title: 'Periscope one' }),
      post({ title: 'Periscope two' }),
      post({ title: 'Periscope three' }),
    ]);
    const said = await comment(deleted, 'A periscope!');
    await eventually(async () => expect(await find('periscope')).toHaveLength(4));
    await freezeIndex(async () => {
      await updatePost(hidden, { published: false });
      await deletePost(deleted);
      expect(await find('periscope')).toEqual([stays]);
    });
    await eventually(async () => expect(await indexed('comment_document', said)).toBe(false));
    expect(await find('periscope')).toEqual([stays]);
  });
});

describe('while an owner is unavailable', () => {
  it('finds what the others have, and everything once it is back', async () => {
    const id = await post({ title: 'Nutmeg' });
    const { data } = await services.ask<{ createUser: { id: string } }>(
      'users',
      user('ADMIN', 'Ada'),
      'mutation { createUser(input: { name: "Nutmeg" }) { id } }',
    );
    await eventually(async () =>
      expect((await find('nutmeg')).toSorted()).toEqual([id, data.createUser.id].toSorted()),
    );
    await services.stop('posts');
    expect(await find('nutmeg')).toEqual([data.createUser.id]);
    await services.start('posts');
    await eventually(async () => expect(await find('nutmeg')).toHaveLength(2));
  });

  it('fails rather than return nothing when no owner can be asked', async () => {
    const id = await post({ title: 'Cardamom' });
    await eventually(async () => expect(await find('cardamom')).toEqual([id]));
    await services.stop('posts');
    const { errors } = await services.ask('search', viewer, SEARCH, { query: 'cardamom' });
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['INTERNAL_SERVER_ERROR']);
    await services.start('posts');
  });
});

describe('rebuild', () => {
  it('reads everything again, and forgets what does not exist', async () => {
    const id = await post({ title: 'Lighthouse' });
    const said = await comment(id, 'That lighthouse again.');
    await eventually(async () =>
      expect((await find('lighthouse')).toSorted()).toEqual([id, said].toSorted()),
    );
    const ghost = createId();
    await inIndex(async (client) => {
      await client.query("UPDATE post_document SET words = '' WHERE id = $1", [id]);
      await client.query('DELETE FROM comment_document WHERE id = $1', [said]);
      await client.query("INSERT INTO user_document VALUES ($1, to_tsvector('lighthouse'), 0)", [ghost]);
    });
    expect(await run('rebuild')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Rebuilt in /m) });
    expect((await find('lighthouse')).toSorted()).toEqual([id, said].toSorted());
    expect(await indexed('user_document', ghost)).toBe(false);
    expect(await services.metricsOf('search')).toMatch(
      /trellis_events_lag_seq\{source="posts",service="search"\} 0/,
    );
  });

  it('goes on from there', async () => {
    const id = await post({ title: 'Semaphore' });
    await eventually(async () => expect(await find('semaphore')).toEqual([id]));
  });

  it.each([[[]], [['rebuild', 'now']], [['destroy']]])(
    'says how it is called when it is called %j',
    async (args) => {
      expect(await run(...args)).toMatchObject({ status: 64, stderr: expect.stringContaining('rebuild') });
    },
  );
});

async function run(...args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const status = await runSearchCommand(
    args,
    { DATABASE_URL: services.databaseUrl },
    {
      stdout: { write: (text) => stdout.push(text) },
      stderr: { write: (text) => stderr.push(text) },
      signal: AbortSignal.timeout(20_000),
      pauseMs: 20,
    },
  );
  return { status, stdout: stdout.join(''), stderr: stderr.join('') };
}

async function inIndex<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  const pool = createPool({ connectionString: services.databaseUrl, schema: 'search', max: 1 });
  try {
    return await inTransaction(pool, work);
  } finally {
    await pool.end();
  }
}

function indexed(table: 'comment_document' | 'user_document', id: string): Promise<boolean> {
  return inIndex(
    async (client) => (await client.query(`SELECT FROM ${table} WHERE id = $1`, [id])).rowCount === 1,
  );
}

/** Holds the cursors: no event is applied meanwhile. */
function freezeIndex(work: () => Promise<void>): Promise<void> {
  return inIndex(async (client) => {
    await client.query('SELECT FROM event_cursor FOR UPDATE');
    await work();
  });
}
