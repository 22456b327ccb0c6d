import { createDemoContent, demoAccounts } from '@trellis/demo-data';
import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { latencyBudgetMs } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProfileStore } from './profile-store.ts';
import { buildServer } from './server.ts';

const demo = createDemoContent().users;
const [ada, ed, vi] = demoAccounts as [
  (typeof demoAccounts)[0],
  (typeof demoAccounts)[0],
  (typeof demoAccounts)[0],
];
// A token is written once a process, and the table is emptied between tests: each test needs tokens of its own.
let clock = 1_735_700_000;
const later = (): number => (clock += 1_000);

interface Token {
  readonly name?: string;
  readonly email?: string;
  readonly role?: Role;
  readonly issuedAt?: number;
}

/** The context of someone whose token says this. */
function user(id: string, { name, email, role = 'VIEWER', issuedAt = later() }: Token = {}): UserContext {
  return {
    user: { id, roles: [role], tokenIssuedAt: issuedAt, ...(name && { name }), ...(email && { email }) },
    clientId: 'cli',
    scopes: ['read:data', 'read:profile'],
  };
}

let users: TestSubgraph;
beforeAll(async () => {
  users = await startTestSubgraph({
    service: 'users',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
});
beforeEach(() => createProfileStore(users.pool).seed(demo));
afterEach(() => users.pool.query('TRUNCATE profile'));
afterAll(() => users.close());

const stored = async (id: string) =>
  (await users.pool.query('SELECT name, email, role FROM profile WHERE id = $1', [id])).rows[0] as unknown;

it('L7: a context without scopes lists no users, past the gateway as well', async () => {
  const { data, errors } = await users.ask({
    query: '{ users { id } }',
    as: { ...user(ada.id), scopes: ['write:data'] },
  });
  expect([data, errors.map(({ extensions }) => extensions['code'])]).toEqual([null, ['FORBIDDEN']]);
});

describe('Query.userBy', () => {
  const find = async (by: object, as: UserContext) => {
    const { data } = await users.ask<{ userBy: { id: string } | null }>({
      query: 'query ($by: UserBy!) { userBy(by: $by) { id } }',
      variables: { by },
      as,
    });
    return data.userBy;
  };
  const emailOf = (id: string): string => demo.find((profile) => profile.id === id)?.email ?? '';

  it('finds by id, for everyone', async () => {
    expect(await find({ id: ada.id }, user(vi.id))).toEqual({ id: ada.id });
    expect(await find({ id: 'unknown' }, user(vi.id))).toBeNull();
  });

  it('finds by e-mail address what the caller may see: all for administrators, others themselves', async () => {
    const asAdmin = user(ada.id, { role: 'ADMIN' });
    expect(await find({ email: emailOf(ed.id) }, asAdmin)).toEqual({ id: ed.id });
    expect(await find({ email: 'unknown@example.com' }, asAdmin)).toBeNull();
    expect(await find({ email: emailOf(vi.id) }, user(vi.id, { email: emailOf(vi.id) }))).toEqual({
      id: vi.id,
    });
    expect(await find({ email: emailOf(ed.id) }, user(vi.id))).toBeNull();
  });

  it('takes exactly one of them', async () => {
    for (const by of [{}, { id: ada.id, email: 'a@example.com' }, { id: null }]) {
      const variables = { by };
      const { errors } = await users.ask({
        query: 'query ($by: UserBy!) { userBy(by: $by) { id } }',
        variables,
        as: user(vi.id),
      });
      expect(errors[0]?.message).toMatch(/UserBy|non-null/);
    }
  });
});

describe('Query.users', () => {
  const ids = async (args: string) => {
    const { data } = await users.ask<{ users: { id: string }[] }>({ query: `{ users${args} { id } }` });
    return data.users.map(({ id }) => id);
  };
  const oldestFirst = demo.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );

  it('lists the oldest first, twenty by default', async () => {
    expect(await ids('')).toEqual(oldestFirst.slice(0, 20).map(({ id }) => id));
    expect(await ids('(limit: null, offset: null)')).toHaveLength(20);
  });

  it('pages by limit and offset', async () => {
    expect(await ids('(limit: 5, offset: 100)')).toEqual(oldestFirst.slice(100, 105).map(({ id }) => id));
    expect(await ids('(limit: 100, offset: 10000)')).toEqual([]);
    expect(await ids('(limit: 0)')).toEqual([]);
  });

  it.each([
    ['limit: -1', 'limit', -1],
    ['limit: 101', 'limit', 101],
    ['offset: -1', 'offset', -1],
    ['offset: 10001', 'offset', 10_001],
  ])('rejects (%s) as BAD_USER_INPUT and names it', async (args, field, invalidValue) => {
    const { data, errors } = await users.ask({ query: `{ users(${args}) { id } }` });
    expect(data).toBeNull();
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field, invalidValue });
  });

  it('shows every field, times as ISO 8601 with milliseconds', async () => {
    const { data } = await users.ask({ query: '{ users(limit: 1) { id name createdAt role } }' });
    expect(data).toEqual({
      users: [{ id: ada.id, name: 'Ada Marlow', createdAt: '2025-01-01T00:00:00.000Z', role: 'ADMIN' }],
    });
  });
});

describe('A4: Query.usersConnection', () => {
  interface UserConnection {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
  }
  const ask = (args: string) =>
    users.ask<{ usersConnection: UserConnection }>({
      query: `{ usersConnection(${args})
        { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    });
  const byAge = (): readonly string[] =>
    demo
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
  async function walk(count: number, backward: boolean): Promise<readonly string[]> {
    const pages: string[][] = [];
    for (let cursor = '', more = true; more;) {
      const { edges, pageInfo } = (await ask(`${backward ? 'last' : 'first'}: ${count}${cursor}`)).data
        .usersConnection;
      pages.push(edges.map(({ node }) => node.id));
      cursor = backward ? `, before: "${pageInfo.startCursor}"` : `, after: "${pageInfo.endCursor}"`;
      more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
    }
    return (backward ? pages.toReversed() : pages).flat();
  }

  it.each([false, true])('meets each user once, the oldest first (backward: %s)', async (backward) => {
    expect(await walk(70, backward)).toEqual(byAge());
  });

  it('goes on among users of the same age', async () => {
    await users.pool.query("UPDATE profile SET created_at = '2025-01-01T00:00:00.001Z'");
    const ids = demo.map(({ id }) => id).toSorted();
    expect(await walk(70, false)).toEqual(ids);
    expect(await walk(70, true)).toEqual(ids);
  });

  it('answers a page in one statement, twenty by default', async () => {
    users.takeStatements();
    expect((await ask('after: null')).data.usersConnection.edges).toHaveLength(20);
    expect(users.takeStatements()).toHaveLength(1);
  });

  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  it.each([
    ['first: 101', 'first'],
    ['last: -1', 'last'],
    ['first: 1, last: 1', 'last'],
    [`after: "${ada.id}"`, 'after'],
    ['before: ""', 'before'],
    [`after: "${encoded(`1 ${ada.id}`)}="`, 'after'],
    [`after: "${encoded(`1.5 ${ada.id}`)}"`, 'after'],
    [`after: "${encoded(`99999999999999999 ${ada.id}`)}"`, 'after'],
    [`after: "${encoded(`99999999999999 ${'-'.repeat(36)}`)}"`, 'after'],
  ])('S-099 rejects (%s) as BAD_USER_INPUT and names it', async (args, field) => {
    const { data, errors } = await ask(args);
    expect([data, errors[0]?.extensions]).toEqual([
      null,
      expect.objectContaining({ code: 'BAD_USER_INPUT', field }),
    ]);
  });
});

describe('Query.user', () => {
  const find = (id: string) =>
    users.ask({ query: 'query ($id: ID!) { user(id: $id) { name } }', variables: { id } });

  it('finds by id', async () => expect((await find(ed.id)).data).toEqual({ user: { name: ed.name } }));
  it('takes an id in capitals', async () =>
    expect((await find(ed.id.toUpperCase())).data).toEqual({ user: { name: ed.name } }));

  it.each(['01941f29-7c00-7a00-8000-00000000ffff', '', 'unknown', "' OR true --", '__proto__', '\u0000'])(
    'S-099 answers null for %j, which is no id of a user',
    async (id) => expect(await find(id)).toEqual({ status: 200, data: { user: null }, errors: [] }),
  );

  it('reads all users of a request in one statement', async () => {
    users.takeStatements();
    const fields = demo.slice(0, 10).map(({ id }, index) => `u${index}: user(id: "${id}") { name }`);
    await users.ask({ query: `{ ${fields.join(' ')} }` });
    expect(users.takeStatements()).toHaveLength(1);
  });
});

describe('references', () => {
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { name role } } }';
  const resolve = (ids: readonly string[]) =>
    users.ask({ query, variables: { r: ids.map((id) => ({ __typename: 'User', id })) } });

  it('are resolved in one statement, in their order, also when some repeat or have no profile yet', async () => {
    users.takeStatements();
    const { data } = await resolve([vi.id, 'unknown', ada.id, '01941f29-7c00-7a00-8000-00000000ffff', vi.id]);
    expect(data).toEqual({
      _entities: [
        { name: vi.name, role: 'VIEWER' },
        null,
        { name: ada.name, role: 'ADMIN' },
        { name: 'User 00ffff', role: 'VIEWER' },
        { name: vi.name, role: 'VIEWER' },
      ],
    });
    expect(users.takeStatements()).toHaveLength(1);
  });
});

describe('User.email', () => {
  const emails = async (as?: UserContext) => {
    const query = '{ users(limit: 3) { email } }';
    const { data } = await users.ask<{ users: { email: string | null }[] }>({ query, ...(as && { as }) });
    return data.users.map(({ email }) => email);
  };

  it('is shown to its owner alone', async () => {
    expect(await emails(user(ed.id))).toEqual([null, ed.email, null]);
  });
  it('is shown to administrators', async () => {
    expect(await emails(user(ada.id, { role: 'ADMIN' }))).toEqual([ada.email, ed.email, vi.email]);
  });
  it('is not shown to editors', async () => {
    expect(await emails(user(vi.id, { role: 'EDITOR' }))).toEqual([null, null, vi.email]);
  });
  it('is not shown to clients without a user', async () => {
    expect(await emails()).toEqual([null, null, null]);
  });
});

/** A request does not wait for its profile for long. The lock is had when no statement is under way. */
async function allAreWritten(count: number): Promise<void> {
  const begun: string[] = [];
  await expect
    .poll(() => begun.push(...users.takeStatements().filter((text) => text.includes('INTO profile'))))
    .toBe(count);
  await users.pool.query('BEGIN; LOCK TABLE profile IN ACCESS EXCLUSIVE MODE; COMMIT');
}

describe('profiles follow tokens', () => {
  const id = '0197d9a1-2b3c-7d4e-8f50-112233445566';
  const me = async (as: UserContext) =>
    (await users.ask<{ me: unknown }>({ query: '{ me { id name email role } }', as })).data.me;

  it('makes a profile from the first token it sees', async () => {
    const token = { name: 'Nia', email: 'nia@example.com', role: 'EDITOR' } as const;
    // A request waits for its profile, but not for long.
    await expect
      .poll(() => me(user(id, token)))
      .toEqual({ id, name: 'Nia', email: 'nia@example.com', role: 'EDITOR' });
  });

  it('shows the role that may do most', async () => {
    const { user: nia, ...rest } = user(id);
    expect(
      await me({
        ...rest,
        user: { ...nia, id, tokenIssuedAt: 1, roles: ['VIEWER', 'ADMIN', 'constructor'] },
      }),
    ).toMatchObject({ role: 'ADMIN' });
    expect(await me({ ...rest, user: { ...nia, id, tokenIssuedAt: 2, roles: [] } })).toMatchObject({
      role: 'VIEWER',
    });
  });

  it('has a default name for a user without one', async () => {
    expect(await me(user(id))).toEqual({ id, name: 'User 445566', email: null, role: 'VIEWER' });
  });

  it('follows a newer token, and keeps what that one does not say', async () => {
    const now = later();
    await me(user(id, { name: 'Nia', email: 'old@example.com', role: 'EDITOR', issuedAt: now }));
    await me(user(id, { email: 'new@example.com', role: 'VIEWER', issuedAt: now + 1 }));
    await expect.poll(() => stored(id)).toEqual({ name: 'Nia', email: 'new@example.com', role: 'VIEWER' });
  });

  it('does not follow an older token, but learns from it what is still unknown', async () => {
    const now = later();
    await me(user(id, { email: 'new@example.com', role: 'VIEWER', issuedAt: now + 1 }));
    await me(user(id, { name: 'Nia', email: 'old@example.com', role: 'ADMIN', issuedAt: now }));
    await expect.poll(() => stored(id)).toEqual({ name: 'Nia', email: 'new@example.com', role: 'VIEWER' });
  });

  it('adopts a profile that was there before', async () => {
    await me(user(vi.id, { role: 'EDITOR' }));
    await expect.poll(() => stored(vi.id)).toEqual({ name: vi.name, email: vi.email, role: 'EDITOR' });
  });

  it('writes once for a token, however many requests come with it, and at the same time', async () => {
    const token = user('0197d9a1-2b3c-7d4e-8f50-000000000001', { name: 'Once' });
    users.takeStatements();
    await Promise.all(Array.from({ length: 20 }, () => me(token)));
    await me(token);
    expect(users.takeStatements().filter((text) => text.includes('INTO profile'))).toHaveLength(1);
  });

  it('ends at the newest of many tokens that race', async () => {
    const now = later();
    const racer = '0197d9a1-2b3c-7d4e-8f50-000000000002';
    const tokens = Array.from({ length: 30 }, (_, age) =>
      user(racer, { email: `${age}@example.com`, issuedAt: now + age }),
    );
    users.takeStatements();
    await Promise.all(tokens.toSorted(() => Math.random() - 0.5).map(me));
    await allAreWritten(tokens.length);
    expect(await stored(racer)).toMatchObject({ email: '29@example.com' });
  });

  it('makes none for a client that acts for itself', async () => {
    const before = await users.pool.query('SELECT count(*) FROM profile');
    expect(await me({ clientId: 'robot', scopes: ['read:data', 'read:profile'] })).toBeNull();
    expect((await users.pool.query('SELECT count(*) FROM profile')).rows).toEqual(before.rows);
  });

  it('makes none for a subject that is no id of this graph, and answers it all the same', async () => {
    expect(await me(user('auth0|12345'))).toBeNull();
  });

  it('F-17 lets users read when the database can’t be written to', async () => {
    await users.pool.query(
      'ALTER TABLE profile ADD CONSTRAINT full_disk CHECK (token_issued_at < 9) NOT VALID',
    );
    const late = user('0197d9a1-2b3c-7d4e-8f50-000000000003');
    expect((await users.ask({ query: '{ users(limit: 1) { id } }', as: late })).errors).toEqual([]);
    await users.pool.query('ALTER TABLE profile DROP CONSTRAINT full_disk');
    expect(await me(late)).toMatchObject({ role: 'VIEWER' });
  });
});

describe('demo data', () => {
  it('fills an empty table alone', async () => {
    const store = createProfileStore(users.pool);
    await users.pool.query('DELETE FROM profile WHERE id <> $1', [ada.id]);
    await store.seed(demo);
    expect(await store.list({ limit: 100, offset: 0 })).toHaveLength(1);
  });

  it('survives two instances that start together', async () => {
    const store = createProfileStore(users.pool);
    await users.pool.query('TRUNCATE profile');
    await Promise.all([store.seed(demo), store.seed(demo)]);
    expect((await users.pool.query('SELECT count(*)::int FROM profile')).rows).toEqual([
      { count: demo.length },
    ]);
  });
});

describe('Provisioning', () => {
  it('lets no user wait long while the table of profiles is locked', async () => {
    const newcomer: UserContext = {
      user: { id: createId(), roles: ['VIEWER'], tokenIssuedAt: 7 },
      scopes: ['read:data'],
    };
    const locking = await users.pool.connect();
    try {
      await locking.query('BEGIN; LOCK TABLE profile IN ACCESS EXCLUSIVE MODE');
      const startedAt = performance.now();
      const { data } = await users.ask({ query: '{ __typename }', as: newcomer });
      expect(data).toEqual({ __typename: 'Query' });
      expect(performance.now() - startedAt).toBeLessThan(latencyBudgetMs(4_000));
    } finally {
      await locking.query('ROLLBACK');
      locking.release();
    }
    await expect.poll(() => stored(newcomer.user?.id ?? '')).toMatchObject({ role: 'VIEWER' });
  });
});
